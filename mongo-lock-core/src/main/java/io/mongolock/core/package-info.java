/**
 * Everything that decides and nothing that runs: no thread, clock, driver or Spring.
 * State machines are fed events, each with the {@link ClockReading} of its time, and
 * answer what to do next. {@link ClockReading} decides which of the two clocks counts if
 * they disagree. {@link DurationPrinter} is how people write the times in settings.
 * <ul>
 * <li>An {@link Attempt}: one try at a request, and how long it still waits.
 * {@link LockAcquisition} runs it; each event is answered with an
 * {@link AcquisitionStep}. {@link AcquisitionState} says <b>how a waiter waits</b>:
 * whether it asks, enters the queue, tries again after a failure, waits longer for an
 * idle lease of others, or is denied. {@link AcquisitionRequests} says what the next
 * request asks for, how many fences it sets aside, and whether one before it may still be
 * executed. {@link ConfiguredSettings} decides which setting wins, the request's, its
 * name's or the one for all; {@link LockTerms} has the defaults, the renewal interval
 * among them, and refuses what contradicts itself. Failures that are not the store's end
 * in one of the {@link LockExceptions}, which say who holds a lock, or why it was lost.
 * {@link RequestOrder} is the order in which a call asks for several locks.</li>
 * <li>Who waits: {@link ClientQueues} has the queues of a client, and says why an attempt
 * was denied that never had its turn. In this JVM {@link LocalWaitQueues} says whose turn
 * it is. {@link WaitQueue} decides that for one key: who may ask, also beside the first,
 * and who follows a holder. Each of those who wait is a {@link LocalWaiter}.
 * {@link AdmissionRule} is the rule by which the store admits. <b>A release wakes the
 * next one</b> by {@link ClientQueues#wakeNext}; a release in another JVM does so by
 * {@link QueuePlaces#wakeIfAdmitted}.</li>
 * <li>Who stands in the queue in the store: {@link QueuePlaces} has the places of this
 * JVM. It draws by lot when a waiter near the head looks again or, without a queue, tries
 * again, and says for how long releases are watched. {@link PlaceRequests} decides when
 * places are refreshed, looked at and left, and how many in one {@link PlaceRequest}. A
 * {@link QueuePlace} decides whether a hint or a look makes its attempt ask; for one far
 * back it works out the next look from the pace of the queue. {@link QueuePosition} is
 * what the store said of one: whether that is near, and when those ahead run out.</li>
 * <li>Who waits for each other: a {@link DeadlockSearch} finds each {@link Deadlock} that
 * one look shows, and decides who gives up. {@link Deadlocks} decides which to believe:
 * those that two looks saw alike.</li>
 * <li>A hold: {@link HeldLock} begins with the grant, which is a {@link Grant} of this
 * JVM, and decides whether it suits the terms of the next waiter. Its {@link Lease}
 * decides until when it is relied on, whether it is lost, and when its renewal is due.
 * Its {@link HoldState} decides whether a call within may share it, whether a commit may
 * pass, how long it stays taken, and how it ends: released, handed over, idle, cut off or
 * left to expire. {@link LocalLease} is what operators see of it.</li>
 * <li>A lease that nobody holds: {@link IdleLeases} decides which one is kept, who takes
 * it, and when it is released. {@link LingerPolicy} decides for which keys that pays,
 * {@link Recall} is what is known of others who want one.</li>
 * <li>Renewals: {@link RenewalSchedule} decides what is sent now and what waits for a
 * slot, what an answer says of each lease, and when a failed request is tried again.
 * {@link RenewalBatch} decides which leases go together, and when a request counts as
 * hanging; {@link LeaseRenewal} when one is due or may go along, and with how many
 * others. {@link Division} says how many go together in a request, and into how many
 * parts one that hangs is divided, also for all others who send many at once.</li>
 * <li>The end: {@link HandOver} decides whether a hold passes on to the next attempt, as
 * long as the {@link Streak} may last. Otherwise a {@link ReleaseDecision} says what to
 * ask the store, whether by a proof, and what its answer means. An {@link OrphanCleanup}
 * says at which times to clean up behind a request whose outcome is unknown, and when to
 * stop. {@link RecentReleases} are those that a failover may take back.</li>
 * </ul>
 * The classes form no circle, so each item can be read from its last class back to the
 * first.
 */
@NullMarked
package io.mongolock.core;

import org.jspecify.annotations.NullMarked;
