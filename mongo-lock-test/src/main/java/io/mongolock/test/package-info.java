/**
 * For tests and local runs of applications that use locks.
 */
@NullMarked
package io.mongolock.test;

import org.jspecify.annotations.NullMarked;
