/**
 * Claims locks, keeps them and releases them: the threads, clocks and requests that run
 * what {@code core} decides.
 */
@NullMarked
package io.mongolock.client;

import org.jspecify.annotations.NullMarked;
