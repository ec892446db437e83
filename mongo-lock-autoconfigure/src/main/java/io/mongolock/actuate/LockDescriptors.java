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
 * The answers of the endpoint. They never contain tokens, because anybody with a token
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
	 * A page of held locks.
	 *
	 * @param locks the locks, in the order of their keys
	 * @param next the value of {@code after} for the next page, {@code null} at the end
	 * @param scanned the number of locks that were searched, if the search ended before
	 * it had found as many locks as requested, or all; {@code null} otherwise
	 */
	public record LocksDescriptor(List<LockDescriptor> locks, @Nullable String next,
			@Nullable Integer scanned) implements OperationResponseBody {

	}

	/**
	 * One lock.
	 *
	 * @param key the key
	 * @param fence the highest fence given out
	 * @param holders the holders
	 * @param waiting the waiters in the order of arrival; one place for each instance
	 * that waits and does not hold the lock itself
	 * @param waitingHere the number of attempts of this application that wait
	 * @param previous the holders at the last grant that are no longer holders: their
	 * leases ran out, or were shared
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

		// A holder that shares the lock is in both lists
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
	 * @param owner the description for people: application, instance, host, process and
	 * thread
	 * @param instance only the application and the instance
	 * @param fence the fence of the grant
	 * @param limit how many may hold the lock together with this one
	 * @param acquiredAt when the lock was granted, by the server's clock
	 * @param heldFor how long the lock has been held
	 * @param remaining how long the lease still runs unless renewed
	 * @param ttl how long the lease runs after a renewal
	 * @param releaseRequest the request to release the lock, if there is one
	 * @param mayBeIdle whether another instance may keep the lease although the lock is
	 * not held there; {@code false} after a recall
	 * @param idleSince since when this instance keeps the lease although the lock is not
	 * held, by the server's clock; {@code null} for leases in use, and for leases of
	 * other instances
	 * @param note the holder's note on its work, empty if there is none
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
	 * @param owner the description for people: application, instance, host, process and
	 * thread
	 * @param instance only the application and the instance
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
	 * @param owner the description for people: application, instance, host, process and
	 * thread
	 * @param instance only the application and the instance
	 * @param fence the fence of the grant
	 * @param acquiredAt when the lock was granted, by the server's clock
	 * @param renewedAt when the lease was last renewed
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
	 * @param asked the number of holders that were asked
	 */
	public record RequestedDescriptor(String key, int asked) implements OperationResponseBody {

	}

	/**
	 * A lock that was released by force.
	 *
	 * @param key the key
	 * @param released the number of holders from which the lock was taken
	 */
	public record ReleasedDescriptor(String key, int released) implements OperationResponseBody {

	}

	/**
	 * The store does not answer, or the request is wrong.
	 *
	 * @param error the reason. Users who may not see owners do not get the details of a
	 * store's failure
	 */
	public record ErrorDescriptor(String error) implements OperationResponseBody {

	}

}
