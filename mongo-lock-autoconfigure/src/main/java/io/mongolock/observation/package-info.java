/**
 * Metrics of the locks for Micrometer, and their names in the log. {@link LockMeters} has
 * the meters. {@link LockObservations} observes attempts and holds, each with a
 * {@link LockObservationContext}. A {@link LockObservationConvention} sets their key
 * values; this is {@link DefaultLockObservationConvention} unless you declare another.
 * {@link LockTags} has the values of tags. {@link LockMdc} names locks in log lines.
 * {@link ThreadSnapshots} and {@link ObservedSubscriptions} take the context of a caller
 * along.
 */
@NullMarked
package io.mongolock.observation;

import org.jspecify.annotations.NullMarked;
