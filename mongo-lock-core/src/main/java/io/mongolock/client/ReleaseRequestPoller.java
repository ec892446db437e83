package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockStoreException;
import io.mongolock.ReleaseRequest;
import io.mongolock.core.Division;
import io.mongolock.core.Lease;
import io.mongolock.event.LockEvents;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

/**
 * Asks the holders of a lock to release it, and looks for such requests to the holders of
 * this client. It sends no release, because {@link ReleaseSender} does that. Thread-safe:
 * there is only one look at a time. So a slow store occupies only one thread, which also
 * looks at leases that come meanwhile.
 */
final class ReleaseRequestPoller {

	private static final Log logger = LogFactory.getLog(ReleaseRequestPoller.class);

	private final LockStore store;

	private final LockEvents events;

	/** When the next look is due; {@code null} before the first. */
	private volatile @Nullable Long nextLook;

	private final AtomicBoolean looking = new AtomicBoolean();

	/** The leases that a look has yet to cover. */
	private final Set<Lease> wanted = ConcurrentHashMap.newKeySet();

	ReleaseRequestPoller(LockStore store, LockEvents events) {
		this.store = store;
		this.events = events;
	}

	/**
	 * Ask the holders of a lock to release it.
	 * @param timeout how long each request to the store may take
	 */
	int ask(String key, String reason, String by, Duration timeout) {
		if (reason.isBlank() || reason.length() > ReleaseRequest.MAX_REASON) {
			throw new IllegalArgumentException("The reason to release lock '" + key + "' must have 1 to "
					+ ReleaseRequest.MAX_REASON + " characters, but this reason "
					+ ((reason.isBlank()) ? "is blank" : "has " + reason.length() + " characters. Shorten the reason"));
		}
		List<StoredHolder> holders = this.store.find(key, timeout)
			.map((lock) -> lock.holders().stream().filter((holder) -> holder.isAlive(lock.now())).toList())
			.orElse(List.of());
		return (int) holders.stream()
			.filter((holder) -> this.store.requestRelease(new LeaseId(key, holder.leaseToken()), reason, by, timeout))
			.count();
	}

	/**
	 * Look now and then for requests to release locks whose leases were renewed. Renewals
	 * come often, so that leases outlast a failover. Looks need not come as often.
	 * @param now the monotonic time in nanoseconds
	 * @param running whether requests may be sent
	 */
	void renewed(List<Lease> leases, long now, Duration timeout, BooleanSupplier running) {
		Long due = this.nextLook;
		if (due != null && now - due < 0) {
			this.wanted.addAll(leases);
			return;
		}
		this.nextLook = now
				+ leases.stream().mapToLong((lease) -> lease.terms().renewInterval().lookNanos()).min().orElse(0);
		look(leases, timeout, running);
	}

	/**
	 * Look for requests to release locks that were renewed.
	 * @param running whether requests may be sent
	 */
	void look(List<Lease> leases, Duration timeout, BooleanSupplier running) {
		this.wanted.addAll(leases);
		// Check again after each look, because a thread that came during the look left
		// its leases to it
		while (running.getAsBoolean() && !this.wanted.isEmpty() && this.looking.compareAndSet(false, true)) {
			try {
				look(timeout);
			}
			finally {
				this.looking.set(false);
			}
		}
		if (!running.getAsBoolean()) {
			this.wanted.clear();
		}
	}

	private void look(Duration timeout) {
		List<Lease> some = this.wanted.stream().limit(Division.MAX_BATCH).toList();
		some.forEach(this.wanted::remove);
		if (some.isEmpty()) {
			return;
		}
		try {
			Map<LeaseId, Lease> held = some.stream()
				.collect(Collectors.toMap(Lease::id, Function.identity(), (one, other) -> other));
			List<String> keys = held.keySet().stream().map(LeaseId::key).distinct().toList();
			this.store.findAll(keys, timeout).forEach((lock) -> tell(lock, held));
		}
		catch (LockStoreException ex) {
			this.wanted.clear();
			logger.debug("Could not look for requests to release locks. The client tries again after the next renewal",
					ex);
		}
	}

	private void tell(StoredLock lock, Map<LeaseId, Lease> held) {
		for (StoredHolder holder : lock.holders()) {
			ReleaseRequest request = holder.releaseRequest();
			Lease lease = held.get(new LeaseId(lock.key(), holder.leaseToken()));
			if (request != null && lease != null) {
				lease.releaseRequested(request).ifPresent((current) -> this.events.releaseRequested(current, request));
			}
		}
	}

}
