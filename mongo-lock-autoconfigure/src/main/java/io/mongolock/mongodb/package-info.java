/**
 * What an application does with its own documents in MongoDB that locks guard.
 */
@NullMarked
package io.mongolock.mongodb;

import org.jspecify.annotations.NullMarked;
