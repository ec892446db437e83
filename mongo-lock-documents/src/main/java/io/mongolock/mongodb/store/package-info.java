/**
 * Locks in documents of the application, and sequences.
 */
@NullMarked
package io.mongolock.mongodb.store;

import org.jspecify.annotations.NullMarked;
