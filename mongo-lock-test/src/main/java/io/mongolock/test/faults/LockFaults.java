package io.mongolock.test.faults;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockFilter;
import io.mongolock.store.LockPage;
import io.mongolock.store.LockStore;
import io.mongolock.store.RecallListener;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.RenewalAnswer;
import io.mongolock.store.StoreServers;
import io.mongolock.store.StoreSubscription;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

/**
 * {@link LockStore} that fails as a test demands, and otherwise delegates to another
 * store. Thread-safe; a fault applies to the requests that begin after it.
 */
public final class LockFaults implements LockStore {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final LockStore store;

	private final Consumer<String> loss;

	private volatile Fault fault = Fault.NONE;

	/**
	 * Create a store without faults.
	 * @param store the other store
	 * @param loss makes the holder of a key notice the loss, for example
	 * {@link io.mongolock.client.LockTemplate#renew}
	 */
	public LockFaults(LockStore store, Consumer<String> loss) {
		this.store = store;
		this.loss = loss;
	}

	/**
	 * Lose a lock now. It is taken away from its holder, as if it had been deleted. If
	 * this application is the holder, it has noticed the loss when this method returns.
	 * @param key the key
	 * @throws IllegalStateException if the lock is not held
	 */
	public void lose(String key) {
		StoredLock lock = this.store.find(key, LONG)
			.filter((found) -> !found.liveHolders().isEmpty())
			.orElseThrow(() -> new IllegalStateException(
					"Lock '" + key + "' is not held. The held locks are " + keysHeld()));
		for (StoredHolder holder : lock.holders()) {
			this.store.releaseGrant(new LeaseId(key, holder.leaseToken()), holder.fence(), LONG);
		}
		this.loss.accept(key);
	}

	/**
	 * From now on no request is executed, and callers learn this at once.
	 */
	public void storeDown() {
		this.fault = new Fault(false, Duration.ZERO, true);
	}

	/**
	 * From now on each request takes longer. A request that takes longer than its timeout
	 * is executed, but its answer is lost.
	 * @param delay the additional time
	 */
	public void storeSlow(Duration delay) {
		this.fault = new Fault(true, delay, true);
	}

	/**
	 * From now on each request is executed, and its answer is lost.
	 */
	public void answersLost() {
		this.fault = new Fault(true, Duration.ZERO, false);
	}

	/**
	 * End all faults. Lost locks stay lost.
	 */
	public void heal() {
		this.fault = Fault.NONE;
	}

	@Override
	public String token(String random) {
		return this.store.token(random);
	}

	@Override
	public ClaimAnswer acquire(Claim claim, Duration timeout) {
		return ask(claim.id().key(), timeout, () -> this.store.acquire(claim, timeout));
	}

	@Override
	public RenewalAnswer renewAll(List<LeaseId> leases, Map<LeaseId, String> notes, Duration timeout) {
		return ask(leases.get(0).key(), timeout, () -> this.store.renewAll(leases, notes, timeout));
	}

	@Override
	public ReleaseAnswer release(LeaseId lease, Duration timeout) {
		return ask(lease.key(), timeout, () -> this.store.release(lease, timeout));
	}

	@Override
	public void confirmReleases(Duration timeout) {
		this.store.confirmReleases(timeout);
	}

	@Override
	public int releaseAll(List<LeaseId> leases, Duration timeout) {
		return ask(leases.get(0).key(), timeout, () -> this.store.releaseAll(leases, timeout));
	}

	@Override
	public int expireAll(Map<LeaseId, Duration> leases, Duration timeout) {
		return ask(leases.keySet().iterator().next().key(), timeout, () -> this.store.expireAll(leases, timeout));
	}

	@Override
	public boolean releaseGrant(LeaseId lease, long fence, Duration timeout) {
		return ask(lease.key(), timeout, () -> this.store.releaseGrant(lease, fence, timeout));
	}

	@Override
	public boolean requestRelease(LeaseId lease, String reason, String by, Duration timeout) {
		return ask(lease.key(), timeout, () -> this.store.requestRelease(lease, reason, by, timeout));
	}

	@Override
	public int leaveAll(List<LeaseId> claims, Duration timeout) {
		return ask(claims.get(0).key(), timeout, () -> this.store.leaveAll(claims, timeout));
	}

	@Override
	public List<StoredLock> refreshAll(List<LeaseId> claims, Duration timeout) {
		return ask(claims.get(0).key(), timeout, () -> this.store.refreshAll(claims, timeout));
	}

	@Override
	public List<StoredLock> lookAll(List<LeaseId> claims, Duration timeout) {
		return ask(claims.get(0).key(), timeout, () -> this.store.lookAll(claims, timeout));
	}

	@Override
	public List<StoredLock> findAll(List<String> keys, Duration timeout) {
		return ask(keys.get(0), timeout, () -> this.store.findAll(keys, timeout));
	}

	@Override
	public List<StoredLock> findQueues(List<String> keys, Duration timeout) {
		return ask(keys.get(0), timeout, () -> this.store.findQueues(keys, timeout));
	}

	@Override
	public StoreSubscription watchReleases(ReleaseListener listener) {
		return this.store.watchReleases(listener);
	}

	@Override
	public StoreSubscription watchRecalls(RecallListener listener) {
		return this.store.watchRecalls(listener);
	}

	@Override
	public Optional<StoredLock> find(String key, Duration timeout) {
		return ask(key, timeout, () -> this.store.find(key, timeout));
	}

	@Override
	public Comparator<String> keyOrder() {
		return this.store.keyOrder();
	}

	@Override
	public List<StoredLock> list(String prefix, String after, int most, Duration timeout) {
		return ask("*", timeout, () -> this.store.list(prefix, after, most, timeout));
	}

	@Override
	public LockPage list(LockFilter filter, String after, int most, int scanned, Duration timeout) {
		return ask("*", timeout, () -> this.store.list(filter, after, most, scanned, timeout));
	}

	@Override
	public Optional<InstantSource> localClock() {
		return this.store.localClock();
	}

	@Override
	public StoreServers servers() {
		return this.store.servers();
	}

	private <T> T ask(String key, Duration timeout, Supplier<T> request) {
		Fault fault = this.fault;
		if (!fault.executes()) {
			throw failure(key, Outcome.NOT_EXECUTED, "is down");
		}
		boolean late = fault.delay().compareTo(timeout) > 0;
		pause(key, (late) ? timeout : fault.delay());
		T answer = request.get();
		if (late || !fault.answers()) {
			throw failure(key, Outcome.UNKNOWN, "does not answer");
		}
		return answer;
	}

	private List<String> keysHeld() {
		return this.store.list(10, LONG).stream().map(StoredLock::key).toList();
	}

	private static void pause(String key, Duration delay) {
		try {
			Thread.sleep(delay.toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw failure(key, Outcome.UNKNOWN, "was interrupted");
		}
	}

	private static LockStoreException failure(String key, Outcome outcome, String what) {
		return new LockStoreException(key, outcome,
				"The store of lock '" + key + "' " + what + ", because a test simulates this", null);
	}

	/**
	 * The fate of a request.
	 *
	 * @param executes whether it is executed
	 * @param delay how much longer it takes
	 * @param answers whether the answer arrives
	 */
	private record Fault(boolean executes, Duration delay, boolean answers) {

		private static final Fault NONE = new Fault(true, Duration.ZERO, true);

	}

}
