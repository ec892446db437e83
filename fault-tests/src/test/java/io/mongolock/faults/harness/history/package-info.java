/**
 * What happened in a run with locks, written down by every process that took part, and
 * the checker that judges it.
 */
@NullMarked
package io.mongolock.faults.harness.history;

import org.jspecify.annotations.NullMarked;
