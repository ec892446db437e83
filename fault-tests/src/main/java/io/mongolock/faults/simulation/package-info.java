/**
 * Drives the very classes that decide, those of core, through many schedules with lost,
 * late and doubled messages, pauses and steps of clocks; each is replayed from its seed.
 */
@NullMarked
package io.mongolock.faults.simulation;

import org.jspecify.annotations.NullMarked;
