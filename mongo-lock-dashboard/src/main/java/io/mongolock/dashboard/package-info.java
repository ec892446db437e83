/**
 * A page beside the actuator that shows the locks.
 */
@NullMarked
package io.mongolock.dashboard;

import org.jspecify.annotations.NullMarked;
