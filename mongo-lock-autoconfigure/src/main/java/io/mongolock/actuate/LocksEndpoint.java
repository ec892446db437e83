package io.mongolock.actuate;

import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.context.ApplicationEventPublisher;

import io.mongolock.LockClock;
import io.mongolock.LockHolder;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.actuate.LockDescriptors.LockDescriptor;
import io.mongolock.actuate.LockDescriptors.LocksDescriptor;
import io.mongolock.actuate.LockDescriptors.ReleasedDescriptor;
import io.mongolock.actuate.LockDescriptors.RequestedDescriptor;
import io.mongolock.core.LocalLease;
import io.mongolock.spi.LockExtension;
import io.mongolock.spi.StoreClient;
import io.mongolock.store.KeyText;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;

/**
 * The endpoint {@code mongolocks}: shows the holders and waiters of locks in all
 * instances, and can release a lock by force. The release must be allowed by
 * {@code management.endpoint.mongolocks.access=unrestricted}. Thread-safe.
 */
@Endpoint(id = "mongolocks", defaultAccess = Access.READ_ONLY)
public class LocksEndpoint {

	/** The type of the audit event of a release by force. */
	public static final String RELEASED_BY_FORCE = "MONGO_LOCK_RELEASED_BY_FORCE";

	/** The type of the audit event of a request to release. */
	public static final String RELEASE_REQUESTED = "MONGO_LOCK_RELEASE_REQUESTED";

	private static final Log logger = LogFactory.getLog(LocksEndpoint.class);

	private final LockSearch search;

	private final Duration timeout;

	private final ApplicationEventPublisher events;

	/**
	 * Create an endpoint.
	 * @param locks the locks of the application; its {@code broken} is called for
	 * releases by force
	 * @param here gives the application's own state of a lease
	 * @param timeout how long each look at the locks may take
	 * @param events publishes releases by force, and requests to release
	 * @param extensions the extensions, which have the locks whose keys begin with their
	 * prefix. A list shows these locks only if the requested prefix begins with the
	 * extension's prefix, because such a list may read whole collections
	 */
	public LocksEndpoint(StoreClient locks, Function<LeaseId, @Nullable LocalLease> here, Duration timeout,
			ApplicationEventPublisher events, LockClock clock, List<LockExtension> extensions) {
		this.search = new LockSearch(locks, here, extensions, timeout, clock);
		this.timeout = timeout;
		this.events = events;
	}

	LockSearch search() {
		return this.search;
	}

	/**
	 * A page of the locks that are held, in the order of their keys.
	 * @param prefix what the keys begin with; all unless given
	 * @param holder what a holder's description contains; any unless given
	 * @param heldFor how long they are held at least, for example {@code 5m}; any time
	 * unless given
	 * @param after the key behind which to begin, {@code next} of the page before
	 * @param limit how many at most, from 1 to 1,000; 100 unless given
	 * @return the locks; fewer, with where to go on, if looking for them took too long
	 */
	@ReadOperation
	public LocksDescriptor locks(@Nullable String prefix, @Nullable String holder, @Nullable String heldFor,
			@Nullable String after, @Nullable Integer limit) {
		return this.search.page(AskedLocks.read(prefix, holder, heldFor), after, limit, true);
	}

	/**
	 * One lock with its holders and those who wait.
	 * @param key the key; may contain slashes
	 * @return the lock, or {@code null} if nobody ever asked for it
	 */
	@ReadOperation
	public @Nullable LockDescriptor lock(@Selector(match = Selector.Match.ALL_REMAINING) String[] key) {
		return this.search.lock(String.join("/", key), true);
	}

	/**
	 * Ask those who hold a lock now to release it, without taking it from them. They hear
	 * of it at their next renewal.
	 * @param key the key; may contain slashes
	 */
	@WriteOperation
	public RequestedDescriptor requestRelease(SecurityContext user,
			@Selector(match = Selector.Match.ALL_REMAINING) String[] key, String reason) {
		return requestRelease(String.join("/", key), reason, nameOf(user));
	}

