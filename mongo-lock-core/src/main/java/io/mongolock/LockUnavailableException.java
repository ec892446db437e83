package io.mongolock;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Other callers held the lock until the wait was over, or the attempt was
 * {@linkplain LockAttemptAbortedException aborted}.
 */
public class LockUnavailableException extends LockException {

	private final transient List<LockHolder> holders;

	private final Duration waited;

	private final int claims;

	private final transient @Nullable LockDeadlock deadlock;

	/**
	 * Create a new exception.
	 * @param key the key of the lock
	 * @param holders the last known holders of the lock
	 * @param waited how long the attempt waited
	 * @param claims how often the attempt asked the store
	 * @param message what happened, for diagnostics
	 */
	public LockUnavailableException(String key, List<LockHolder> holders, Duration waited, int claims, String message) {
		this(key, holders, waited, claims, message, null);
	}

	/**
	 * Create a new exception.
	 * @param key the key of the lock
	 * @param holders the last known holders of the lock
	 * @param waited how long the attempt waited
	 * @param claims how often the attempt asked the store
	 * @param message what happened, for diagnostics
	 * @param deadlock the deadlock in which the attempt waited, if there was one
	 */
	public LockUnavailableException(String key, List<LockHolder> holders, Duration waited, int claims, String message,
			@Nullable LockDeadlock deadlock) {
		super(key, message, null);
		this.holders = List.copyOf(holders);
		this.waited = waited;
		this.claims = claims;
		this.deadlock = deadlock;
	}

	/**
	 * The last known holders of the lock.
	 * @return the holders, empty if unknown
	 */
	public List<LockHolder> getHolders() {
		return (this.holders != null) ? this.holders : List.of();
	}

	/**
	 * How long the attempt waited.
	 * @return the time from the beginning of the attempt to this exception
	 */
	public Duration getWaited() {
		return this.waited;
	}

	/**
	 * How often the attempt asked the store. This also counts a claim whose answer was
	 * lost. It does not count claims of other attempts of this JVM.
	 * @return the number of claims, zero if other attempts of this JVM were ahead all the
	 * time
	 */
	public int getClaims() {
		return this.claims;
	}

	/**
	 * The deadlock in which the attempt waited, or the last one if there were several.
	 * @return the deadlock, empty if none was seen
	 * @see LockListener#onDeadlock
	 */
	public Optional<LockDeadlock> getDeadlock() {
		return Optional.ofNullable(this.deadlock);
	}

}
