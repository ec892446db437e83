/**
 * Runs methods under a lock: which methods, which key, and what a caller sees.
 */
@NullMarked
package io.mongolock.interceptor;

import org.jspecify.annotations.NullMarked;
