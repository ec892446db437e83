/**
 * Tells listeners and the log what happens to locks, without delaying callers.
 * <ul>
 * <li>Events: {@link AttemptEvents} is called for events up to the grant, and
 * {@link LockEvents} for all later events, including renewals. Both decide who hears of
 * an event.</li>
 * <li>Listeners: {@link Listeners} calls them on threads of their own. Losses come first,
 * and grants come only if a listener wants them. {@link EventLane} runs these threads,
 * and decides what is dropped if too much waits. {@link Instruments} calls the
 * instruments at once. If an instrument fails, this affects nothing else.</li>
 * <li>The log: {@link LockLog} has the lines, and decides which of them are at DEBUG,
 * such as repeated skips. {@link LossLog} sums up many losses. {@link EventLog} writes on
 * a thread of its own.</li>
 * <li>The answers to claims: {@link LimitWatch} decides when to warn that limits differ.
 * {@link StoreClockStepWatch} decides whether the store's clock has stepped.</li>
 * <li>Two kinds of listeners are the library's own: a {@link SelectiveListener} says
 * whether it wants the next grant or release, and {@link LockInstrumentation} is called
 * at once. Both see a lock as a {@link ReadOnlyLockHandle}, which refuses to renew or
 * release.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.event;

import org.jspecify.annotations.NullMarked;
