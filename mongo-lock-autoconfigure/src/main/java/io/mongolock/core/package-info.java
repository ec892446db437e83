/**
 * Everything that decides and nothing that runs: no thread, clock, driver or Spring.
 * State machines are fed events and answer what to do next.
 * <ul>
 * <li>An attempt at a lock is one {@link Attempt}, on the terms that {@link LockDefaults}
 * resolves. {@link LockAcquisition} runs it, {@link AcquisitionState} is the phase that
 * it is in, {@link AcquisitionRequests} what it asks of the store. Each event is answered
 * with an {@link AcquisitionStep}. Where threads are few, {@link RequestQueue} says who
 * asks next.</li>
 * <li>Who waits in this JVM: {@link ClientQueues} is what the attempts of a client share,
 * {@link LocalWaitQueues} says whose turn it is, {@link WaitQueue} is that for one
 * key.</li>
 * <li>Who stands in the queue in the store: {@link QueuePlaces} are those of this JVM,
 * each of them a {@link QueuedClaim}; {@link PlaceSchedule} says when to ask for them, in
 * one {@link PlaceRequest}. {@link QueuePosition} is what the store said of one.</li>
 * <li>A hold: {@link HeldLock} begins with the grant, which is a {@link Grant} of this
 * JVM. Its {@link Lease} says whether it is held, its {@link LockShares} who relies on
 * it, its {@link HoldEnd} how it ends.</li>
 * <li>Renewals: {@link RenewalSchedule} makes a {@link RenewalBatch} of what is due, with
 * a {@link RenewalPlan} for each lease.</li>
 * <li>The end: {@link HandOver} passes a hold on to the next attempt. Otherwise a
 * {@link ReleaseDecision} says what to ask the store and what its answer means, and an
 * {@link OrphanCleanup} what is left to do about a request whose outcome is unknown.
 * {@link RecentReleases} are those that a failover may take back.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.core;

import org.jspecify.annotations.NullMarked;
