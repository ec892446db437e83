/**
 * Tells listeners and the log what happens to locks, without holding anybody up.
 * <ul>
 * <li>Called when something happens: {@link AttemptEvents} up to the grant,
 * {@link LockEvents} from there on, renewals included. They decide who hears of it.</li>
 * <li>The {@link Listeners} hear it on threads of their own: losses first, and grants
 * only if one wants them. {@link EventLane} runs these threads, and decides what is
 * dropped if too much waits. The {@link Instruments} hear it at once; one that fails
 * harms nobody.</li>
 * <li>The log: {@link LockLog} has the lines, and decides which are at DEBUG, as repeated
 * skips. {@link LossLog} sums up many losses, {@link EventLog} writes on a thread of its
 * own.</li>
 * <li>The answers to claims: {@link LimitWatch} decides when to warn that limits differ,
 * {@link StoreClockStepWatch} whether the store's clock has stepped.</li>
 * <li>Two kinds of listeners are the library's own: a {@link SelectiveListener} says
 * whether it wants the next grant or release, and {@link LockInstrumentation} is called
 * at once. Both see a lock as a {@link ReadOnlyLockHandle}, which refuses to renew or
 * release.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.event;

import org.jspecify.annotations.NullMarked;
