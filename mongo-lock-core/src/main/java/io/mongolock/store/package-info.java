/**
 * The client's view of a store that keeps locks.
 * <ul>
 * <li>{@link LockStore} is that store. All its times are by its own clock.</li>
 * <li>A request for a lock is a {@link Claim}. Its {@link ClaimAnswer} says whether it
 * was granted, and whose lease had run out. Both name one attempt by its {@link LeaseId},
 * which is key and token. A {@link GrantId} names a grant without proving possession of
 * the lock. {@link ReleaseAnswer} answers a release. {@link RenewalAnswer} answers
 * several renewals, and says of which leases nothing is known.</li>
 * <li>{@link KeySpace} says how keys are stored, and which keys are too long.
 * {@link KeyText} makes keys readable for people. {@link TimeLeft} is a timeout that
 * several requests share.</li>
 * <li>The stored state of a lock is a {@link StoredLock}. It decides from its
 * {@link StoredHolder}s who holds the lock now, and whether the lease may be idle. Each
 * holder and each {@link StoredWaiter} says whether it has run out. {@link HiddenPlaces}
 * are the waiters that an answer leaves out. {@link LockFilter} decides which locks a
 * search finds, and {@link LockPage} is a part of the locks found.</li>
 * <li>Hints come from a {@link StoreSubscription}. It calls a {@link ReleaseListener}
 * when a place in a lock may be free, or a {@link RecallListener} when another client
 * wants a lease back. {@link StoreServers} tells of the servers, their clocks and their
 * elections.</li>
 * <li>Code beside the store can end leases by its own statements. {@link LeaseControl}
 * leads it to the lease of a handle, pauses the renewal of the lease and ends it.
 * {@link LeaseEnd} says how the lease ended.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.store;

import org.jspecify.annotations.NullMarked;
