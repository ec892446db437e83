package io.mongolock.test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.KeySpace;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.RenewalAnswer;
import io.mongolock.store.StoredLock;

/**
 * {@link LockStore} in the memory of this JVM, for tests without a server. It gives the
 * same answers, never fails, and has a clock that the test may move. Thread-safe.
 */
public final class InMemoryLockStore implements LockStore {

	// The order of strings in MongoDB
	private static final Comparator<String> BY_BYTES = Comparator
		.comparing((key) -> key.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

	private final NavigableMap<String, ModelDocument> locks = new TreeMap<>(BY_BYTES);

	private final KeySpace keys = new KeySpace("");

	private final InstantSource clock;

	/**
	 * Create a new store with the clock of this machine.
	 */
	public InMemoryLockStore() {
		this(InstantSource.system());
	}

	/**
	 * Create a new store.
	 * @param clock the store's clock
	 */
	public InMemoryLockStore(InstantSource clock) {
		this.clock = clock;
	}

	@Override
	public synchronized ClaimAnswer acquire(Claim claim, Duration timeout) {
		Instant now = now();
		ModelDocument lock = lock(claim.id().key()).claim(claim, now);
		this.locks.put(claim.id().key(), lock);
		return lock.answer(claim, now);
	}

	@Override
	public RenewalAnswer renewAll(List<LeaseId> leases, Map<LeaseId, String> notes, Duration timeout) {
		return RenewalAnswer.of((int) leases.stream()
			.filter((lease) -> change(lease.key(), (lock) -> lock.renew(lease.leaseToken(), notes.get(lease), now())))
			.count());
	}

	@Override
	public synchronized ReleaseAnswer release(LeaseId lease, Duration timeout) {
		boolean awaited = !lock(lease.key()).queue().isEmpty();
		return new ReleaseAnswer(change(lease.key(), (lock) -> lock.release(lease.leaseToken())), awaited);
	}

	@Override
	public int releaseAll(List<LeaseId> leases, Duration timeout) {
		return (int) leases.stream().filter((lease) -> release(lease, timeout).ended()).count();
	}

	@Override
	public int expireAll(Map<LeaseId, Duration> leases, Duration timeout) {
		return (int) leases.entrySet()
			.stream()
			.filter((lease) -> change(lease.getKey().key(),
					(lock) -> lock.expire(lease.getKey().leaseToken(), lease.getValue(), now())))
			.count();
	}

	@Override
	public boolean releaseGrant(LeaseId lease, long fence, Duration timeout) {
		return change(lease.key(), (lock) -> lock.release(lease.leaseToken(), fence));
	}

	@Override
	public boolean requestRelease(LeaseId lease, String reason, String by, Duration timeout) {
		return change(lease.key(), (lock) -> lock.requestRelease(lease.leaseToken(), reason, by, now()));
	}

	@Override
	public int leaveAll(List<LeaseId> claims, Duration timeout) {
		return (int) claims.stream()
			.filter((claim) -> change(claim.key(), (lock) -> lock.leave(claim.leaseToken())))
			.count();
	}

	@Override
	public List<StoredLock> refreshAll(List<LeaseId> claims, Duration timeout) {
		claims.forEach((claim) -> change(claim.key(), (lock) -> lock.refresh(claim.leaseToken(), now())));
		return lookAll(claims, timeout);
	}

	@Override
	public synchronized List<StoredLock> lookAll(List<LeaseId> claims, Duration timeout) {
		Instant now = now();
		return claims.stream()
			.filter((claim) -> this.locks.containsKey(this.keys.toId(claim.key())))
			.map((claim) -> lock(claim.key()).look(claim, now))
			.toList();
	}

	@Override
	public List<StoredLock> findAll(List<String> keys, Duration timeout) {
		return keys.stream().flatMap((key) -> find(key, timeout).stream()).toList();
	}

	@Override
	public synchronized Optional<StoredLock> find(String key, Duration timeout) {
		return Optional.ofNullable(this.locks.get(this.keys.toId(key))).map((lock) -> lock.look(key, now()));
	}

	@Override
	public synchronized List<StoredLock> list(String prefix, String after, int most, Duration timeout) {
		return this.locks.tailMap(after, false)
			.entrySet()
			.stream()
			.filter((lock) -> lock.getKey().startsWith(prefix))
			.map((lock) -> lock.getValue().look(lock.getKey(), now()))
			.filter((lock) -> !lock.liveHolders().isEmpty())
			.limit(Math.max(0, most))
			.toList();
	}

	/**
	 * The fences of all locks that were ever requested, even if they are free.
	 * @return the fences by key, in the order of the keys
	 */
	synchronized Map<String, Long> fences() {
		Map<String, Long> fences = new LinkedHashMap<>();
		this.locks.forEach((key, lock) -> fences.put(key, lock.fence()));
		return fences;
	}

	@Override
	public Optional<InstantSource> localClock() {
		return Optional.of(this.clock);
	}

	/**
	 * Remove a lock with its fence and queue, as the TTL index or an administrator would.
	 * @param key the key
	 */
	public synchronized void delete(String key) {
		this.locks.remove(key);
	}

	/**
	 * Free all locks and queues, regardless of holders and waiters. Fences continue to
	 * rise.
	 */
	public void clear() {
		clear(Set.of());
	}

	/**
	 * Free all locks and queues except for some leases. Fences continue to rise.
	 * @param kept the tokens of leases that stay
	 * @return the locks that had other holders, with those other holders only
	 */
	public synchronized List<StoredLock> clear(Set<String> kept) {
		List<StoredLock> freed = this.locks.entrySet()
			.stream()
			.map((lock) -> lock.getValue().freed(kept).look(lock.getKey(), now()))
			.filter((lock) -> !lock.holders().isEmpty())
			.toList();
		this.locks.replaceAll((key, lock) -> lock.cleared(kept));
		return freed;
	}

	private synchronized boolean change(String key, UnaryOperator<ModelDocument> request) {
		ModelDocument before = lock(key);
		ModelDocument after = request.apply(before);
		if (after == before) {
			return false;
		}
		this.locks.put(key, after);
		return true;
	}

	private ModelDocument lock(String key) {
		return this.locks.getOrDefault(this.keys.toId(key), ModelDocument.NONE);
	}

	private Instant now() {
		// dates of MongoDB have no finer precision
		return this.clock.instant().truncatedTo(ChronoUnit.MILLIS);
	}

}
