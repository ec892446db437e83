/**
 * The client's view of a place that keeps locks.
 * <ul>
 * <li>{@link LockStore} is that place. All times in it are its own.</li>
 * <li>A request for a lock: {@link Claim}, which {@link ClaimAnswer} answers: whether it
 * was granted, and whose lease had run out. Both name one attempt by its {@link LeaseId},
 * key and token; a {@link GrantId} names a grant to those who cannot prove it.
 * {@link ReleaseAnswer} answers a release. {@link RenewalAnswer} answers several
 * renewals, and says of which nothing is known.</li>
 * <li>{@link KeySpace} says how keys are stored, and which are too long; {@link KeyText}
 * how people read them. {@link TimeLeft} is a timeout that several requests share.</li>
 * <li>The state that is stored: {@link StoredLock} decides who holds it now and whether
 * its lease may be idle, from its {@link StoredHolder}s and {@link StoredWaiter}s, each
 * of which says whether it has run out. {@link HiddenPlaces} are the waiters that an
 * answer leaves out. {@link LockFilter} decides which locks a search finds, and
 * {@link LockPage} is a part of these.</li>
 * <li>Hints: {@link StoreSubscription} calls a {@link ReleaseListener} when a place in a
 * lock may be free, or a {@link RecallListener} when somebody wants a lease back.
 * {@link StoreServers} tells of servers, their clocks and elections.</li>
 * <li>For code beside the store that ends leases by its own statements:
 * {@link LeaseControl} leads to the lease of a handle, pauses its renewal and ends it;
 * {@link LeaseEnd} says how it ended.</li>
 * </ul>
 */
@NullMarked
package io.mongolock.store;

import org.jspecify.annotations.NullMarked;
