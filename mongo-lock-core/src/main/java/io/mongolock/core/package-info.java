/**
 * Everything that decides and nothing that runs: no thread, clock, driver or Spring.
 * State machines are fed events, each with the {@link ClockReading} of its time, and
 * answer what to do next. {@link DurationPrinter} is how people write the times in
 * settings.
 * <ul>
 * <li>An {@link Attempt}: one try at a request, on the terms that
 * {@link ConfiguredSettings} resolves into {@link LockTerms}, which has the defaults.
 * {@link LockAcquisition} runs it, {@link AcquisitionState} says <b>how a waiter
 * waits</b>, {@link AcquisitionRequests} is what it asks of the store. Each event is
 * answered with an {@link AcquisitionStep}. Failures that are not the store's end in one
 * of the {@link LockExceptions}. {@link RequestOrder} is the order in which a call asks
 * for several locks.</li>
 * <li>Who waits: {@link ClientQueues} has the queues of a client. In this JVM
 * {@link LocalWaitQueues} says whose turn it is, {@link WaitQueue} does so for one key,
 * and each of those who wait is a {@link LocalWaiter}. {@link AdmissionRule} is the rule
 * by which the store admits. <b>A release wakes the next one</b> by
 * {@link ClientQueues#wakeNext}; a release in another JVM does so by
 * {@link QueuePlaces#wakeIfAdmitted}.</li>
 * <li>Who stands in the queue in the store: {@link QueuePlaces} are the places of this
 * JVM, each of them a {@link QueuePlace}, and say how long until the next look or,
 * without a queue, the next try; {@link PlaceRequests} says when to ask for them, in one
 * {@link PlaceRequest}. {@link QueuePosition} is what the store said of one.</li>
 * <li>Who waits for each other: a {@link DeadlockSearch} finds each {@link Deadlock} that
 * one look shows, and {@link Deadlocks} are those that two looks saw alike.</li>
 * <li>A hold: {@link HeldLock} begins with the grant, which is a {@link Grant} of this
 * JVM. Its {@link Lease} says whether it is held, its {@link HoldState} who relies on it
 * and how it ends. {@link LocalLease} is what operators see of it.</li>
 * <li>A lease that nobody holds: {@link IdleLeases} says which one is kept, and for how
 * long. {@link LingerPolicy} are those for which that pays, {@link Recall} is what is
 * known of others who want one.</li>
 * <li>Renewals: {@link RenewalSchedule} makes a {@link RenewalBatch} of what is due, with
 * a {@link LeaseRenewal} for each lease. {@link Division} says how many go together in a
 * request, and how one that hangs is divided, also for all others who send many at
 * once.</li>
 * <li>The end: {@link HandOver} passes a hold on to the next attempt, as long as the
 * {@link Streak} may last. Otherwise a {@link ReleaseDecision} says what to ask the store
 * and what its answer means, and an {@link OrphanCleanup} when to clean up behind a
 * request whose outcome is unknown. {@link RecentReleases} are those that a failover may
 * take back.</li>
 * </ul>
 * The classes form no circle, so each item can be read from its last class back to the
 * first.
 */
@NullMarked
package io.mongolock.core;

import org.jspecify.annotations.NullMarked;
