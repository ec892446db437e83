package io.mongolock.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizableData;

import io.mongolock.LockHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

/**
 * What the endpoint answers. Tokens are never part of it, as whoever has one can release
 * the lock.
 */
public final class LockDescriptors {

	private LockDescriptors() {
	}

	private static String shown(Object owner, boolean owners) {
		return (owners) ? owner.toString() : SanitizableData.SANITIZED_VALUE;
	}

	/**
	 * Locks that are held.
	 *
	 * @param locks the locks, in the order of their keys
	 * @param next what to ask for as {@code after} to go on, {@code null} at the end
	 */
	public record LocksDescriptor(List<LockDescriptor> locks, @Nullable String next) implements OperationResponseBody {

	}

	/**
	 * One lock.
	 *
	 * @param key the key
	 * @param fence the highest number given out
	 * @param holders who holds it
	 * @param waiting who waits, first come first
	 */
	public record LockDescriptor(String key, long fence, List<HolderDescriptor> holders,
			List<WaiterDescriptor> waiting) implements OperationResponseBody {

		static LockDescriptor of(StoredLock lock, boolean owners) {
			List<HolderDescriptor> holders = lock.liveHolders()
				.stream()
				.map((holder) -> HolderDescriptor.of(holder, owners))
				.toList();
			List<WaiterDescriptor> waiting = lock.queue()
				.stream()
				.filter((waiter) -> waiter.isAlive(lock.now()))
				.map((waiter) -> WaiterDescriptor.of(waiter, owners))
				.toList();
			return new LockDescriptor(lock.key(), lock.fence(), holders, waiting);
		}

	}

	/**
	 * Who holds a lock.
	 *
	 * @param owner application, instance, host, process and thread
	 * @param fence the number of the grant
	 * @param acquiredAt when it was granted, by the server's clock
	 * @param heldFor how long it has been held
	 * @param remaining how long its lease still runs unless renewed
	 */
	public record HolderDescriptor(String owner, long fence, Instant acquiredAt, Duration heldFor, Duration remaining) {

		static HolderDescriptor of(LockHolder holder, boolean owners) {
			return new HolderDescriptor(shown(holder.owner(), owners), holder.fence(), holder.acquiredAt(),
					holder.heldFor(), holder.remaining());
		}

	}

	/**
	 * Who waits for a lock.
	 *
	 * @param owner application, instance, host, process and thread
	 * @param limit how many may hold the lock together with this one
	 */
	public record WaiterDescriptor(String owner, int limit) {

		static WaiterDescriptor of(StoredWaiter waiter, boolean owners) {
			return new WaiterDescriptor(shown(waiter.owner(), owners), waiter.limit());
		}

	}

	/**
	 * A lock that was released by force.
	 *
	 * @param key the key
	 * @param released from how many holders it was taken
	 */
	public record ReleasedDescriptor(String key, int released) implements OperationResponseBody {

	}

}
