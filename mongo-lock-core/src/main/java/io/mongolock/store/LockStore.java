package io.mongolock.store;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.mongolock.LockStoreException;

/**
 * Keeps locks. Each method is one atomic step on one document per key, judges time by the
 * store's own clock only, and blocks for at most its timeout. Thread-safe.
 * <p>
 * All methods throw {@link LockStoreException}. Its outcome says whether the request may
 * have been executed, or may still be. A client without an answer asks again with the
 * same token, because every request here may be repeated.
 */
public interface LockStore {

	/**
	 * The token of an attempt, which identifies all its requests.
	 * @return the given text, or a token derived from it if reading the stored token must
	 * not be enough to prove possession
	 */
	default String token(String random) {
		return random;
	}

	/**
	 * Ask for a lock. The claim is granted if the holders and the waiters ahead are
	 * together fewer than the smallest limit among them and the claim. If the token
	 * already holds the lock, it keeps its fence and its lease begins anew.
	 */
	ClaimAnswer acquire(Claim claim, Duration timeout);

	/**
	 * Begin a lease anew. This never brings back a lease that was taken over, released or
	 * deleted.
	 * @return whether the lease is still there; after {@code false} it is never
	 * {@code true} again
	 */
	default boolean renew(LeaseId lease, Duration timeout) {
		RenewalAnswer answer = renewAll(List.of(lease), timeout);
		if (answer.failure() != null) {
			throw answer.failure();
		}
		return answer.found() == 1;
	}

	/**
	 * Begin several leases anew in one request. If this store keeps notes, the request
	 * also writes the notes of some holders beside their leases.
	 * @param leases the leases, each with a different token, at most a thousand
	 * @param notes the notes, by lease; each note disappears with its lease
	 * @return how many of the leases are still there, and which renewals failed on their
	 * own
	 */
	RenewalAnswer renewAll(List<LeaseId> leases, Map<LeaseId, String> notes, Duration timeout);

	/**
	 * Begin several leases anew, as {@link #renewAll(List, Map, Duration)} does, without
	 * notes.
	 */
	default RenewalAnswer renewAll(List<LeaseId> leases, Duration timeout) {
		return renewAll(leases, Map.of(), timeout);
	}

	/**
	 * End the lease of a token, whichever grant it belongs to. A failover may take the
	 * answer back; the lease then runs out by itself. A watch over releases may not
	 * notice this release until it is {@link #confirmReleases confirmed}.
	 */
	ReleaseAnswer release(LeaseId lease, Duration timeout);

	/**
	 * Confirm the releases that were answered before, because a watch over releases may
	 * notice them only then. A store without such watches has nothing to do.
	 */
	default void confirmReleases(Duration timeout) {
		// No watch waits for it
	}

	/**
	 * End the leases of several tokens in one request, each as {@link #release} does, but
	 * with an answer that no failover takes back.
	 * @param leases the leases, each with a different token, at most a thousand
	 * @return how many of them it ended
	 */
	int releaseAll(List<LeaseId> leases, Duration timeout);

	/**
	 * Give leases a length of their own from now on in one request. Their holders are
	 * done, but the locks have to stay taken for a while. A grant after that is not a
	 * take-over. This never brings back a lease that was taken over, released or deleted.
	 * @param leases how long each lease lasts from now on, by token, in whole
	 * milliseconds; at most a few hundred leases
	 * @return how many of the leases are still there, with an answer that no failover
	 * takes back
	 */
	int expireAll(Map<LeaseId, Duration> leases, Duration timeout);

	/**
	 * End one grant of a lease, with an answer that no failover takes back.
	 * @return whether this request ended it; {@code true} proves that no other grant took
	 * its place before that, not even a grant to the same token
	 */
	boolean releaseGrant(LeaseId lease, long fence, Duration timeout);

	/**
	 * Ask the holder of a lease to release it. The request is written beside the lease,
	 * and disappears with the lease. Of several requests, the latest counts.
	 * @return whether the lease is still there
	 */
	boolean requestRelease(LeaseId lease, String reason, String by, Duration timeout);

	/**
	 * Leave the queue of a lock.
	 * @return whether this request removed the place from the queue
	 */
	default boolean leave(LeaseId claim, Duration timeout) {
		return leaveAll(List.of(claim), timeout) == 1;
	}

	/**
	 * Leave the queues of several locks in one request, each as {@link #leave} does.
	 * @param claims the tokens that wait, at most a thousand
	 * @return how many places this request removed
	 */
	int leaveAll(List<LeaseId> claims, Duration timeout);

