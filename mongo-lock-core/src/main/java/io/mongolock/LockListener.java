package io.mongolock;

import java.time.Duration;
import java.util.List;

/**
 * Listens to what happens to the locks of this client. Listeners run on threads of their
 * own, never on a thread that renews leases. The library logs an exception of a listener,
 * and goes on.
 * <p>
 * Implementations must be thread-safe. Losses are published before all other events, and
 * several losses can be published at the same time. The other events come one at a time,
 * in their order. A slow listener delays only other events. If more than 10,000 events
 * wait, the oldest events are dropped, but never a loss. A warning then counts the
 * dropped events.
 */
public interface LockListener {

	/**
	 * Something happened for which there is an event. By default, the method of the event
	 * calls this one, so a class that overrides only this method hears all events, except
	 * {@link #onBroken}, which has none.
	 * @param event what happened
	 */
	default void on(LockApplicationEvent event) {
	}

	/**
	 * An attempt of this JVM took a place in the queue of a lock that others hold or wait
	 * for. This method is called once for each such attempt. Attempts that wait behind it
	 * in this JVM take no place.
	 * @param request the request of the attempt
	 * @param place the place of the attempt in the queue
	 */
	default void onWaiting(LockRequest request, LockPlace place) {
		on(new LockApplicationEvent.Waiting(request, place));
	}

	/**
	 * A lock was acquired.
	 * @param handle the lock
	 */
	default void onAcquired(LockHandle handle) {
		on(new LockApplicationEvent.Granted(handle));
	}

	/**
	 * An attempt ended without the lock, because others held the lock at the end of the
	 * wait. The caller gets a {@link LockUnavailableException}.
	 * @param request the request of the attempt
	 * @param holders the last known holders of the lock, empty if unknown
	 * @param waited how long the attempt waited
	 */
	default void onUnavailable(LockRequest request, List<LockHolder> holders, Duration waited) {
		on(new LockApplicationEvent.Unavailable(request, holders, waited));
	}

	/**
	 * An attempt ended without the lock, and the caller goes on without it: a method with
	 * {@link OnUnavailable#SKIP} is not run, or {@code tryAcquire} returns an empty
	 * result. This is logged at INFO once per name, and then at DEBUG.
	 * @param request the request of the attempt
	 * @param holders the last known holders of the lock, empty if unknown
	 * @param waited how long the attempt waited
	 */
	default void onSkipped(LockRequest request, List<LockHolder> holders, Duration waited) {
		on(new LockApplicationEvent.Skipped(request, holders, waited));
	}

	/**
	 * Threads wait for each other, because each of them waits for a lock that another of
	 * these threads holds. The threads may belong to this application and to others. Each
	 * application that sees the deadlock reports it once, and at most once a minute for
	 * the same keys.
	 * <p>
	 * An application looks for deadlocks when a wait has lasted for a second, then less
	 * and less often, and in the end every 5 seconds. It reports a deadlock that it has
	 * seen twice, with half a second between the two looks. With
	 * {@code mongo-lock.on-deadlock=fail}, the wait of one caller then ends. This is the
	 * caller whose lock was granted last, or, if only one application sees the deadlock,
	 * a caller of this application.
	 * <p>
	 * An application sees only waits that block their thread inside of
	 * {@link LockOperations#execute}, inside of an annotated method, or in a transaction
	 * that keeps a lock. It does not see waits in
	 * {@link java.util.concurrent.locks.Lock#lock}. It does not see a deadlock in these
	 * cases:
	 * <ul>
	 * <li>A lock in the deadlock is held by a handle of {@link LockOperations#acquire},
	 * by asynchronous work, by a lock of {@link LockOperations#asLock}, by a job, by a
	 * leader or by a suspended transaction.</li>
	 * <li>The lock in the deadlock is not among the innermost eight locks of its thread,
	 * or comes after the first 512 bytes of their keys.</li>
	 * <li>A lock has several holders, and not all of them wait in the same deadlock.</li>
	 * <li>The deadlock has more than eight waiters, or locks of several clients, such as
	 * locks of documents and other locks.</li>
	 * <li>A reader waits only because a writer is ahead of it in the queue.</li>
	 * <li>Two applications each have a waiter behind another waiter of their own.</li>
	 * </ul>
	 * <p>
	 * In rare cases, a report is not a deadlock:
	 * <ul>
	 * <li>An instance that died or lost the store still counts as waiting for one
	 * {@code mongo-lock.place-ttl}.</li>
	 * <li>An attempt that has ended counts as waiting while a blocked document keeps it
	 * from leaving the queue, and for one {@code mongo-lock.place-ttl} more.</li>
	 * <li>A handle of {@code execute} that another thread may close counts as held until
	 * the work ends.</li>
	 * <li>If a lock is not renewed, the end of its lease may end the wait.</li>
	 * </ul>
	 * @param deadlock who waits for whom
	 */
	default void onDeadlock(LockDeadlock deadlock) {
		on(new LockApplicationEvent.Deadlocked(deadlock));
	}

