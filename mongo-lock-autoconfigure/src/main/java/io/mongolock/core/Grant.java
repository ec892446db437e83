package io.mongolock.core;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockHolder;
import io.mongolock.LockRequest;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;

/**
 * A lock as it was granted.
 *
 * @param request what was asked for
 * @param id the key and the token of the attempt
 * @param terms how the lease is held
 * @param holder what the store granted
 * @param requested when the request left that was answered with the grant
 * @param lapsed whose leases had run out
 * @param reserve how many fences above its own the grant set aside
 * @param unknown whether an earlier request of the token may still be executed
 * @param contended whether others stood in line behind it
 * @param content what the store keeps with the lock, if it does
 */
public record Grant(LockRequest request, LeaseId id, ResolvedLockSettings terms, StoredHolder holder,
		ClockReading requested, List<LockHolder> lapsed, int reserve, boolean unknown, boolean contended,
		@Nullable Object content) {

}
