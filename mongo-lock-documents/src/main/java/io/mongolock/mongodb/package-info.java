/**
 * What an application does with its own documents in MongoDB: writes that locks guard,
 * numbers, and updates without a lock.
 */
@NullMarked
package io.mongolock.mongodb;

import org.jspecify.annotations.NullMarked;
