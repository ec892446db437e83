package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockAttemptAbortedException;
import io.mongolock.LockDeadlock;
import io.mongolock.LockExplanation;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockPlace;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LockUnavailableException;
import io.mongolock.LossReason;
import io.mongolock.store.KeyText;

/**
 * Makes the exceptions that the client itself throws, with the texts that callers read.
 * They say that a lock is not free or was lost, or that its store did not answer in time.
 * Exceptions for failed requests are made by the store, for MongoDB by
 * {@code StoreFailures}.
 */
public final class LockExceptions {

	private static final int MAX_NAMES = 3;

	/** Even a busy JVM looks at its leases more often. */
	private static final long NOTICED_LATE = 1_000_000_000;

	private LockExceptions() {
	}

	/**
	 * The wait of an attempt is over, and so is the time for its last request.
	 * @param sent whether the last request is underway
	 * @param unknown whether an earlier request may still be executed
	 * @param last the earlier failure of the store, {@code null} if there was none
	 */
	static LockStoreException unanswered(Attempt attempt, boolean sent, boolean unknown,
			@Nullable LockStoreException last) {
		return new LockStoreException(attempt.key(), (sent || unknown) ? Outcome.UNKNOWN : Outcome.NOT_EXECUTED,
				"The store " + ((sent) ? "has not answered the request" : "could not be asked") + " for lock '"
						+ KeyText.printable(attempt.key()) + "' within wait-timeout + operation-timeout = "
						+ attempt.terms().waitTimeout().toMillis() + "ms + "
						+ attempt.terms().operationTimeout().toMillis() + "ms"
						+ ((sent) ? "" : ", because all threads for requests are busy"),
				last);
	}

	/**
	 * A lock was granted by an answer that took too long.
	 * @param nanos how long the answer took
	 */
	static LockStoreException answeredTooLate(Attempt attempt, long nanos) {
		return new LockStoreException(attempt.key(), Outcome.UNKNOWN,
				"The store granted lock '" + KeyText.printable(attempt.key()) + "', but its answer took "
						+ nanos / 1_000_000 + "ms, which is longer than ttl - margin = "
						+ millis(attempt.terms().reliable()) + ", so the lock is given back",
				null);
	}

	/**
	 * A lock was not asked for, because the attempt ahead in this JVM failed all the
	 * time.
	 * @param ahead the failure of the attempt ahead
	 */
	static LockStoreException neverAsked(Attempt attempt, LockStoreException ahead) {
		return new LockStoreException(attempt.key(), Outcome.NOT_EXECUTED,
				"The store was not asked for lock '" + KeyText.printable(attempt.key()) + "', because an earlier "
						+ "attempt in this application failed: " + ahead.getMessage(),
				ahead);
	}

