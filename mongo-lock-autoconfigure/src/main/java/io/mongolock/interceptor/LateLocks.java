package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockContext;
import io.mongolock.LockRequest;

/**
 * Warns of methods whose lock is taken after the snapshot that it should protect, once
 * each: a transaction that has read before the grant goes on seeing what was there then.
 * Thread-safe.
 */
class LateLocks {

	private static final Log logger = LogFactory.getLog(LateLocks.class);

	private final BooleanSupplier hasSnapshot;

	private final Set<Method> warned = ConcurrentHashMap.newKeySet();

	/**
	 * Create a new watch.
	 * @param hasSnapshot whether a transaction of this thread reads from a snapshot
	 */
	LateLocks(BooleanSupplier hasSnapshot) {
		this.hasSnapshot = hasSnapshot;
	}

	void warnIfLate(LockedCall call, List<LockRequest> requests) {
		if (!this.warned.contains(call.method()) && this.hasSnapshot.getAsBoolean() && isAnyNew(requests)
				&& this.warned.add(call.method())) {
			logger.warn("@DistributedLock method " + call
					+ " takes its lock inside a transaction that has read before, and goes on seeing the data as they were "
					+ "then: what the holder before has written may be missing. Put @Transactional on the method itself, "
					+ "which then begins it under the lock, or the lock on the method that begins the transaction");
		}
	}

	// One that the thread holds already was perhaps there before the transaction
	private static boolean isAnyNew(List<LockRequest> requests) {
		return requests.stream()
			.anyMatch((request) -> LockContext.find((handle) -> handle.key().equals(request.key())).isEmpty());
	}

}
