/**
 * Tells listeners and the log what happens to locks, without holding anybody up.
 * <p>
 * {@link AttemptEvents} and {@link LockEvents} are called when something happens. They
 * pass it on: to the {@link Listeners} on threads of their own, to the
 * {@link Instruments} at once, and to the {@link LockLog}. {@link EventLane} runs those
 * threads; {@link EventLog} and {@link LossLog} write the lines of the log.
 * {@link LimitWatch} and {@link StoreClockStepWatch} look at the answers to claims for
 * limits that differ and for clocks that step. Two kinds of listeners are the library's
 * own: a {@link SelectiveListener} leaves out what it has no use for, and
 * {@link LockInstrumentation} is called at once. Both see a lock as a
 * {@link ReadOnlyLockHandle}.
 */
@NullMarked
package io.mongolock.event;

import org.jspecify.annotations.NullMarked;
