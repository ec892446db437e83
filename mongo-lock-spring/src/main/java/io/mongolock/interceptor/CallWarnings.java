package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

import io.mongolock.LockContext;
import io.mongolock.LockRequest;

/**
 * Warns once per method of problems that only a call shows. The call waits for its lock
 * on a Reactor thread that must not block, or takes the lock after the snapshot that the
 * lock should protect. Thread-safe.
 */
class CallWarnings {

	private static final Log logger = LogFactory.getLog(CallWarnings.class);

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.scheduler.Schedulers",
			CallWarnings.class.getClassLoader());

	private final BooleanSupplier hasSnapshot;

	private final Set<Method> late = ConcurrentHashMap.newKeySet();

	private final Set<Method> blocking = ConcurrentHashMap.newKeySet();

	/**
	 * Create for one advice.
	 * @param hasSnapshot whether a transaction of this thread reads from a snapshot;
	 * called only inside transactions
	 */
	CallWarnings(BooleanSupplier hasSnapshot) {
		this.hasSnapshot = hasSnapshot;
	}

	void warnIfBlocking(LockedCall call) {
		if (REACTOR && Reactor.isNonBlocking() && this.blocking.add(call.method())) {
			logger.warn("@DistributedLock method " + call + " waits for its lock on " + Thread.currentThread().getName()
					+ ", which is a thread that must not block, because other work on this thread has to wait, too. "
					+ "Call the method on Schedulers.boundedElastic(), for example with "
					+ "Mono.fromCallable(…).subscribeOn(…)");
		}
	}

	/**
	 * Warns because a transaction that has read before the grant still sees the data of
	 * that time.
	 */
	void warnIfLate(LockedCall call, List<LockRequest> requests) {
		if (TransactionSynchronizationManager.isActualTransactionActive() && !this.late.contains(call.method())
				&& this.hasSnapshot.getAsBoolean() && isAnyNew(requests) && this.late.add(call.method())) {
			logger.warn("@DistributedLock method " + call
					+ " takes its lock inside a transaction that has already read. This transaction still sees the "
					+ "data of that time, so it may miss the previous holder's writes. Put @Transactional on the "
					+ "method itself, so that the transaction begins under the lock, or lock the method that begins "
					+ "the transaction");
		}
	}

	// Locks that the thread already holds may be older than the transaction, so they do
	// not count
	private static boolean isAnyNew(List<LockRequest> requests) {
		return requests.stream()
			.anyMatch((request) -> LockContext.find((handle) -> handle.key().equals(request.key())).isEmpty());
	}

	/** Loaded only if Reactor is present. */
	private static final class Reactor {

		private static boolean isNonBlocking() {
			return Schedulers.isInNonBlockingThread();
		}

	}

}
