/**
 * Processes that take part in a run: started, stopped, continued and killed by a test.
 */
@NullMarked
package io.mongolock.faults.harness.worker;

import org.jspecify.annotations.NullMarked;
