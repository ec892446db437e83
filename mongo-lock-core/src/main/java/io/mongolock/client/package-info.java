/**
 * Claims locks, keeps them and releases them. The package has the threads, clocks and
 * requests that carry out the decisions of {@code core}.
 * <ul>
 * <li>The client: users call {@link LockTemplate}, with {@link ClientOptions}. It decides
 * in which order its parts start and stop. {@link ClientLifecycle} decides what may still
 * begin: a claim, another request, or nothing. {@link ClientThreads} decides which tasks
 * run on which threads, and how many threads there are. {@link RequestQueue} decides
 * which claim asks next on the few threads for claims, and which claim must be brief.
 * {@link ClientRuntime} has the resources of the JVM, and a simulation replaces it. If
 * locks are switched off, users call {@link UnlockedLockOperations}.</li>
 * <li>An attempt: {@link BlockingDriver} runs it on the thread of its caller.
 * {@link AsyncDriver} runs it without a thread while it waits. Both end the attempt if no
 * caller wants the lock any more. {@link ClaimSender} asks the store for both, and does
 * all else that a step asks for. {@link Tokens} tell attempts apart.</li>
 * <li>A hold: {@link HoldRegistry} keeps it from the grant to the release. It decides
 * whether the lock is then kept idle, handed over or released, and whether its loss fails
 * the call. {@link LockHandles} decides whether a call shares a lock that its thread or
 * transaction holds, and {@link LeaseHandle} is the holder's handle.
 * {@link TransactionLocks} keeps the lock until a transaction has ended, and longer if
 * the outcome is unknown. {@link LockCommitListener} refuses the commit if the lock was
 * lost.</li>
 * <li>The end: {@link LockReleaser} releases, and decides what is left to the background.
 * {@link ReleaseSender} sends releases that need no proof. It decides when to repeat
 * releases that a failover may have undone, and has releases confirmed.
 * {@link OrphanReleaser} cleans up after requests of unknown outcome.
 * {@link DividedEnding} is a request that ends many locks or places, and is divided if it
 * hangs.</li>
 * <li>The stop: {@link StopRequests} sends the remaining requests as often as the time
 * allows. {@link LockTemplate#stopClaims} ends all waiting, and {@link LockTemplate#stop}
 * cuts off the locks that are still held, as {@link io.mongolock.core.HoldState#cutOff}
 * decides.</li>
 * <li><b>A release wakes the next waiter</b> in {@link HoldRegistry}. It hands the lock
 * over, or {@link io.mongolock.core.ClientQueues#wakeNext} lets the next waiter ask.
 * After a release in another JVM, {@link QueueMaintenance#released} wakes the next
 * waiter.</li>
 * <li>In the background: the {@link ClientLoop} watches the leases, has them renewed, and
 * runs each {@link io.mongolock.background.BackgroundTask}. {@link QueueMaintenance}
 * sends the requests for places in the queue. {@link DeadlockWatch} decides when to look
 * for deadlocks, reports them, and ends the wait of one caller.
 * {@link ReleaseRequestPoller} decides when to look for requests to release a lock.
 * {@link HandleLeaks} decides what happens to a lock whose handle was never closed.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.client;

import org.jspecify.annotations.NullMarked;
