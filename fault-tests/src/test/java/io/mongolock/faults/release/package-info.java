/**
 * Shows that the classes of an older release and these share locks.
 */
@NullMarked
package io.mongolock.faults.release;

import org.jspecify.annotations.NullMarked;
