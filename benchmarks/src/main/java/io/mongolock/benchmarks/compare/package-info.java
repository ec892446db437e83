/**
 * Compares locks with what users would pick instead, in one run, taking turns.
 */
@NullMarked
package io.mongolock.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
