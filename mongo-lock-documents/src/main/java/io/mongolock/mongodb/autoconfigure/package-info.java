/**
 * What Spring Boot sets up by itself for documents of the application.
 */
@NullMarked
package io.mongolock.mongodb.autoconfigure;

import org.jspecify.annotations.NullMarked;