	private static String inQueue(@Nullable QueuePosition position) {
		if (position == null) {
			return "";
		}
		LockPlace shown = position.toLockPlace();
		List<LockOwner> ahead = position.ahead();
		return ". At that time, the call was " + ordinal(shown.position()) + " in the queue of " + shown.length()
				+ ((ahead.isEmpty()) ? "" : ", behind " + names(ahead, position.othersAhead()));
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

	/**
	 * Others hold a lock, and the wait of an attempt is over.
	 * @param position its position in the queue as last seen, {@code null} if none was
	 * seen
	 * @param deadlock the deadlock in which it waited, {@code null} if there was none
	 * @param givenUp whether its client ended the wait because of the deadlock
	 */
	static LockUnavailableException unavailable(Attempt attempt, List<LockHolder> holders, int claims,
			@Nullable QueuePosition position, @Nullable LockDeadlock deadlock, boolean givenUp, ClockReading now) {
		Duration waited = attempt.waited(now);
		return new LockUnavailableException(attempt.key(), holders, waited, claims,
				"Lock '" + KeyText.printable(attempt.key()) + "' " + whoHolds(holders) + ". The call gave up after "
						+ millis(waited) + describeClaims(claims, attempt, holders) + inQueue(position)
						+ ". The wait-timeout is " + millis(attempt.terms().waitTimeout())
						+ ((deadlock != null) ? inDeadlock(deadlock, givenUp) : ""),
				deadlock);
	}

	private static String inDeadlock(LockDeadlock deadlock, boolean givenUp) {
		return ((givenUp) ? ". mongo-lock.on-deadlock=fail ended the call's wait in a deadlock"
				: ". The call waited in a deadlock") + ", in which " + describe(deadlock);
	}

	/**
	 * All waits of a deadlock, as people read them.
	 */
	public static String describe(LockDeadlock deadlock) {
		return deadlock.waits()
			.stream()
			.map((wait) -> "lock '" + KeyText.printable(wait.key()) + "' is held by " + wait.holder() + ", granted at "
					+ wait.since().truncatedTo(ChronoUnit.SECONDS) + ", and wanted by " + wait.waiter())
			.collect(Collectors.joining("; "));
	}

	/**
	 * An attempt does not wait for a lock, because too many wait already.
	 */
	static LockUnavailableException queueFull(Attempt attempt, List<LockHolder> holders, int maxPlaces, int claims,
			ClockReading now) {
		return new LockUnavailableException(attempt.key(), holders, attempt.waited(now), claims,
				"Lock '" + KeyText.printable(attempt.key()) + "' " + whoHolds(holders)
						+ ", and its queue is full, because mongo-lock.max-places is " + maxPlaces);
	}

	private static String describeClaims(int claims, Attempt attempt, List<LockHolder> holders) {
		if (claims != 0) {
			return " and " + claims + ((claims != 1) ? " claims" : " claim");
		}
		boolean own = holders.stream().anyMatch((holder) -> holder.owner().equals(attempt.owner()));
		return (own)
				? " without a claim, because this thread or another thread of the same name holds the lock. Nested "
						+ "calls share a lock only if the annotation or LockOperations.execute has taken it"
				: " without a claim, because other threads of this application were ahead";
	}

	/**
	 * The holders that keep others from a lock. There may be hundreds of readers, so only
	 * some are named.
	 * @return the end of a sentence that begins with the lock
	 */
	public static String whoHolds(List<LockHolder> holders) {
		return "is " + takenBy(holders);
	}

	/**
	 * Why an attempt at a lock would have to wait now.
	 * @param waiting the owners in its queue, in the order in which they came
	 * @param waitingHere how many attempts at it wait in this JVM
	 */
	public static LockExplanation explain(String key, List<LockHolder> holders, List<LockOwner> waiting,
			int waitingHere) {
		String message = "Lock '" + KeyText.printable(key) + "' "
				+ ((holders.isEmpty() && waiting.isEmpty()) ? "is free" : whoHolds(holders))
				+ ((waiting.isEmpty()) ? ""
						: ((waiting.size() > 1) ? ". The waiters in its queue are " : ". The waiter in its queue is ")
								+ names(waiting, waiting.size()))
				+ ((waitingHere == 0) ? "" : ". The number of waiting attempts in this application is " + waitingHere);
		return new LockExplanation(key, holders, waiting, waitingHere, message);
	}

	private static String names(List<LockOwner> owners, int all) {
		String names = owners.stream().limit(MAX_NAMES).map(LockOwner::toString).collect(Collectors.joining(", "));
		return names + ((all > MAX_NAMES) ? " and " + (all - MAX_NAMES) + " more" : "");
	}

	private static String takenBy(List<LockHolder> holders) {
		if (holders.isEmpty()) {
			return "wanted by others, who are ahead in the queue";
		}
		String names = holders.stream()
			.limit(MAX_NAMES)
			.map(LockExceptions::describe)
			.collect(Collectors.joining(" and by "));
		int others = holders.size() - MAX_NAMES;
		return "held by " + names + ((others > 0) ? " and by " + others + " more" : "");
	}

	/**
	 * The wait of an attempt was interrupted.
	 */
	static LockUnavailableException interrupted(Attempt attempt, List<LockHolder> holders, int claims,
			ClockReading now) {
		Duration waited = attempt.waited(now);
		return new LockAttemptAbortedException(attempt.key(), holders, waited, claims,
				"The call was interrupted after it had waited " + millis(waited) + " for lock '"
						+ KeyText.printable(attempt.key()) + "'"
						+ ((holders.isEmpty()) ? "" : ", which was last seen " + takenBy(holders)));
	}

	/**
	 * The client stopped while an attempt waited for a lock.
	 */
	static LockUnavailableException stopped(Attempt attempt, List<LockHolder> holders, int claims, ClockReading now) {
		return stopped(attempt.key(), holders, attempt.waited(now), claims);
	}

	/**
	 * A lock was asked for after the stop of the client.
	 */
	public static LockUnavailableException stopped(String key) {
		return stopped(key, List.of(), Duration.ZERO, 0);
	}

	private static LockUnavailableException stopped(String key, List<LockHolder> holders, Duration waited, int claims) {
		return new LockAttemptAbortedException(key, holders, waited, claims,
				"Lock '" + KeyText.printable(key) + "' is not claimed, because this application is shutting down");
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
				describeLoss(lease, reason) + ". Work under this lock may overlap with another holder's work");
	}

