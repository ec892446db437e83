/**
 * The decisions of the client, without anything that runs: no thread, clock, driver or
 * Spring. State machines are given events, each with the {@link ClockReading} of its
 * time, and answer what to do next. {@link ClockReading} decides which of the two clocks
 * counts if they disagree. {@link DurationPrinter} prints times as people write them in
 * settings.
 * <ul>
 * <li>An {@link Attempt} is one try at a request, and knows how long it still waits.
 * {@link LockAcquisition} runs it, and answers each event with an
 * {@link AcquisitionStep}. {@link AcquisitionState} says <b>how a waiter waits</b>:
 * whether it asks, enters the queue, tries again after a failure, waits longer for an
 * idle lease of others, or is denied. {@link AcquisitionRequests} says what the next
 * request asks for, how many fences it sets aside, and whether an earlier request may
 * still be executed. {@link ConfiguredSettings} decides which setting wins: the
 * request's, its name's or the one for all locks. {@link LockTerms} has the defaults,
 * including the renewal interval, and refuses settings that contradict each other.
 * Failures that do not come from the store end in one of the {@link LockExceptions},
 * which say who holds a lock, or why it was lost. {@link RequestOrder} is the order in
 * which a call asks for several locks.</li>
 * <li>Waiting: {@link ClientQueues} has the queues of a client, and says why an attempt
 * that never had its turn was denied. In this JVM {@link LocalWaitQueues} says whose turn
 * it is. {@link WaitQueue} decides that for one key: which waiters may ask, even beside
 * the first, and which waiter follows a holder. Each waiter is a {@link LocalWaiter}.
 * {@link AdmissionRule} is the rule by which the store admits. <b>A release wakes the
 * next waiter</b> by {@link ClientQueues#wakeNext}; a release in another JVM does so by
 * {@link QueuePlaces#wakeIfAdmitted}.</li>
 * <li>The queue in the store: {@link QueuePlaces} has the places of this JVM. It draws by
 * lot when a waiter near the head looks again or, without a queue, tries again. It also
 * says for how long releases are watched. {@link PlaceRequests} decides when places are
 * refreshed, looked at and left, and how many in one {@link PlaceRequest}. A
 * {@link QueuePlace} decides whether a hint or a look makes its attempt ask. If the place
 * is far back, it computes the next look from the pace of the queue. A
 * {@link QueuePosition} is the store's answer about a place: whether it is near, and when
 * the entries ahead run out.</li>
 * <li>Deadlocks: a {@link DeadlockSearch} finds each {@link Deadlock} that one look
 * shows, and decides which attempt gives up. {@link Deadlocks} decides which deadlocks to
 * believe: the ones that two looks in a row saw.</li>
 * <li>A hold is a {@link HeldLock}. It begins with a {@link Grant} to this JVM, and
 * decides whether it suits the terms of the next waiter. Its {@link Lease} decides until
 * when it is relied on, whether it is lost, and when its renewal is due. Its
 * {@link HoldState} decides whether a call within may share it, whether a commit may
 * pass, how long it stays taken, and how it ends: released, handed over, idle, cut off or
 * left to expire. {@link LocalLease} is the hold as operators see it.</li>
 * <li>Idle leases: {@link Linger} keeps leases while nobody holds them. {@link Recall}
 * knows whether others want a lease.</li>
 * <li>Renewals: {@link RenewalSchedule} decides which leases are renewed now and which
 * wait for a slot, what an answer says of each lease, and when a failed request is tried
 * again. {@link RenewalBatch} decides which leases go together, and when a request counts
 * as hanging. {@link LeaseRenewal} decides when a renewal is due or can go along, and
 * with how many others. {@link Division} says how many leases go together in a request,
 * and into how many parts a hanging request is divided. All other senders of large
 * requests use it as well.</li>
 * <li>The end of a hold: {@link HandOver} decides whether the lock passes on to the next
 * attempt, as long as the {@link Streak} may last. Otherwise a {@link ReleaseDecision}
 * says what to ask the store, whether the answer must be a proof, and whether the lock is
 * free then. An {@link OrphanCleanup} says when to clean up after a request of unknown
 * outcome, and when to stop. {@link RecentReleases} are the releases that a failover may
 * take back.</li>
 * </ul>
 * The classes form no circle, so each item can be read from its last class back to the
 * first.
 */
@NullMarked
package io.mongolock.core;

import org.jspecify.annotations.NullMarked;