	/**
	 * A lock that was still held was released.
	 * @param handle the lock
	 */
	default void onReleased(LockHandle handle) {
	}

	/**
	 * A lock that was still held was released. It may stay taken until its minimum hold
	 * is over. By default, this method calls {@link #onReleased(LockHandle)} and
	 * {@link #on}.
	 * @param handle the lock
	 * @param keptFor how long the lock stays taken, zero if it is free
	 */
	default void onReleased(LockHandle handle, Duration keptFor) {
		onReleased(handle);
		on(new LockApplicationEvent.Released(handle, keptFor));
	}

	/**
	 * A lock is no longer guaranteed to be held. This is published before any other
	 * caller can be granted the lock. It may come before {@link #onAcquired} of the same
	 * lock, and on several threads at the same time.
	 * @param handle the lock
	 * @param reason how the lock was lost
	 */
	default void onLost(LockHandle handle, LossReason reason) {
		on(new LockApplicationEvent.Lost(handle, reason));
	}

	/**
	 * A lock that had been reported as lost was released, and no other caller had been
	 * granted the lock until then.
	 * @param handle the lock
	 */
	default void onExpiredUncontested(LockHandle handle) {
		on(new LockApplicationEvent.ExpiredUncontested(handle));
	}

	/**
	 * A lock was granted after the lease of an earlier holder had run out. The earlier
	 * holder had died, or neither its renewals nor its release reached the store in time.
	 * @param handle the lock, now held here
	 * @param previous the holder whose lease ran out
	 */
	default void onTakenOver(LockHandle handle, LockHolder previous) {
		on(new LockApplicationEvent.TakenOver(handle, previous));
	}

	/**
	 * This client broke the lock of a document on purpose. The application of its holder
	 * is notified by {@link #onLost} at the next renewal.
	 * @param key the key of the lock
	 * @param holder the holder that lost the lock
	 */
	default void onBroken(String key, LockHolder holder) {
	}

	/**
	 * The lease of a lock could not be renewed. The lock is held until its deadline, and
	 * the client tries to renew it until then.
	 * @param handle the lock
	 * @param failure the failure of the store
	 */
	default void onRenewalFailed(LockHandle handle, Throwable failure) {
		on(new LockApplicationEvent.RenewalFailed(handle, failure));
	}

	/**
	 * A lock could not be released. The client repeats the release in the background
	 * until the lease has run out, unless the application shuts down.
	 * @param handle the lock, which is no longer held
	 * @param failure the failure of the store
	 */
	default void onReleaseFailed(LockHandle handle, Throwable failure) {
		on(new LockApplicationEvent.ReleaseFailed(handle, failure));
	}

	/**
	 * A caller asks to release a lock that is held here. The lock is not taken away.
	 * @param handle the lock
	 * @param request who asks, and why
	 * @see LockOperations#requestRelease
	 */
	default void onReleaseRequested(LockHandle handle, ReleaseRequest request) {
		on(new LockApplicationEvent.ReleaseRequested(handle, request));
	}

	/**
	 * The clock of the store stepped by more than a second, or by more than the margin if
	 * the margin is shorter. There are other causes with the same effect: a member with
	 * another clock became the primary, this machine stood still and neither of its
	 * clocks shows it, or both clocks of this machine run fast or slow. The client
	 * notices this at a claim, and ignores the usual drift since the last claim.
	 * <p>
	 * If the clock stepped ahead, locks whose margin is shorter than the step may have
	 * been granted too early. Such a lock has two holders until the first holder's next
	 * renewal.
	 * @param step by how much the clock stepped, negative if it stepped back
	 */
	default void onStoreClockStepped(Duration step) {
		on(new LockApplicationEvent.StoreClockStepped(step));
	}

	/**
	 * The clock of one of the store's servers differs from the other servers' clocks. The
	 * difference is more than a second, or more than the shortest margin if this margin
	 * is less than a second. The difference is reported once, and again when the
	 * difference changes. If leases are judged by another server, nothing has happened
	 * yet, but the clock of the store will step when this server is elected. The client
	 * learns of the difference by the heartbeats of the MongoDB driver, if Spring Boot
	 * configured the driver's client.
	 * @param server the address of the server
	 * @param offset how far the clock is ahead, negative if it is behind; zero if it
	 * agrees with the other clocks again, or if the server has been removed
	 */
	default void onServerClockOff(String server, Duration offset) {
		on(new LockApplicationEvent.ServerClockOff(server, offset));
	}

}
