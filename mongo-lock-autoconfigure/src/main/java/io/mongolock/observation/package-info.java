/**
 * Figures of the locks for Micrometer, and their names in the log. {@link LockMeters}
 * counts, {@link LockObservations} times with the {@link LockTags} of a
 * {@link LockObservationConvention}, which gets a {@link LockObservationContext} and is
 * the {@link DefaultLockObservationConvention} unless you have one. {@link LockMdc} names
 * locks in log lines. {@link ThreadSnapshots} and {@link ObservedSubscriptions} take the
 * context of a caller along.
 */
@NullMarked
package io.mongolock.observation;

import org.jspecify.annotations.NullMarked;
