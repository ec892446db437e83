/**
 * The faults to survive, row by row, and the report of a run that says which of them were
 * shown.
 */
@NullMarked
package io.mongolock.faults.harness.matrix;

import org.jspecify.annotations.NullMarked;