	/**
	 * Nested code released a lock within the hold that ends now.
	 */
	public static LockLostException endedWithin(Lease lease) {
		return new LockLostException(lease.id().key(), lease.fence(), LossReason.REFUSED, "Lock '"
				+ KeyText.printable(lease.id().key()) + "' (fence " + lease.fence()
				+ ") was released too early by nested code, for example by a save of the locked document. Work after "
				+ "that release may overlap with another holder's work");
	}

	/**
	 * How a lock was lost, as one sentence without its full stop.
	 */
	public static String describeLoss(Lease lease, @Nullable LossReason reason) {
		String how = (reason != LossReason.DEADLINE) ? describe(reason) : describeDeadline(lease);
		return "Lock '" + KeyText.printable(lease.id().key()) + "' (fence " + lease.fence() + ") was lost: " + how;
	}

	private static String describeDeadline(Lease lease) {
		LockTerms terms = lease.terms();
		ClockReading noticed = lease.ranOutAt();
		return ((noticed != null) ? stepped(lease, noticed) : "")
				+ ((terms.autoRenew()) ? "no renewal was confirmed"
						: "the lock, which has no automatic renewal, was not released")
				+ " within ttl - margin = " + millis(terms.ttl()) + " - " + millis(terms.margin()) + " = "
				+ millis(terms.reliable()) + lastFailure(lease) + ((noticed != null) ? stoodStill(lease, noticed) : "");
	}

	// A wall clock that is slewed also goes ahead a little, but that does not end the
	// lease
	private static String stepped(Lease lease, ClockReading noticed) {
		long reliable = lease.terms().reliable().toNanos();
		long monotonic = noticed.nanos() - lease.confirmed().nanos();
		long ahead = lease.elapsed(noticed) - monotonic;
		return (monotonic >= reliable || ahead <= reliable / 10) ? ""
				: "the wall clock of this machine stepped ahead by " + ahead / 1_000_000
						+ "ms, or only the wall clock went on while the machine was suspended. By the wall clock, ";
	}

	// Only a JVM that stood still notices the end late, unless a renewal has failed
	// before
	private static String stoodStill(Lease lease, ClockReading noticed) {
		long late = noticed.nanos() - lease.deadline();
		return (late <= NOTICED_LATE || !lease.terms().autoRenew() || lease.hasRenewalFailed()) ? ""
				: ", and this was noticed " + late / 1_000_000 + "ms late, because this JVM or its machine stood still";
	}

	private static String lastFailure(Lease lease) {
		Throwable failure = lease.renewalFailure();
		return (failure != null) ? " (the last renewal failed: " + failure.getMessage() + ")" : "";
	}

	private static String describe(@Nullable LossReason reason) {
		return (reason != LossReason.SHUTDOWN)
				? "the store no longer has this hold, because the lock was taken over, released by force (see the "
						+ "releasing application's log), deleted by hand, deleted too soon by a TTL index, dropped with "
						+ "its collection, or overwritten by a program that does not know locks"
				: "this application shut down while the lock was held";
	}

	/**
	 * A lock is asked for again within its hold, by a claim that allows fewer holders.
	 * @param limit how many may hold the lock at the same time according to that claim
	 */
	public static IllegalStateException stricterWithin(Attempt held, int limit) {
		return new IllegalStateException("Lock '" + KeyText.printable(held.key()) + "' is held "
				+ describe(held.limit()) + ", perhaps by several holders. A holder that requested the lock "
				+ describe(limit) + " would wait for itself. Request the lock " + describe(limit)
				+ " from the start, or release the lock first");
	}

	/**
	 * The failure of a claim that was made while other locks were held. The loss of one
	 * of these locks may have ended the wait. The failure then says nothing about the
	 * lock of the claim.
	 * @return the loss, or the failure if there is none
	 */
	public static RuntimeException orLoss(List<LockHandle> held, RuntimeException failure) {
		try {
			held.forEach(LockHandle::assertHeld);
			return failure;
		}
		catch (LockLostException ex) {
			ex.addSuppressed(failure);
			return ex;
		}
	}

	private static String describe(int limit) {
		return (limit == 1) ? "exclusively" : (limit == LockRequest.UNLIMITED) ? "shared" : "with limit " + limit;
	}

	private static String describe(LockHolder holder) {
		String note = (holder.note().isEmpty()) ? "" : ", note '" + KeyText.printable(holder.note()) + "'";
		return holder.owner() + " since " + time(holder.acquiredAt()) + " (for " + millis(holder.heldFor()) + ", fence "
				+ holder.fence() + note + "; the lease ends at " + time(holder.until()) + ", in "
				+ millis(holder.remaining()) + ", unless it is renewed)";
	}

	private static Instant time(Instant time) {
		return time.truncatedTo(ChronoUnit.MILLIS);
	}

	private static String millis(Duration duration) {
		return duration.toMillis() + "ms";
	}

}
