package io.mongolock.test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
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

	public StoreLog upTo(int length) {
		StoreLog log = new StoreLog();
		for (Write write : this.writes.subList(0, length)) {
			log.writes.add(write);
			log.locks.put(write.key(), write.lock());
		}
		return log;
	}

	public int length() {
		return this.writes.size();
	}

	// Stands for the last write in remembers
	public Object last() {
		return this.writes.get(this.writes.size() - 1);
	}

	// Whether no failover forgot the write that was the last one at that length
	public boolean remembers(int length, Object write) {
		return length <= this.writes.size() && this.writes.get(length - 1) == write;
	}

	// In the order the store made them
	public List<Grant> grants() {
		List<Grant> grants = new ArrayList<>();
		for (Write write : this.writes) {
			if (write.grant() != null) {
				grants.add(write.grant());
			}
		}
		return grants;
	}

	public @Nullable Grant grantSince(int before) {
		return (this.writes.size() != before) ? this.writes.get(this.writes.size() - 1).grant() : null;
	}

	public ClaimAnswer claim(Claim claim, Instant now) {
		ModelDocument before = lock(claim.id().key());
		ModelDocument after = before.claim(claim, now);
		boolean granted = after.fence() != before.fence();
		write(claim.id().key(), before, after, (granted) ? new Grant(claim.id().key(), claim.id().leaseToken(),
				after.holders().get(after.holders().size() - 1).fence()) : null);
		return after.answer(claim, now);
	}

	// Statements on what is there say whether they changed it
	public boolean renew(LeaseId lease, Instant now) {
		return change(lease.key(), (lock) -> lock.renew(lease.leaseToken(), null, now));
	}

	public boolean release(LeaseId lease) {
		return change(lease.key(), (lock) -> lock.release(lease.leaseToken()));
	}

	// A release of a lock that has to stay taken for a while
	public boolean expire(LeaseId lease, Duration ttl, Instant now) {
		return change(lease.key(), (lock) -> lock.expire(lease.leaseToken(), ttl, now));
	}

	public boolean releaseGrant(LeaseId lease, long fence) {
		return change(lease.key(), (lock) -> lock.release(lease.leaseToken(), fence));
	}

	// Of a place in the queue
	public boolean refresh(LeaseId claim, Instant now) {
		return change(claim.key(), (lock) -> lock.refresh(claim.leaseToken(), now));
	}

	public boolean leave(LeaseId claim) {
		return change(claim.key(), (lock) -> lock.leave(claim.leaseToken()));
	}

	// As one who waits sees it
	public StoredLock look(LeaseId claim, Instant now) {
		return lock(claim.key()).look(claim, now);
	}

	public StoredLock look(String key, Instant now) {
		return lock(key).look(key, now);
	}

	// As the TTL index does
	public boolean collect(String key, Instant untouchedSince) {
		ModelDocument before = lock(key);
		boolean collects = before != ModelDocument.NONE && before.touchedAt().isBefore(untouchedSince);
		return collects && write(key, before, ModelDocument.NONE, null);
	}

	// As an administrator does
	public boolean delete(String key) {
		ModelDocument before = lock(key);
		return before != ModelDocument.NONE && write(key, before, ModelDocument.NONE, null);
	}

	public boolean isAlive(LeaseId id, Instant now) {
		for (StoredHolder holder : lock(id.key()).holders()) {
			if (holder.leaseToken().equals(id.leaseToken())) {
				return holder.isAlive(now);
			}
		}
		return false;
	}

	// Those included whose lease ran out
	public Set<String> holders(String key) {
		return lock(key).holders().stream().map(StoredHolder::leaseToken).collect(Collectors.toUnmodifiableSet());
	}

	private boolean change(String key, UnaryOperator<ModelDocument> change) {
		ModelDocument before = lock(key);
		return write(key, before, change.apply(before), null);
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

	public record Grant(String key, String token, long fence) {

	}

	private record Write(String key, ModelDocument lock, @Nullable Grant grant) {

	}

}
