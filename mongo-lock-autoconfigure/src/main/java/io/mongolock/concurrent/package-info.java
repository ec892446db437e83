/**
 * Locks as {@code java.util.concurrent.locks} has them, whose owner is a thread.
 */
@NullMarked
package io.mongolock.concurrent;

import org.jspecify.annotations.NullMarked;
