package io.mongolock.core;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockException;
import io.mongolock.LockHolder;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockPlace;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.LossReason;
import io.mongolock.core.AcquisitionStep.Denied;
import io.mongolock.core.AcquisitionStep.End;
import io.mongolock.core.AcquisitionStep.Failed;
import io.mongolock.store.KeyText;

/**
 * The exceptions of the client and their messages.
 */
public final class LockExceptions {

	private static final int MAX_NAMES = 3;

	private LockExceptions() {
	}

	/**
	 * Why an acquisition ended without the lock.
	 */
	public static LockException of(LockAcquisition acquisition, End end, Duration waited) {
		return (end instanceof Failed failed) ? failed.failure()
				: held(acquisition, (end instanceof Denied denied) ? denied.holders() : List.of(), waited);
	}

	private static String inQueue(@Nullable QueuePosition place) {
		if (place == null) {
			return "";
		}
		LockPlace shown = place.toLockPlace();
		List<LockOwner> ahead = place.ahead();
		String names = ahead.stream().limit(MAX_NAMES).map(LockOwner::toString).collect(Collectors.joining(", "));
		String more = (ahead.size() > MAX_NAMES) ? " and " + (ahead.size() - MAX_NAMES) + " more" : "";
		return ", " + ordinal(shown.position()) + " in the queue of " + shown.length()
				+ ((ahead.isEmpty()) ? "" : " behind " + names + more);
	}

	private static String ordinal(int number) {
		String ending = (number % 100 / 10 == 1) ? "th" : switch (number % 10) {
			case 1 -> "st";
			case 2 -> "nd";
			case 3 -> "rd";
			default -> "th";
		};
		return number + ending;
	}

	private static LockUnavailableException held(LockAcquisition acquisition, List<LockHolder> holders,
			Duration waited) {
		return new LockUnavailableException(acquisition.key(), holders, waited,
				"Lock '" + KeyText.printable(acquisition.key()) + "' " + whoHolds(holders) + "; gave up after "
						+ millis(waited) + inQueue(acquisition.place()) + ", wait-timeout is "
						+ millis(acquisition.terms().waitTimeout()));
	}

	/**
	 * Who keeps others from a lock.
	 * @return the end of a sentence that begins with the lock
	 */
	public static String whoHolds(List<LockHolder> holders) {
		return (holders.isEmpty()) ? "is claimed by others ahead in the queue" : "is held by "
				+ holders.stream().map(LockExceptions::describe).collect(Collectors.joining(" and by "));
	}

	/**
	 * The wait of an acquisition was interrupted.
	 */
	public static LockUnavailableException interrupted(LockAcquisition acquisition, Duration waited) {
		return new LockUnavailableException(acquisition.key(), acquisition.holders(), waited,
				"Interrupted after waiting " + millis(waited) + " for lock '" + KeyText.printable(acquisition.key())
						+ "'");
	}

	/**
	 * A lock was asked for, or waited for, at the stop of the client.
	 */
	public static LockUnavailableException stopped(String key, Duration waited) {
		return new LockUnavailableException(key, List.of(), waited,
				"Lock '" + KeyText.printable(key) + "' is not claimed: this application is shutting down");
	}

	/**
	 * A handle was used after its close.
	 */
	public static IllegalStateException closed(String key) {
		return new IllegalStateException("The handle of lock '" + KeyText.printable(key) + "' was closed");
	}

	/**
	 * A lock is not held any more.
	 */
	public static LockLostException lost(Lease lease) {
		LossReason reason = lease.lossReason();
		LossReason known = (reason != null) ? reason : LossReason.REFUSED;
		return new LockLostException(lease.id().key(), lease.fence(), known,
				describeLoss(lease, reason) + "; what was done under it may overlap with another holder's work");
	}

	/**
	 * A lock may have been released by a statement whose answer was lost.
	 */
	static LockLostException inDoubt(Lease lease) {
		return new LockLostException(lease.id().key(), lease.fence(), LossReason.REFUSED, "Lock '"
				+ KeyText.printable(lease.id().key()) + "' (fence " + lease.fence()
				+ ") may have been released, by a write whose answer was lost; another may hold it. Make the write "
				+ "again, which says how it stands, or close the lock");
	}

	/**
	 * A lock was released by what ran within the hold that ends now.
	 */
	public static LockLostException endedWithin(Lease lease) {
		return new LockLostException(lease.id().key(), lease.fence(), LossReason.REFUSED, "Lock '"
				+ KeyText.printable(lease.id().key()) + "' (fence " + lease.fence()
				+ ") was released by what ran within it, such as a save of its document, before its own end; what was "
				+ "done after that may overlap with another holder's work");
	}

	/**
	 * How a lock was lost, as one sentence without its end.
	 */
	public static String describeLoss(Lease lease, @Nullable LossReason reason) {
		ResolvedLockSettings terms = lease.terms();
		String how = (reason != LossReason.DEADLINE) ? describe(reason)
				: ((terms.autoRenew()) ? "no renewal was confirmed" : "it is not renewed and was not released")
						+ " within ttl - margin = " + millis(terms.ttl()) + " - " + millis(terms.margin()) + " = "
						+ millis(terms.reliable()) + lastFailure(lease);
		return "Lock '" + KeyText.printable(lease.id().key()) + "' (fence " + lease.fence() + ") was lost: " + how;
	}

	private static String lastFailure(Lease lease) {
		Throwable failure = lease.renewalFailure();
		return (failure != null) ? " (the last one failed: " + failure.getMessage() + ")" : "";
	}

	private static String describe(@Nullable LossReason reason) {
		return (reason != LossReason.SHUTDOWN)
				? "the store no longer has it; it was taken over, deleted, or released by force, which the log of the "
						+ "application that did it says"
				: "this application shut down while it was held";
	}

	/**
	 * A lock is asked for again within, by a claim that admits fewer others.
	 * @param limit how many the further claim would let hold the lock together
	 */
	public static IllegalStateException stricterWithin(HeldLock heldLock, int limit) {
		return new IllegalStateException("Lock '" + KeyText.printable(heldLock.key()) + "' is held "
				+ describe(heldLock.limit()) + ", so maybe by others as well, and asked for " + describe(limit)
				+ " within, which would wait for itself; ask for it " + describe(limit)
				+ " from the start, or release it first");
	}

	private static String describe(int limit) {
		return (limit == 1) ? "exclusively" : (limit == LockRequest.UNLIMITED) ? "shared" : "with limit " + limit;
	}

	private static String describe(LockHolder holder) {
		return holder.owner() + " for " + millis(holder.heldFor()) + " (fence " + holder.fence()
				+ "), its lease ends in " + millis(holder.remaining()) + " unless renewed";
	}

	private static String millis(Duration duration) {
		return duration.toMillis() + "ms";
	}

}
