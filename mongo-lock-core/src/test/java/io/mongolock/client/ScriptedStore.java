package io.mongolock.client;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.RenewalAnswer;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

/**
 * A store that keeps exclusive locks without any expiry, writes down its requests, and
 * handles the next ones as a test has said beforehand.
 */
public class ScriptedStore implements LockStore {

	private final Map<String, StoredHolder> holders = new ConcurrentHashMap<>();

	private final AtomicLong fence = new AtomicLong();

	private final Map<String, ConcurrentLinkedQueue<Consumer<Runnable>>> scripts = new ConcurrentHashMap<>();

	private volatile @Nullable Claim lastClaim;

	/** How long released locks have to stay taken; they do so until forgotten. */
	final Map<String, Duration> kept = new ConcurrentHashMap<>();

	final List<String> requests = new CopyOnWriteArrayList<>();

	/**
	 * Have the next request of a kind handled otherwise.
	 * @param kind acquire, renew, release or find
	 */
	void next(String kind, Consumer<Runnable> script) {
		this.scripts.computeIfAbsent(kind, (same) -> new ConcurrentLinkedQueue<>()).add(script);
	}

	/**
	 * Have the next request of a kind fail.
	 * @param kind acquire, renew, release or find
	 */
	void nextFails(String kind, Outcome outcome, boolean runs) {
		next(kind, (request) -> {
			if (runs) {
				request.run();
			}
			throw new LockStoreException("k", outcome, kind + " failed by script", null);
		});
	}

	Optional<StoredHolder> holder(String key) {
		return Optional.ofNullable(this.holders.get(key));
	}

	int holders() {
		return this.holders.size();
	}

	Claim lastClaim() {
		return Objects.requireNonNull(this.lastClaim);
	}

	public void forget(String key) {
		this.holders.remove(key);
	}

	long count(String kind) {
		return this.requests.stream().filter((request) -> request.startsWith(kind)).count();
	}

	@Override
	public ClaimAnswer acquire(Claim claim, Duration timeout) {
		this.lastClaim = claim;
		run("acquire", claim.id(), () -> {
			Instant now = Instant.now();
			this.holders.computeIfAbsent(claim.id().key(),
					(key) -> new StoredHolder(claim.id().leaseToken(),
							this.fence.addAndGet(1 + claim.reserve()) - claim.reserve(), claim.limit(), claim.owner(),
							now, now, claim.ttl()));
		});
		StoredHolder holder = this.holders.get(claim.id().key());
		return new ClaimAnswer(new StoredLock(claim.id().key(), (holder != null) ? List.of(holder) : List.of(),
				List.of(), List.of(), this.fence.get(), Instant.now()));
	}

	@Override
	public RenewalAnswer renewAll(List<LeaseId> leases, Map<LeaseId, String> notes, Duration timeout) {
		run("renew", leases.get(0), () -> {
		});
		return RenewalAnswer.of((int) leases.stream().filter(this::isThere).count());
	}

	@Override
	public ReleaseAnswer release(LeaseId lease, Duration timeout) {
		return new ReleaseAnswer(release("release", lease, isThere(lease)), false);
	}

	@Override
	public void confirmReleases(Duration timeout) {
		run("confirm", new LeaseId("releases", ""), () -> {
		});
	}

	@Override
	public int releaseAll(List<LeaseId> leases, Duration timeout) {
		requireSendable(timeout);
		List<LeaseId> there = leases.stream().filter(this::isThere).toList();
		run("release all " + leases.size() + " from", leases.get(0),
				() -> there.forEach((lease) -> this.holders.remove(lease.key())));
		return there.size();
	}

	@Override
	public int expireAll(Map<LeaseId, Duration> leases, Duration timeout) {
		List<LeaseId> there = leases.keySet().stream().filter(this::isThere).toList();
		run("expire", leases.keySet().iterator().next(),
				() -> there.forEach((lease) -> this.kept.put(lease.key(), leases.get(lease))));
		return there.size();
	}

	@Override
	public boolean releaseGrant(LeaseId lease, long fence, Duration timeout) {
		return release("release grant", lease, isThere(lease) && this.holders.get(lease.key()).fence() == fence);
	}

	private boolean release(String kind, LeaseId lease, boolean isThere) {
		boolean[] ended = new boolean[1];
		run(kind, lease, () -> {
			ended[0] = isThere;
			this.holders.computeIfPresent(lease.key(), (key, holder) -> (ended[0]) ? null : holder);
		});
		return ended[0];
	}

	@Override
	public boolean requestRelease(LeaseId lease, String reason, String by, Duration timeout) {
		return false;
	}

	@Override
	public int leaveAll(List<LeaseId> claims, Duration timeout) {
		return 0;
	}

	@Override
	public List<StoredLock> refreshAll(List<LeaseId> claims, Duration timeout) {
		return List.of();
	}

	@Override
	public List<StoredLock> findAll(List<String> keys, Duration timeout) {
		return List.of();
	}

	@Override
	public List<StoredLock> findQueues(List<String> keys, Duration timeout) {
		run("queues", new LeaseId(String.join(",", keys), ""), () -> {
		});
		return List.of();
	}

	@Override
	public Optional<StoredLock> find(String key, Duration timeout) {
		AtomicReference<@Nullable StoredHolder> found = new AtomicReference<>();
		run("find", new LeaseId(key, ""), () -> found.set(this.holders.get(key)));
		return Optional.ofNullable(found.get())
			.map((holder) -> new StoredLock(key, List.of(holder), List.of(), List.of(), holder.fence(),
					holder.renewedAt()));
	}

	@Override
	public List<StoredLock> list(String prefix, String after, int most, Duration timeout) {
		return List.of();
	}

	// The driver refuses what is negative, and the server more milliseconds than an int
	private static void requireSendable(Duration timeout) {
		if (timeout.isNegative() || timeout.toMillis() > Integer.MAX_VALUE) {
			throw new IllegalArgumentException("timeout " + timeout);
		}
	}

	private boolean isThere(LeaseId lease) {
		return holder(lease.key()).filter((holder) -> holder.leaseToken().equals(lease.leaseToken())).isPresent();
	}

	private void run(String kind, LeaseId lease, Runnable request) {
		this.requests.add(kind + " " + lease.key() + " on " + Thread.currentThread().getName());
		ConcurrentLinkedQueue<Consumer<Runnable>> queue = this.scripts.get(kind.split(" ")[0]);
		Consumer<Runnable> script = (queue != null) ? queue.poll() : null;
		if (script != null) {
			script.accept(request);
		}
		else {
			request.run();
		}
	}

}