	RequestedDescriptor requestRelease(String key, @Nullable String why, String by) {
		// A missing reason is refused like an empty one
		String reason = (why != null) ? why : "";
		int asked = this.search.sum(key, (source, stored) -> source.locks().requestRelease(stored, reason, by));
		if (asked > 0) {
			logger.info(KeyText.printable(by) + " asks the holders to release lock '" + KeyText.printable(key) + "', "
					+ "reason: " + KeyText.printable(reason));
			audit(by, RELEASE_REQUESTED, "key=" + key, "asked=" + asked, "reason=" + reason);
		}
		return new RequestedDescriptor(key, asked);
	}

	/**
	 * Take a lock from those who hold it now. Holders in this instance are notified at
	 * once, others at their next renewal, so for up to that long both they and the next
	 * holder believe to hold the lock; only the fence distinguishes them.
	 * @param key the key; may contain slashes
	 * @param reason why, if that is said
	 * @param fence the highest fence that was seen, so that the lock is left to those who
	 * were granted it since; it is taken from all unless given
	 * @return from how many it was taken, or {@code null} if nobody ever asked for it
	 */
	@DeleteOperation
	public @Nullable ReleasedDescriptor release(SecurityContext user,
			@Selector(match = Selector.Match.ALL_REMAINING) String[] key, @Nullable String reason,
			@Nullable Long fence) {
		return release(String.join("/", key), reason, fence, nameOf(user));
	}

	@Nullable ReleasedDescriptor release(String key, @Nullable String reason, @Nullable Long fence, String by) {
		StoredLock lock = this.search.find(key);
		if (lock == null) {
			return null;
		}
		// Release only the holders that were seen, not a holder that gets the lock
		// meanwhile
		List<String> released = new ArrayList<>();
		try {
			for (StoredHolder holder : lock.holders()) {
				if (holder.isAlive(lock.now()) && isMeant(holder, fence)) {
					release(lock, holder, released);
				}
			}
		}
		finally {
			if (!released.isEmpty()) {
				released(key, String.join("; ", released), (reason != null) ? reason : "none given", by);
			}
		}
		return new ReleasedDescriptor(key, released.size());
	}

	private static boolean isMeant(StoredHolder holder, @Nullable Long fence) {
		return fence == null || holder.fence() <= fence;
	}

	private void release(StoredLock lock, StoredHolder holder, List<String> released) {
		String whom = holder.owner() + ", fence " + holder.fence();
		try {
			if (this.search.any(lock.key(), (source, stored) -> release(source,
					new LeaseId(stored, holder.leaseToken()), holder.toHolder(lock.now())))) {
				released.add(whom);
			}
		}
		catch (LockStoreException ex) {
			if (ex.getOutcome() == Outcome.UNKNOWN) {
				released.add(whom + " (this holder may still have the lock, because MongoDB gave no answer)");
			}
			throw ex;
		}
	}

	private boolean release(StoreClient source, LeaseId id, LockHolder holder) {
		boolean ended = source.store().release(id, this.timeout).ended();
		if (ended) {
			source.broken().accept(id.key(), holder);
		}
		return ended;
	}

	private void released(String key, String holders, String reason, String by) {
		// Logged, because most applications have no repository of audit events
		logger.warn(KeyText.printable(by) + " released lock '" + KeyText.printable(key) + "' by force, reason: "
				+ KeyText.printable(reason) + ". The lock was held by " + holders);
		audit(by, RELEASED_BY_FORCE, "key=" + key, "holders=" + holders, "reason=" + reason);
	}

	// Events are published on this thread. A listener's exception must not hide the
	// result of the operation or its failure
	private void audit(String by, String type, String... data) {
		AuditEvent event = new AuditEvent(by, type, data);
		try {
			this.events.publishEvent(new AuditApplicationEvent(event));
		}
		catch (RuntimeException ex) {
			logger.error(
					"This action was not audited, because a listener failed: " + KeyText.printable(event.toString()),
					ex);
		}
	}

	static String nameOf(SecurityContext user) {
		Principal principal = user.getPrincipal();
		return (principal != null) ? principal.getName() : "anonymous";
	}

}
