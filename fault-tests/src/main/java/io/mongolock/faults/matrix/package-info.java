/**
 * The faults to survive, row by row, and the report of a run that says which of them were
 * shown.
 */
@NullMarked
package io.mongolock.faults.matrix;

import org.jspecify.annotations.NullMarked;
