/**
 * Claims locks, keeps them and releases them: the threads, clocks and requests that run
 * what {@code core} decides.
 * <ul>
 * <li>{@link LockTemplate} is what users call, with {@link ClientOptions}, and has the
 * parts behind it; {@link ClientLifecycle} says whether they run, with the
 * {@link ClientThreads}, which are few: {@link RequestQueue} says who asks next.
 * {@link ClientRuntime} is what it has of its JVM, which a simulation replaces. Where
 * locks are switched off, users call {@link UnlockedLockOperations}.</li>
 * <li>An attempt: {@link BlockingDriver} or {@link AsyncDriver} runs it to its end, and
 * {@link ClaimSender} asks the store for either. {@link Tokens} tell attempts apart.</li>
 * <li>A hold: {@link HoldRegistry} keeps it from the grant to the release,
 * {@link LeaseHandle} is what its holder is given by {@link LockHandles};
 * {@link TransactionLocks} keeps it until a transaction has ended, and
 * {@link LockCommitListener} refuses the commit if it was lost.</li>
 * <li>The end: {@link LockReleaser} releases by a {@link ReleaseSender}, which also
 * repeats what a failover may have taken back and has releases confirmed;
 * {@link OrphanReleaser} cleans up behind requests of unknown outcome.
 * {@link DividedEnding} is a request for many of these, divided if it hangs. When the
 * client stops, {@link StopRequests} sends what is left to send,
 * {@link LockTemplate#stopClaims} ends all waiting, and {@link LockTemplate#stop} cuts
 * off what is still held, as its {@link io.mongolock.core.HoldState#cutOff} says. <b>A
 * release wakes the next waiter</b> in {@link HoldRegistry}, which hands the lock over or
 * has {@link io.mongolock.core.ClientQueues#wakeNext} let the next one ask; a release in
 * another JVM does so in {@link QueueMaintenance#released}.</li>
 * <li>In the background: the {@link ClientLoop} watches the leases, has them renewed, and
 * runs each {@link BackgroundTask}: {@link QueueMaintenance} for the places in the queue,
 * {@link IdleLeaseReaper} for the leases that nobody holds, which follows recalls by a
 * {@link StoreWatch}, and {@link DeadlockWatch} for those who wait for each other;
 * {@link ReleaseRequestPoller} whether somebody asks for a lock, and {@link HandleLeaks}
 * the handles that nobody closed.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.client;

import org.jspecify.annotations.NullMarked;
