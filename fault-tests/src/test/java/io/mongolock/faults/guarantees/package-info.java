/**
 * How each promise of {@code docs/guarantees.md} is known, from the tables that the tests
 * have.
 */
@NullMarked
package io.mongolock.faults.guarantees;

import org.jspecify.annotations.NullMarked;
