/**
 * Claims locks, keeps them and releases them: the threads, clocks and requests that run
 * what {@code core} decides.
 * <ul>
 * <li>{@link LockTemplate} is what users call, with {@link ClientOptions}, and says in
 * which order its parts start and stop. {@link ClientLifecycle} decides what may still
 * begin: a claim, a request, nothing. {@link ClientThreads} decides which threads run
 * what, and how many; {@link RequestQueue} which claim asks next where these are few, and
 * which is to be brief. {@link ClientRuntime} is what it has of its JVM, which a
 * simulation replaces. Where locks are switched off, users call
 * {@link UnlockedLockOperations}.</li>
 * <li>An attempt: {@link BlockingDriver} runs it on the thread of its caller,
 * {@link AsyncDriver} on none while it waits, and either ends it if nobody wants the lock
 * any more. {@link ClaimSender} asks the store for both, and does whatever else a step
 * asks for. {@link Tokens} tell attempts apart.</li>
 * <li>A hold: {@link HoldRegistry} keeps it from the grant to the release, and decides
 * whether it is then kept idle, handed over or released, and whether that fails the call.
 * {@link LockHandles} decides whether a call shares what its thread or transaction holds;
 * {@link LeaseHandle} is what the holder is given. {@link TransactionLocks} keeps it
 * until a transaction has ended, and longer if the outcome is unknown;
 * {@link LockCommitListener} refuses the commit if it was lost.</li>
 * <li>The end: {@link LockReleaser} releases, and decides what is left to the background.
 * {@link ReleaseSender} sends what needs no proof, decides when to repeat what a failover
 * may have taken back, and has releases confirmed. {@link OrphanReleaser} cleans up
 * behind requests of unknown outcome. {@link DividedEnding} is a request for many of
 * these, divided if it hangs.</li>
 * <li>The stop: {@link StopRequests} sends what is left to send, as often as the time
 * allows. {@link LockTemplate#stopClaims} ends all waiting, and {@link LockTemplate#stop}
 * cuts off what is still held, as its {@link io.mongolock.core.HoldState#cutOff}
 * says.</li>
 * <li><b>A release wakes the next waiter</b> in {@link HoldRegistry}, which hands the
 * lock over or has {@link io.mongolock.core.ClientQueues#wakeNext} let the next one ask;
 * a release in another JVM does so in {@link QueueMaintenance#released}.</li>
 * <li>In the background: the {@link ClientLoop} watches the leases, has them renewed, and
 * runs each {@link BackgroundTask}. {@link QueueMaintenance} sends the requests for
 * places in the queue, {@link IdleLeaseReaper} releases the leases that nobody holds. A
 * {@link StoreWatch} decides for either when the watch over releases or recalls is opened
 * and closed. {@link DeadlockWatch} decides when to look for those who wait for each
 * other, tells of them, and ends the wait of one. {@link ReleaseRequestPoller} decides
 * when to look whether somebody asks for a lock. {@link HandleLeaks} decides what happens
 * to a lock whose handle nobody closed.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.client;

import org.jspecify.annotations.NullMarked;