	/**
	 * Refresh several places in the queue in one request, and then look at them. This
	 * never brings back a place that was granted, was left or is gone.
	 * @param claims the tokens that wait, at most a thousand
	 * @return the locks as {@link #lookAll} returns them; a lock may be left out if its
	 * queue no longer has the place
	 */
	List<StoredLock> refreshAll(List<LeaseId> claims, Duration timeout);

	/**
	 * Look at several places in the queue in one request. The answer is a hint for
	 * waiters: it may be out of date, and is never a proof.
	 * @param claims the tokens that wait, each for a different key, at most a thousand
	 * @return the locks in any order, without locks that were never asked for or that
	 * cannot be read. Each lock may hide the places of its queue that are not at the
	 * head, and its previous holders
	 */
	default List<StoredLock> lookAll(List<LeaseId> claims, Duration timeout) {
		return findAll(claims.stream().map(LeaseId::key).toList(), timeout);
	}

	/**
	 * Look at several locks in one request. The answer may be out of date, and is never a
	 * proof.
	 * @param keys the keys, at most a thousand
	 * @return the locks in any order, without locks that were never asked for or that
	 * cannot be read
	 */
	List<StoredLock> findAll(List<String> keys, Duration timeout);

	/**
	 * Look at several locks and all places in their queues in one request. The answer may
	 * be out of date, and is never a proof.
	 * @param keys the keys, at most a thousand
	 * @return the locks as {@link #findAll} returns them, with their whole queues
	 */
	default List<StoredLock> findQueues(List<String> keys, Duration timeout) {
		return findAll(keys, timeout);
	}

	/**
	 * Look at one lock. For diagnostics: the answer may be out of date, and is never a
	 * proof.
	 * @return the lock, or empty if it was never asked for
	 */
	Optional<StoredLock> find(String key, Duration timeout);

	/**
	 * The order in which this store lists its locks.
	 */
	default Comparator<String> keyOrder() {
		return Comparator.naturalOrder();
	}

	/**
	 * Look at the locks that are held, in the order of their keys. For diagnostics.
	 * @param most how many at most
	 */
	default List<StoredLock> list(int most, Duration timeout) {
		return list("", "", most, timeout);
	}

	/**
	 * Look at some of the locks that are held, in the order of their keys. For
	 * diagnostics.
	 * @param prefix the beginning of their keys, may be empty
	 * @param after the key after which to begin, itself not included; empty for all
	 * @param most how many at most
	 */
	List<StoredLock> list(String prefix, String after, int most, Duration timeout);

	/**
	 * Look at locks that are held, in the order of their keys. For diagnostics.
	 * @param filter which of them
	 * @param after the key after which to begin; empty for all
	 * @param most how many at most, at least 1
	 * @param scanned the most locks to look at if the filter asks for holders. Free locks
	 * count if the store keeps them. A store that looks at held locks alone may look at
	 * all of them
	 */
	default LockPage list(LockFilter filter, String after, int most, int scanned, Duration timeout) {
		int among = (filter.isOfHolders()) ? scanned : most;
		List<StoredLock> held = list(filter.prefix(), after, among, timeout);
		return LockPage.of(held.stream().filter(filter::matches).toList(), most,
				(held.size() < among) ? null : held.get(among - 1).key());
	}

	/**
	 * The servers behind this store, as far as known. For diagnostics.
	 */
	default StoreServers servers() {
		return StoreServers.UNKNOWN;
	}

	/**
	 * Have a listener notified of releases as they happen, if this store notices them. At
	 * most one watch is needed for all keys.
	 * @return the watch, which the caller closes when no attempt waits. It is never live
	 * if the store does not notice releases
	 */
	default StoreSubscription watchReleases(ReleaseListener listener) {
		return StoreSubscription.NEVER_LIVE;
	}

	/**
	 * Have a listener notified of recalls as they happen, if this store notices them. At
	 * most one watch is needed for all keys.
	 * @return the watch, which the caller closes when this client keeps no idle lease. It
	 * is never live if the store does not notice recalls
	 */
	default StoreSubscription watchRecalls(RecallListener listener) {
		return StoreSubscription.NEVER_LIVE;
	}

	/**
	 * The clock of a store in the memory of this JVM. With such a store, modules also
	 * keep their own data in memory.
	 * @return the clock, or empty if the store is not in memory
	 */
	default Optional<InstantSource> localClock() {
		return Optional.empty();
	}

}
