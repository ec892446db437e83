package io.mongolock;

import java.time.Duration;
import java.util.List;

/**
 * Events about the locks of this application, for {@link LockListener#on} and for
 * Spring's {@code @EventListener} methods. They are published like the calls of a
 * {@link LockListener}: on threads of the library, in the same order, and never on a
 * thread that renews leases.
 */
public sealed interface LockApplicationEvent {

	/**
	 * The event of {@link LockListener#onWaiting}.
	 *
	 * @param request the request of the attempt
	 * @param place the place of the attempt in the queue
	 */
	record Waiting(LockRequest request, LockPlace place) implements LockApplicationEvent {

	}

	/**
	 * The event of {@link LockListener#onAcquired}.
	 *
	 * @param lock the lock
	 */
	record Granted(LockHandle lock) implements LockApplicationEvent {

	}

	/**
	 * The event of {@link LockListener#onUnavailable}.
	 *
	 * @param request the request of the attempt
	 * @param holders the last known holders of the lock, empty if unknown
	 * @param waited how long the attempt waited
	 */
	record Unavailable(LockRequest request, List<LockHolder> holders, Duration waited) implements LockApplicationEvent {

	}

	/**
	 * The event of {@link LockListener#onSkipped}.
	 *
	 * @param request the request of the attempt
	 * @param holders the last known holders of the lock, empty if unknown
	 * @param waited how long the attempt waited
	 */
	record Skipped(LockRequest request, List<LockHolder> holders, Duration waited) implements LockApplicationEvent {

	}

	/**
	 * The event of {@link LockListener#onDeadlock}.
	 *
	 * @param deadlock who waits for whom
	 */
	record Deadlocked(LockDeadlock deadlock) implements LockApplicationEvent {

	}

	/**
	 * The event of {@link LockListener#onReleased(LockHandle, Duration)}.
	 *
	 * @param lock the lock
	 * @param keptFor how long it stays taken, zero if it is free
	 */
	record Released(LockHandle lock, Duration keptFor) implements LockApplicationEvent {

	}

	/**
	 * The event of {@link LockListener#onLost}.
	 *
	 * @param lock the lock
	 * @param reason how the lock was lost
	 */
	record Lost(LockHandle lock, LossReason reason) implements LockApplicationEvent {

	}

	/**
	 * The event of {@link LockListener#onExpiredUncontested}.
	 *
	 * @param lock the lock
	 */
	record ExpiredUncontested(LockHandle lock) implements LockApplicationEvent {

	}

	/**
	 * The event of {@link LockListener#onTakenOver}.
	 *
	 * @param lock the lock, now held here
	 * @param previous the holder whose lease ran out
	 */
	record TakenOver(LockHandle lock, LockHolder previous) implements LockApplicationEvent {

	}

	/**
	 * The event of {@link LockListener#onRenewalFailed}.
	 *
	 * @param lock the lock
	 * @param failure how the store failed
	 */
	record RenewalFailed(LockHandle lock, Throwable failure) implements LockApplicationEvent {

	}

	/**
	 * The event of {@link LockListener#onReleaseFailed}.
	 *
	 * @param lock the lock, no longer held
	 * @param failure how the store failed
	 */
	record ReleaseFailed(LockHandle lock, Throwable failure) implements LockApplicationEvent {

	}

	/**
	 * The event of {@link LockListener#onReleaseRequested}.
	 *
	 * @param lock the lock
	 * @param request who asks to release it, and why
	 */
	record ReleaseRequested(LockHandle lock, ReleaseRequest request) implements LockApplicationEvent {

	}

	/**
	 * The event of {@link LockListener#onStoreClockStepped}.
	 *
	 * @param step by how much the clock stepped, negative if it stepped back
	 */
	record StoreClockStepped(Duration step) implements LockApplicationEvent {

	}

	/**
	 * The event of {@link LockListener#onServerClockOff}.
	 *
	 * @param server the address of the server
	 * @param offset how far the clock is ahead, negative if it is behind; zero if it
	 * agrees with the other clocks again, or if the server has been removed
	 */
	record ServerClockOff(String server, Duration offset) implements LockApplicationEvent {

	}

}
