package io.mongolock.test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

/**
 * What one primary knows: its writes in order, and the locks that they add up to. A
 * failover is the same log with its last writes forgotten.
 */
public final class StoreLog {

	private final List<Write> writes = new ArrayList<>();

	private final Map<String, ModelDocument> locks = new HashMap<>();

	/**
	 * The log as it was.
	 * @param length how many of its writes survive
	 * @return a copy
	 */
	public StoreLog upTo(int length) {
		StoreLog log = new StoreLog();
		for (Write write : this.writes.subList(0, length)) {
			log.writes.add(write);
			log.locks.put(write.key(), write.lock());
		}
		return log;
	}

	/**
	 * How many writes it has.
	 * @return the number
	 */
	public int length() {
		return this.writes.size();
	}

	/**
	 * The last write, for {@link #remembers}.
	 * @return something that stands for it
	 */
	public Object last() {
		return this.writes.get(this.writes.size() - 1);
	}

	/**
	 * Whether a write is still there.
	 * @param length the length of the log after it
	 * @param write what stands for it
	 * @return whether no failover forgot it
	 */
	public boolean remembers(int length, Object write) {
		return length <= this.writes.size() && this.writes.get(length - 1) == write;
	}

	/**
	 * The grants in the order the store made them, those forgotten left out.
	 * @return for each its key, token and fence
	 */
	public List<Grant> grants() {
		List<Grant> grants = new ArrayList<>();
		for (Write write : this.writes) {
			if (write.grant() != null) {
				grants.add(write.grant());
			}
		}
		return grants;
	}

	/**
	 * The grant that the last write made.
	 * @param before the length of the log before
	 * @return the grant, or {@code null} if nothing was written since or it granted
	 * nothing
	 */
	public @Nullable Grant grantSince(int before) {
		return (this.writes.size() != before) ? this.writes.get(this.writes.size() - 1).grant() : null;
	}

	/**
	 * Execute a claim.
	 * @param claim the claim
	 * @param now the store's time
	 * @return the answer
	 */
	public ClaimAnswer claim(Claim claim, Instant now) {
		ModelDocument before = lock(claim.id().key());
		ModelDocument after = before.claim(claim, now);
		boolean granted = after.fence() != before.fence();
		write(claim.id().key(), before, after, (granted)
				? new Grant(claim.id().key(), claim.id().leaseToken(), after.fence() - claim.reserve()) : null);
		return new ClaimAnswer(after.holders(), after.queue(), after.previous(), now);
	}

	/**
	 * Execute a renewal.
	 * @param lease what to renew
	 * @param now the store's time
	 * @return whether it was there
	 */
	public boolean renew(LeaseId lease, Instant now) {
		ModelDocument before = lock(lease.key());
		return write(lease.key(), before, before.renew(lease.leaseToken(), now), null);
	}

	/**
	 * Execute a release.
	 * @param lease what to release
	 * @return whether it was there
	 */
	public boolean release(LeaseId lease) {
		ModelDocument before = lock(lease.key());
		return write(lease.key(), before, before.release(lease.leaseToken()), null);
	}

	/**
	 * Execute a release of a lock that has to stay taken for a while.
	 * @param lease what to release
	 * @param ttl for how long
	 * @param now the store's time
	 * @return whether it was there
	 */
	public boolean expire(LeaseId lease, Duration ttl, Instant now) {
		ModelDocument before = lock(lease.key());
		return write(lease.key(), before, before.expire(lease.leaseToken(), ttl, now), null);
	}

	/**
	 * Execute a release of one grant.
	 * @param lease what to release
	 * @param fence the number of the grant
	 * @return whether it was there
	 */
	public boolean releaseGrant(LeaseId lease, long fence) {
		ModelDocument before = lock(lease.key());
		return write(lease.key(), before, before.release(lease.leaseToken(), fence), null);
	}

	/**
	 * Execute a refresh of a place in line.
	 * @param claim whose place
	 * @param now the store's time
	 * @return whether it was there
	 */
	public boolean refresh(LeaseId claim, Instant now) {
		ModelDocument before = lock(claim.key());
		return write(claim.key(), before, before.refresh(claim.leaseToken(), now), null);
	}

	/**
	 * Execute a leave.
	 * @param claim whose place to leave
	 * @return whether it was there
	 */
	public boolean leave(LeaseId claim) {
		ModelDocument before = lock(claim.key());
		return write(claim.key(), before, before.leave(claim.leaseToken()), null);
	}

	/**
	 * Look at a lock.
	 * @param key the key
	 * @param now the store's time
	 * @return the lock
	 */
	public StoredLock look(String key, Instant now) {
		ModelDocument lock = lock(key);
		return new StoredLock(key, lock.holders(), lock.queue(), lock.previous(), lock.fence(), now);
	}

	/**
	 * Remove a lock that was not touched for long, as the TTL index does.
	 * @param key the key
	 * @param untouchedSince it is removed if touched before
	 * @return whether it was removed
	 */
	public boolean collect(String key, Instant untouchedSince) {
		ModelDocument before = lock(key);
		boolean collects = before != ModelDocument.NONE && before.touchedAt().isBefore(untouchedSince);
		return collects && write(key, before, ModelDocument.NONE, null);
	}

	/**
	 * Whether a lease runs.
	 * @param id the lease
	 * @param now the store's time
	 * @return whether it is there and has not run out
	 */
	public boolean isAlive(LeaseId id, Instant now) {
		for (StoredHolder holder : lock(id.key()).holders()) {
			if (holder.leaseToken().equals(id.leaseToken())) {
				return holder.isAlive(now);
			}
		}
		return false;
	}

	/**
	 * Who stands in a lock.
	 * @param key the key
	 * @return the tokens, those included whose lease ran out
	 */
	public Set<String> holders(String key) {
		return lock(key).holders().stream().map(StoredHolder::leaseToken).collect(Collectors.toUnmodifiableSet());
	}

	private ModelDocument lock(String key) {
		return this.locks.getOrDefault(key, ModelDocument.NONE);
	}

	private boolean write(String key, ModelDocument before, ModelDocument after, @Nullable Grant grant) {
		if (after == before) {
			return false;
		}
		this.locks.put(key, after);
		this.writes.add(new Write(key, after, grant));
		return true;
	}

	/**
	 * A grant.
	 *
	 * @param key what was granted
	 * @param token to whom
	 * @param fence its number
	 */
	public record Grant(String key, String token, long fence) {

	}

	private record Write(String key, ModelDocument lock, @Nullable Grant grant) {

	}

}
