package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredLock;

/**
 * PLACEHOLDER until the store is merged.
 */
public final class MongoLockStore implements LockStore {

	public MongoLockStore(MongoOperations template, String collection, String keyPrefix) {
	}

	@Override
	public ClaimAnswer acquire(Claim claim, Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean renew(LeaseId lease, Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public int renewAll(List<LeaseId> leases, Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean release(LeaseId lease, Durability durability, Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public boolean leave(LeaseId claim, Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Optional<StoredLock> find(String key, Duration timeout) {
		throw new UnsupportedOperationException();
	}

	@Override
	public List<StoredLock> list(int most, Duration timeout) {
		throw new UnsupportedOperationException();
	}

}
