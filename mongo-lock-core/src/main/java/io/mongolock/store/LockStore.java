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
 * All methods throw {@link LockStoreException} whose outcome says whether the request may
 * have been, or may still be, executed. A client that knows no answer asks again with the
 * same token: every request here may be repeated.
 */
public interface LockStore {

	/**
	 * The token of an attempt, by which all its requests are known.
	 * @return the same, unless what is stored is to prove nothing to those who read it
	 */
	default String token(String random) {
		return random;
	}

	/**
	 * Ask for a lock. Granted if the holders plus those ahead in the queue are fewer than
	 * the smallest limit among the claim, the holders and those ahead. Repeated with a
	 * token that holds the lock already, it keeps the fence and begins the lease anew.
	 */
	ClaimAnswer acquire(Claim claim, Duration timeout);

	/**
	 * Begin a lease anew. Never brings back one that was taken over, released or deleted.
	 * @return whether it is still there; once {@code false}, never {@code true} again
	 */
	boolean renew(LeaseId lease, Duration timeout);

	/**
	 * Begin several leases anew in one request, and write what some of their holders do
	 * beside them, unless this store keeps no notes.
	 * @param leases the leases, each with another token, at most a few hundred
	 * @param notes the notes, by lease, each gone with its lease
	 * @return how many of them are still there, and which failed apart from the others
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
	 * End the lease of a token, whichever grant it is of. The answer may be taken back by
	 * a failover: the lease then runs out by itself. Nor need a watch over releases have
	 * noticed it before they are {@link #confirmReleases confirmed}.
	 */
	ReleaseAnswer release(LeaseId lease, Duration timeout);

	/**
	 * Have the releases confirmed that were answered before, for a watch over releases
	 * that notices them only then. For a store whose watches, if any, wait for nothing,
	 * there is nothing to do.
	 */
	default void confirmReleases(Duration timeout) {
		// Nobody waits for it
	}

	/**
	 * End the leases of several tokens in one request, each as {@link #release} does, but
	 * with an answer that no failover takes back.
	 * @param leases the leases, each with another token, at most a thousand
	 * @return how many of them it ended
	 */
	int releaseAll(List<LeaseId> leases, Duration timeout);

	/**
	 * Give leases a length of their own from now on in one request: their holders are
	 * done, but the locks have to stay taken for a while, after which nobody takes them
	 * over from anyone. Never brings back one that was taken over, released or deleted.
	 * @param leases how long each lease lasts, by token; counts from now on, in whole
	 * milliseconds; at most a few hundred
	 * @return how many of them are still there, with an answer that no failover takes
	 * back
	 */
	int expireAll(Map<LeaseId, Duration> leases, Duration timeout);

	/**
	 * End one grant of a lease, with an answer that no failover takes back.
	 * @return whether this request ended it; {@code true} proves that nobody was granted
	 * in its place before, not even its own token again
	 */
	boolean releaseGrant(LeaseId lease, long fence, Duration timeout);

	/**
	 * Ask the holder of a lease to release it: written beside the lease, and gone with
	 * it. If there are several, the last one counts.
	 * @return whether the lease is still there
	 */
	boolean requestRelease(LeaseId lease, String reason, String by, Duration timeout);

	/**
	 * Leave the queue of those who wait.
	 * @return whether this request took the place out of it
	 */
	boolean leave(LeaseId claim, Duration timeout);

	/**
	 * Leave the queues of several locks in one request, each as {@link #leave} does.
	 * @param claims the tokens that wait, at most a few hundred
	 * @return how many places this request took out
	 */
	int leaveAll(List<LeaseId> claims, Duration timeout);

	/**
	 * Begin the life of several places in the queue anew, and look at them then. Never
	 * brings back one that was granted, left or is gone.
	 * @param claims the tokens that wait, at most a thousand
	 * @return as {@link #lookAll} does; a lock whose queue does not have the place any
	 * more may be left out
	 */
	List<StoredLock> refreshAll(List<LeaseId> claims, Duration timeout);

	/**
	 * Look at several places in the queue in one request. A hint for those who wait: what
	 * is seen may be over, and is never a proof.
	 * @param claims the tokens that wait, each for another key, at most a thousand
	 * @return the locks in any order, without those that nobody ever asked for or that
	 * cannot be read; of its queue each may hide the places that are not at the head, and
	 * who held it before
	 */
	default List<StoredLock> lookAll(List<LeaseId> claims, Duration timeout) {
		return findAll(claims.stream().map(LeaseId::key).toList(), timeout);
	}

	/**
	 * Look at several locks in one request. The answer may be out of date, and is never a
	 * proof.
	 * @param keys the keys, at most a thousand
	 * @return the locks in any order, without those that nobody ever asked for or that
	 * cannot be read
	 */
	List<StoredLock> findAll(List<String> keys, Duration timeout);

	/**
	 * Look at several locks and all who stand in their queues in one request. The answer
	 * may be out of date, and is never a proof.
	 * @param keys the keys, at most a thousand
	 * @return as {@link #findAll}, with the queues as a whole
	 */
	default List<StoredLock> findQueues(List<String> keys, Duration timeout) {
		return findAll(keys, timeout);
	}

	/**
	 * Look at one lock. For diagnostics: what is seen may be over, and is never a proof.
	 * @return the lock, or empty if nobody ever asked for it
	 */
	Optional<StoredLock> find(String key, Duration timeout);

	/**
	 * The order in which this store lists its locks.
	 */
	default Comparator<String> keyOrder() {
		return Comparator.naturalOrder();
	}

	/**
	 * Look at the locks that somebody holds, in the order of their keys. For diagnostics.
	 * @param most how many at most
	 */
	default List<StoredLock> list(int most, Duration timeout) {
		return list("", "", most, timeout);
	}

	/**
	 * Look at some of the locks that somebody holds, in the order of their keys. For
	 * diagnostics.
	 * @param prefix what their keys begin with, may be empty
	 * @param after the key behind which to begin, not itself among them; empty for all
	 * @param most how many at most
	 */
	List<StoredLock> list(String prefix, String after, int most, Duration timeout);

	/**
	 * Look at locks that somebody holds, in the order of their keys. For diagnostics.
	 * @param filter which of them
	 * @param after the key behind which to begin, empty for all
	 * @param most how many at most, from 1 on
	 * @param scanned if the filter asks for holders, how many locks to look at at most,
	 * free ones included if the store keeps them; a store that looks at no more than
	 * those that are held may look at all
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
	 * @return the watch, to be closed when nobody waits; never live if the store does not
	 * notice releases
	 */
	default StoreSubscription watchReleases(ReleaseListener listener) {
		return StoreSubscription.NEVER_LIVE;
	}

	/**
	 * Have a listener notified of recalls as they happen, if this store notices them. At
	 * most one watch is needed for all keys.
	 * @return the watch, to be closed when this client keeps no lease that nobody holds;
	 * never live if the store does not notice recalls
	 */
	default StoreSubscription watchRecalls(RecallListener listener) {
		return StoreSubscription.NEVER_LIVE;
	}

	/**
	 * The clock of a store in the memory of this JVM. Modules then keep there, too, what
	 * belongs beside the locks.
	 * @return the clock, empty if the store is elsewhere
	 */
	default Optional<InstantSource> localClock() {
		return Optional.empty();
	}

}
