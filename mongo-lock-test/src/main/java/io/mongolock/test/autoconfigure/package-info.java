/**
 * Locks in memory for users' tests, whole applications and slices.
 */
@NullMarked
package io.mongolock.test.autoconfigure;

import org.jspecify.annotations.NullMarked;
