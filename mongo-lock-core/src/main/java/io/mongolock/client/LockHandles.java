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
 * Makes the handles of a client: those on a lock just granted, further ones on what the
 * thread or its transaction holds already, and those that are watched, because somebody
 * has to close them. Thread-safe.
 */
final class LockHandles {

	/** A place in a queue has so many at most, as each claim writes the queue. */
	private static final int MAX_GRANTS = 8;

	/** Their keys together, in UTF-8. */
	private static final int MAX_BYTES = 512;

	private final HoldRegistry holds;

	private final ConfiguredSettings configured;

	private final HandleLeaks leaks;

	/**
	 * Create without handles.
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
	 * A handle on a lock, which the current transaction relies on as well, if any.
	 * @param heldLock the lock, released if there can be no handle
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
	 * What the current thread holds, and so ends only after what it does now.
	 */
	Set<HeldLock> own() {
		return ofThread().stream().map(LeaseHandle::heldLock).collect(Collectors.toSet());
	}

	/**
	 * The handles, of any client, that the current thread works under.
	 * @return innermost first
	 */
	static List<LeaseHandle> ofThread() {
		List<LeaseHandle> all = new ArrayList<>();
		// Takes all, so finds none
		LockContext.find((handle) -> handle instanceof LeaseHandle lease && !all.add(lease));
		return all;
	}

	/**
	 * The grants that the current thread holds, and cannot end while it waits: those that
	 * it works under, and those that its transaction keeps.
	 * @return innermost first, and no more than a place in a queue should have
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
	 * A further handle on a lock that the thread or its transaction holds already.
	 * @return the handle, or {@code null} if neither holds it
	 * @throws io.mongolock.LockLostException if the lock was lost
	 * @throws IllegalStateException if the lock is held together with others and the
	 * request does not allow that
	 */
	@Nullable LeaseHandle shareOwn(LockRequest request) {
		Optional<LockHandle> own = LockContext
			.find((handle) -> handle instanceof LeaseHandle lease && lease.isFor(this.holds, request.key()));
		HeldLock heldLock = (own.isPresent()) ? ((LeaseHandle) own.get()).heldLock()
				: TransactionLocks.find(this.holds, request.key());
		if (heldLock == null) {
			return null;
		}
		// Another thread may let go of it meanwhile
		return (heldLock.state().add(this.configured.limit(request), this.holds.now())) ? of(heldLock) : null;
	}

	/**
	 * Where the current call comes from.
	 */
	@Nullable StackFrame caller() {
		return this.leaks.caller();
	}

	/**
	 * Watch a handle until it is closed.
	 * @param handle the handle, closed if it cannot be watched
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
	 * Watch no handle any more.
	 */
	void stop() {
		this.leaks.stop();
	}

}
