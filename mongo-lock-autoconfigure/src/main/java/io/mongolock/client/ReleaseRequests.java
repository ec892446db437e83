package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockStoreException;
import io.mongolock.ReleaseRequest;
import io.mongolock.core.Lease;
import io.mongolock.event.RenewalEvents;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

/**
 * Asks holders to release their locks, and looks whether those of this client are asked.
 * Thread-safe: one look at a time, so that a store that is slow to answer occupies one
 * thread; what comes meanwhile is looked at after the next renewal.
 */
final class ReleaseRequests {

	private static final Log logger = LogFactory.getLog(ReleaseRequests.class);

	private final LockStore store;

	private final RenewalEvents events;

	private final AtomicBoolean looking = new AtomicBoolean();

	ReleaseRequests(LockStore store, RenewalEvents events) {
		this.store = store;
		this.events = events;
	}

	/**
	 * Ask the holders of a lock to release it.
	 * @param timeout how long each request to the store may take
	 */
	int ask(String key, String reason, String by, Duration timeout) {
		if (reason.isBlank() || reason.length() > ReleaseRequest.MAX_REASON) {
			throw new IllegalArgumentException("A reason to release lock '" + key + "' of " + reason.length()
					+ " characters: say in 1 to " + ReleaseRequest.MAX_REASON + " why");
		}
		List<StoredHolder> holders = this.store.find(key, timeout)
			.map((lock) -> lock.holders().stream().filter((holder) -> holder.isAlive(lock.now())).toList())
			.orElse(List.of());
		return (int) holders.stream()
			.filter((holder) -> this.store.requestRelease(new LeaseId(key, holder.leaseToken()), reason, by, timeout))
			.count();
	}

	/**
	 * Look whether anybody asks to release locks that were just renewed.
	 */
	void look(List<Lease> leases, Duration timeout) {
		if (!this.looking.compareAndSet(false, true)) {
			return;
		}
		try {
			Map<LeaseId, Lease> held = leases.stream()
				.collect(Collectors.toMap(Lease::id, Function.identity(), (one, other) -> other));
			List<String> keys = held.keySet().stream().map(LeaseId::key).distinct().toList();
			this.store.findAll(keys, timeout).forEach((lock) -> tell(lock, held));
		}
		catch (LockStoreException ex) {
			logger.debug("It is unknown whether somebody asks to release locks; looked again after the next renewal",
					ex);
		}
		finally {
			this.looking.set(false);
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
