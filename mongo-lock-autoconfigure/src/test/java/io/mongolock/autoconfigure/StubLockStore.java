package io.mongolock.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

/**
 * Grants every claim.
 */
class StubLockStore implements LockStore {

	@Override
	public ClaimAnswer acquire(Claim claim, Duration timeout) {
		Instant now = Instant.now();
		return new ClaimAnswer(List.of(new StoredHolder(claim.id().leaseToken(), now.toEpochMilli() * 1024,
				claim.limit(), claim.owner(), now, now, claim.ttl())), List.of(), List.of(), now);
	}

	@Override
	public boolean renew(LeaseId lease, Duration timeout) {
		return true;
	}

	@Override
	public int renewAll(List<LeaseId> leases, Duration timeout) {
		return leases.size();
	}

	@Override
	public boolean release(LeaseId lease, Duration timeout) {
		return true;
	}

	@Override
	public int releaseAll(List<LeaseId> leases, Duration timeout) {
		return leases.size();
	}

	@Override
	public int expireAll(Map<LeaseId, Duration> leases, Duration timeout) {
		return leases.size();
	}

	@Override
	public boolean releaseGrant(LeaseId lease, long fence, Duration timeout) {
		return true;
	}

	@Override
	public boolean requestRelease(LeaseId lease, String reason, String by, Duration timeout) {
		return false;
	}

	@Override
	public boolean leave(LeaseId claim, Duration timeout) {
		return false;
	}

	@Override
	public int leaveAll(List<LeaseId> claims, Duration timeout) {
		return 0;
	}

	@Override
	public int refreshAll(List<LeaseId> claims, Duration timeout) {
		return 0;
	}

	@Override
	public List<StoredLock> findAll(List<String> keys, Duration timeout) {
		return List.of();
	}

	@Override
	public Optional<StoredLock> find(String key, Duration timeout) {
		return Optional.empty();
	}

	@Override
	public List<StoredLock> list(String prefix, String after, int most, Duration timeout) {
		return List.of();
	}

}
