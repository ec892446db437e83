/**
 * Faults of the store for users' tests: a lock that is lost, a store that is down, slow
 * or does not answer.
 */
@NullMarked
package io.mongolock.test.faults;

import org.jspecify.annotations.NullMarked;
