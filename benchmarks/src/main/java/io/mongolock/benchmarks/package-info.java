/**
 * Measures what a lock costs beside the bare commands, in one run, as a ratio.
 */
@NullMarked
package io.mongolock.benchmarks;

import org.jspecify.annotations.NullMarked;
