package io.mongolock;

import java.time.Duration;
import java.util.List;

/**
 * Is notified of what happens to the locks of this client, on threads of its own, never
 * on one that renews; what it throws is logged and dropped. Thread-safe: losses are
 * published first, several at a time, ahead of all other events, which come one at a time
 * in their order. A listener that takes long delays only others; if more than 10,000
 * events wait, the oldest are dropped with a warning that counts them, but never a loss.
 */
public interface LockListener {

	/**
	 * An attempt of this JVM took a place in the queue of a lock that others hold or wait
	 * for: called once for each that does. Attempts behind it in this JVM take none.
	 * @param request what was asked for
	 * @param place where the attempt stands
	 */
	default void onWaiting(LockRequest request, LockPlace place) {
	}

	/**
	 * A lock was acquired.
	 * @param handle the lock
	 */
	default void onAcquired(LockHandle handle) {
	}

	/**
	 * An attempt ended without the lock, because others held it at the end of the wait;
	 * the caller gets a {@link LockUnavailableException}.
	 * @param request what was asked for
	 * @param holders who held the lock when the store, or this JVM for its own, was last
	 * asked; empty if unknown
	 * @param waited how long was waited
	 */
	default void onUnavailable(LockRequest request, List<LockHolder> holders, Duration waited) {
	}

	/**
	 * As {@link #onUnavailable}, but the caller goes on without the lock: a method with
	 * {@link OnUnavailable#SKIP} is not run, or {@code tryAcquire} returns empty. Is
	 * logged at INFO once per name, then at DEBUG.
	 * @param request what was asked for
	 * @param holders who held the lock, empty if unknown
	 * @param waited how long was waited
	 */
	default void onSkipped(LockRequest request, List<LockHolder> holders, Duration waited) {
	}

	/**
	 * Threads of this application and maybe of others wait for each other: each for a
	 * lock that another of them holds. Called once for each such deadlock, and once a
	 * minute at most for the same keys, in each application that sees it, after two looks
	 * half a second apart saw the same. The first look comes when a wait has lasted for a
	 * second, the next ones ever less often, and 5 seconds apart in the end. With
	 * {@code mongo-lock.on-deadlock=fail} the wait of the caller whose lock was granted
	 * last ends then, in the application that it belongs to. Of a deadlock that one
	 * application alone sees, as a waiter stands behind another of its own, this caller
	 * is one of its own.
	 * <p>
	 * An application sees waits that block their thread, except of
	 * {@link java.util.concurrent.locks.Lock#lock}, while it is inside of
	 * {@link LockOperations#execute} or a method of the annotation, or in a transaction
	 * that keeps a lock. A handle of {@link LockOperations#acquire} is not bound to a
	 * thread, nor is asynchronous work, so both hold nothing here; nor does a lock of
	 * {@link LockOperations#asLock}, of a job, of a leader or of a transaction that is
	 * suspended. Of the locks of a thread the innermost eight count, as far as their keys
	 * have 512 bytes together. A lock that several hold counts only if all of its holders
	 * wait in the same deadlock. An application does not see deadlocks of more than eight
	 * waiters, over several clients (as of documents and other locks), of a reader that
	 * waits only because a writer is ahead of it, or in which two applications each have
	 * a waiter behind another of their own.
	 * <p>
	 * Each report is a deadlock, with these exceptions. An instance that died or lost the
	 * store still counts as waiting for one {@code mongo-lock.place-ttl}, and an attempt
	 * that has ended for as long as a blocked document keeps it from leaving the queue,
	 * and one place-ttl more. A handle of {@code execute} that another thread may close
	 * counts as held until the work ends. The lease of a lock without renewal may end the
	 * wait before anyone gives up.
	 * @param deadlock who waits for whom
	 */
	default void onDeadlock(LockDeadlock deadlock) {
	}

	/**
	 * A lock that was still held was released.
	 * @param handle the lock
	 */
	default void onReleased(LockHandle handle) {
	}

	/**
	 * A lock that was still held was released, and may have to stay taken until its
	 * minimum hold is over. Calls {@link #onReleased(LockHandle)}.
	 * @param handle the lock
	 * @param keptFor how long it stays taken, zero if it is free
	 */
	default void onReleased(LockHandle handle, Duration keptFor) {
		onReleased(handle);
	}

	/**
	 * A lock is no longer guaranteed held; published before anyone else can be granted
	 * it. May come before {@link #onAcquired} of the same lock, and on several threads at
	 * a time.
	 * @param handle the lock
	 * @param reason how it was lost
	 */
	default void onLost(LockHandle handle, LossReason reason) {
	}

	/**
	 * A lock that had been reported as lost turned out not to have been granted to anyone
	 * else until it was released.
	 * @param handle the lock
	 */
	default void onExpiredUncontested(LockHandle handle) {
	}

	/**
	 * A lock was granted whose earlier holder's lease had run out: it had died, or
	 * neither its renewals nor its release reached the store in time.
	 * @param handle the lock, now held here
	 * @param previous whose lease ran out
	 */
	default void onTakenOver(LockHandle handle, LockHolder previous) {
	}

	/**
	 * A lock on a document was broken on purpose, by this client. Its holder is notified
	 * by {@link #onLost}, in its own application, at its next renewal.
	 * @param key the key of the lock
	 * @param holder who was thrown out
	 */
	default void onBroken(String key, LockHolder holder) {
	}

	/**
	 * The lease of a lock could not be renewed. It is held until its deadline, and the
	 * renewal is tried again until then.
	 * @param handle the lock
	 * @param failure how the store failed
	 */
	default void onRenewalFailed(LockHandle handle, Throwable failure) {
	}

	/**
	 * A lock could not be released. That is tried again in the background until its lease
	 * has run out, unless the application shuts down.
	 * @param handle the lock, no longer held
	 * @param failure how the store failed
	 */
	default void onReleaseFailed(LockHandle handle, Throwable failure) {
	}

	/**
	 * Somebody asks to release a lock that is held here. Nothing is taken away.
	 * @param handle the lock
	 * @param request who asks, and why
	 * @see LockOperations#requestRelease
	 */
	default void onReleaseRequested(LockHandle handle, ReleaseRequest request) {
	}

	/**
	 * The clock of the store stepped by more than a second, or the margin if that is
	 * less, and by more than clocks drift since the last claim; or a member with another
	 * clock leads now; or this machine stood still and neither of its clocks shows it, or
	 * both run fast or slow. Noticed at a claim. If it stepped ahead, locks with a
	 * shorter margin may have been granted too early, and have two holders until the next
	 * renewal of the first.
	 * @param step by how much, negative if it stepped back
	 */
	default void onStoreClockStepped(Duration step) {
	}

	/**
	 * The clock of one of the store's servers differs from the others' by more than a
	 * second, or the shortest margin if that is less: reported once, and again when that
	 * changes. Nothing has happened yet, unless leases are judged by that server already;
	 * the store's clock steps by that when it is elected. Heard in the heartbeats of the
	 * MongoDB driver, if Spring Boot configured the client.
	 * @param server the address of the server
	 * @param offset how far its clock is ahead, negative if behind, zero once it agrees
	 * with the others again, or is none of them any more
	 */
	default void onServerClockOff(String server, Duration offset) {
	}

}
