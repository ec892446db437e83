package io.mongolock.client;

import java.lang.StackWalker.StackFrame;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HeldLock;
import io.mongolock.store.GrantId;

/**
 * Makes the handles of a client. A handle is for a lock that was just granted, or for a
 * lock that the thread or its transaction already holds. A handle that a caller must
 * close is watched. Thread-safe.
 */
final class LockHandles {

	/**
	 * The maximum number of grants in a place. It is small, because each claim writes the
	 * queue.
	 */
	private static final int MAX_GRANTS = 8;

	/** The maximum size of their keys together, in bytes of UTF-8. */
	private static final int MAX_BYTES = 512;

	private final HoldRegistry holds;

	private final ConfiguredSettings configured;

	private final HandleLeaks leaks;

	/**
	 * Create an instance without handles.
	 * @param leakDetection what to do about handles that are never closed
	 */
	LockHandles(HoldRegistry holds, ConfiguredSettings configured, LeakDetection leakDetection, ThreadFactory watch,
			Supplier<ClientThreads> threads) {
		this.holds = holds;
		this.configured = configured;
		this.leaks = new HandleLeaks(leakDetection, watch,
				(heldLock) -> threads.get().cleanUpAfter(0, () -> holds.leaked(heldLock)));
	}

	/**
	 * Make a handle on a lock. If there is a current transaction, it relies on the lock,
	 * too.
	 * @param heldLock the lock, whose use ends if the handle cannot be made
	 */
	LeaseHandle of(HeldLock heldLock) {
		try {
			TransactionLocks.keep(this.holds, heldLock);
			return new LeaseHandle(heldLock, this.holds);
		}
		catch (RuntimeException | Error ex) {
			this.holds.takeBack(heldLock, ex);
			throw ex;
		}
	}

	/**
	 * The locks that the current thread holds. They end only after the present call of
	 * the thread.
	 */
	Set<HeldLock> own() {
		return ofThread().stream().map(LeaseHandle::heldLock).collect(Collectors.toSet());
	}

	/**
	 * The handles, of any client, that the current thread works under.
	 * @return the handles, the innermost first
	 */
	static List<LeaseHandle> ofThread() {
		List<LeaseHandle> all = new ArrayList<>();
		// The condition adds each handle to the list, and is false for each of them
		LockContext.find((handle) -> handle instanceof LeaseHandle lease && !all.add(lease));
		return all;
	}

	/**
	 * The grants that the current thread holds and cannot end while it waits, because it
	 * works under them or because its transaction keeps them.
	 * @return the grants, the innermost first, and no more than a place in a queue should
	 * have
	 */
	List<GrantId> grants() {
		Set<HeldLock> held = new LinkedHashSet<>();
		ofThread().stream()
			.filter((lease) -> lease.isWorkedUnder(this.holds))
			.forEach((lease) -> held.add(lease.heldLock()));
		held.addAll(TransactionLocks.all(this.holds));
		return (held.isEmpty()) ? List.of() : bounded(held);
	}

	private static List<GrantId> bounded(Set<HeldLock> held) {
		Set<GrantId> grants = new LinkedHashSet<>();
		int bytes = 0;
		for (HeldLock heldLock : held) {
			int size = heldLock.key().getBytes(StandardCharsets.UTF_8).length;
			if (grants.size() < MAX_GRANTS && bytes + size <= MAX_BYTES && grants.add(heldLock.grantId())) {
				bytes += size;
			}
		}
		return List.copyOf(grants);
	}

	/**
	 * Make a further handle on a lock that the thread or its transaction already holds.
	 * @return the handle, or {@code null} if neither holds the lock
	 * @throws io.mongolock.LockLostException if the lock was lost
	 * @throws IllegalStateException if the request allows fewer holders than the hold
	 * does
	 */
	@Nullable LeaseHandle shareOwn(LockRequest request) {
		Optional<LockHandle> own = LockContext
			.find((handle) -> handle instanceof LeaseHandle lease && lease.isFor(this.holds, request.key()));
		HeldLock heldLock = (own.isPresent()) ? ((LeaseHandle) own.get()).heldLock()
				: TransactionLocks.find(this.holds, request.key());
		if (heldLock == null) {
			return null;
		}
		// Another thread may end the last use of the lock meanwhile
		return (heldLock.state().add(this.configured.limit(request), this.holds.now())) ? of(heldLock) : null;
	}

	/**
	 * The place that the current call comes from.
	 */
	@Nullable StackFrame caller() {
		return this.leaks.caller();
	}

	/**
	 * Watch a handle until it is closed.
	 * @param handle the handle; the use of its lock ends if the handle cannot be watched
	 */
	LeaseHandle watch(LeaseHandle handle, @Nullable StackFrame caller) {
		try {
			return this.leaks.watch(handle, caller);
		}
		catch (RuntimeException | Error ex) {
			this.holds.takeBack(handle.heldLock(), ex);
			throw ex;
		}
	}

	/**
	 * Stop watching all handles.
	 */
	void stop() {
		this.leaks.stop();
	}

}
