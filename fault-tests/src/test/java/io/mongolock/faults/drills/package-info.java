/**
 * Drills with default settings: faults of a real set, and how an application and its
 * alerts meet them.
 */
@NullMarked
package io.mongolock.faults.drills;

import org.jspecify.annotations.NullMarked;
