/**
 * Figures of the locks for Micrometer.
 */
@NullMarked
package io.mongolock.observation;

import org.jspecify.annotations.NullMarked;
