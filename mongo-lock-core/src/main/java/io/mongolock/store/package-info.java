/**
 * The client's view of a place that keeps locks.
 * <ul>
 * <li>{@link LockStore} is that place. All times in it are its own.</li>
 * <li>A request for a lock: {@link Claim}, which {@link ClaimAnswer} answers. Both name
 * one attempt by its {@link LeaseId}, key and token; {@link KeySpace} says how keys are
 * stored, {@link KeyText} how people read them, and {@link TimeLeft} is a timeout that
 * several requests share. {@link ReleaseAnswer} answers a release, and
 * {@link SomeRenewalsFailedException} is what becomes of renewals of which only some
 * failed.</li>
 * <li>The state that is stored: {@link StoredLock} with its {@link StoredHolder}s and
 * {@link StoredWaiter}s; {@link HiddenPlaces} are those that an answer leaves out.</li>
 * <li>Hints: {@link StoreSubscription} calls a {@link ReleaseListener} when a place in a
 * lock may be free, or a {@link RecallListener} when somebody wants a lease back, and
 * {@link StoreServers} knows servers, their clocks and elections.</li>
 * <li>For code beside the store that ends leases by its own statements:
 * {@link LeaseControl} leads to the lease of a handle, and {@link LeaseEnd} says how it
 * ended.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.store;

import org.jspecify.annotations.NullMarked;
