package io.mongolock.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizableData;

import io.mongolock.LockHolder;
import io.mongolock.LockOwner;
import io.mongolock.ReleaseRequest;
import io.mongolock.core.LocalLease;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

/**
 * The answers of the endpoint. Tokens are never part of them, because anybody who has one
 * can release the lock.
 */
public final class LockDescriptors {

	private LockDescriptors() {
	}

	private static String shown(Object value, boolean owners) {
		return (owners) ? value.toString() : SanitizableData.SANITIZED_VALUE;
	}

	private static String instanceOf(LockOwner owner) {
		return (owner.application() + " " + owner.instance()).trim();
	}

	/**
	 * Locks that are held.
	 *
	 * @param locks the locks, in the order of their keys
	 * @param next what to ask for as {@code after} to go on, {@code null} at the end
	 * @param scanned among how many there are no more, if the look for them ended before
	 * it had found as many as were asked for, or all; {@code null} otherwise
	 */
	public record LocksDescriptor(List<LockDescriptor> locks, @Nullable String next,
			@Nullable Integer scanned) implements OperationResponseBody {

	}

	/**
	 * One lock.
	 *
	 * @param key the key
	 * @param fence the highest number given out
	 * @param holders who holds it
	 * @param waiting who waits, first come first; one place for each instance that waits
	 * and does not hold the lock itself
	 * @param waitingHere how many wait in this application
	 * @param previous who held it when it was last granted and does no more: the lease
	 * ran out, or was shared
	 */
	public record LockDescriptor(String key, long fence, List<HolderDescriptor> holders, List<WaiterDescriptor> waiting,
			int waitingHere, List<PreviousDescriptor> previous) implements OperationResponseBody {

		static LockDescriptor of(StoredLock lock, int waitingHere, Function<LeaseId, @Nullable LocalLease> here,
				boolean owners) {
			List<HolderDescriptor> holders = lock.holders()
				.stream()
				.filter((holder) -> holder.isAlive(lock.now()))
				.map((holder) -> HolderDescriptor.of(holder, lock,
						here.apply(new LeaseId(lock.key(), holder.leaseToken())), owners))
				.toList();
			List<WaiterDescriptor> waiting = lock.queue()
				.stream()
				.filter((waiter) -> waiter.isAlive(lock.now()))
				.map((waiter) -> WaiterDescriptor.of(waiter, owners))
				.toList();
			return new LockDescriptor(lock.key(), lock.fence(), holders, waiting, waitingHere, previous(lock, owners));
		}

		// A holder that shares the lock is in both
		private static List<PreviousDescriptor> previous(StoredLock lock, boolean owners) {
			Set<String> holding = lock.holders().stream().map(StoredHolder::leaseToken).collect(Collectors.toSet());
			return lock.previous()
				.stream()
				.filter((holder) -> !holding.contains(holder.leaseToken()) && !holder.kept())
				.map((holder) -> PreviousDescriptor.of(holder, owners))
				.toList();
		}

	}

	/**
	 * A holder of a lock.
	 *
	 * @param owner as people know them, application, instance, host, process and thread
	 * @param instance application and instance alone
	 * @param fence the number of the grant
	 * @param limit how many may hold the lock together with this one
	 * @param acquiredAt when it was granted, by the server's clock
	 * @param heldFor how long it has been held
	 * @param remaining how long its lease still runs unless renewed
	 * @param ttl how long its lease runs from a renewal on
	 * @param releaseRequest who asks it to release the lock, if anyone
	 * @param mayBeIdle whether another instance may keep the lease though nobody holds
	 * the lock there; it no longer may once others have recalled it
	 * @param idleSince since when this instance keeps the lease though nobody holds the
	 * lock, by the server's clock; {@code null} for leases in use, and for leases of
	 * other instances
	 * @param note what the holder does, empty if it did not say
	 */
	public record HolderDescriptor(String owner, String instance, long fence, int limit, Instant acquiredAt,
			Duration heldFor, Duration remaining, Duration ttl, @Nullable ReleaseRequest releaseRequest,
			boolean mayBeIdle, @Nullable Instant idleSince, String note) {

		static HolderDescriptor of(StoredHolder stored, StoredLock lock, @Nullable LocalLease here, boolean owners) {
			Duration idleFor = (here != null) ? here.idleFor() : null;
			LockHolder holder = stored.toHolder(lock.now());
			return new HolderDescriptor(LockDescriptors.shown(holder.owner(), owners),
					LockDescriptors.shown(instanceOf(holder.owner()), owners), holder.fence(), stored.limit(),
					holder.acquiredAt(), holder.heldFor(), holder.remaining(), stored.ttl(),
					shown(stored.releaseRequest(), owners), here == null && stored.mayBeIdle(lock.recalled()),
					(idleFor != null) ? lock.now().minus(idleFor) : null,
					(holder.note().isEmpty()) ? "" : LockDescriptors.shown(holder.note(), owners));
		}

		private static @Nullable ReleaseRequest shown(@Nullable ReleaseRequest request, boolean owners) {
			return (request == null || owners) ? request
					: new ReleaseRequest(request.reason(), SanitizableData.SANITIZED_VALUE, request.at());
		}

	}

	/**
	 * A waiter for a lock.
	 *
	 * @param owner as people know them, application, instance, host, process and thread
	 * @param instance application and instance alone
	 * @param limit how many may hold the lock together with this one
	 */
	public record WaiterDescriptor(String owner, String instance, int limit) {

		static WaiterDescriptor of(StoredWaiter waiter, boolean owners) {
			return new WaiterDescriptor(shown(waiter.owner(), owners), shown(instanceOf(waiter.owner()), owners),
					waiter.limit());
		}

	}

	/**
	 * A previous holder of a lock.
	 *
	 * @param owner as people know them, application, instance, host, process and thread
	 * @param instance application and instance alone
	 * @param fence the number of the grant
	 * @param acquiredAt when it was granted, by the server's clock
	 * @param renewedAt when it was last renewed
	 */
	public record PreviousDescriptor(String owner, String instance, long fence, Instant acquiredAt, Instant renewedAt) {

		static PreviousDescriptor of(StoredHolder holder, boolean owners) {
			return new PreviousDescriptor(shown(holder.owner(), owners), shown(instanceOf(holder.owner()), owners),
					holder.fence(), holder.acquiredAt(), holder.renewedAt());
		}

	}

	/**
	 * A lock whose holders were asked to release it.
	 *
	 * @param key the key
	 * @param asked how many holders
	 */
	public record RequestedDescriptor(String key, int asked) implements OperationResponseBody {

	}

	/**
	 * A lock that was released by force.
	 *
	 * @param key the key
	 * @param released from how many holders it was taken
	 */
	public record ReleasedDescriptor(String key, int released) implements OperationResponseBody {

	}

	/**
	 * The store does not answer, or the request is wrong.
	 *
	 * @param error why; of the store no more than that to those who may not see owners
	 */
	public record ErrorDescriptor(String error) implements OperationResponseBody {

	}

}
