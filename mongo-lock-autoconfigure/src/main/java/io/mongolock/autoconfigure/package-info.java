/**
 * What Spring Boot sets up by itself.
 */
@NullMarked
package io.mongolock.autoconfigure;

import org.jspecify.annotations.NullMarked;
