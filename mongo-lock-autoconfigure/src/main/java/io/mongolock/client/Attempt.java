package io.mongolock.client;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.mongolock.LockHolder;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LocalWaitQueues;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.ResolvedLockSettings;
import io.mongolock.store.Claim;

/**
 * A claim on its way: what was asked for, how far it got, and its place in the local
 * line. Belongs to the thread that runs it, except where a member says otherwise.
 */
abstract class Attempt implements LocalWaitQueues.Member {

	private final LockRequest request;

	private final ResolvedLockSettings terms;

	private final Claim claim;

	private final LockAcquisition claiming;

	private final ClockReading begun;

	/** For others in line, who want to say what they wait for. */
	private volatile LastAnswer sight = new LastAnswer(List.of(), null);

	private @Nullable HeldLock heldLock;

	Attempt(LockRequest request, ResolvedLockSettings terms, Claim claim, LockAcquisition claiming,
			ClockReading begun) {
		this.request = request;
		this.terms = terms;
		this.claim = claim;
		this.claiming = claiming;
		this.begun = begun;
	}

	/**
	 * The attempt may ask the store. Called once at most, by any thread.
	 */
	abstract void turn();

	/**
	 * The client stops. May be called by any thread.
	 */
	abstract void stop();

	LockRequest request() {
		return this.request;
	}

	ResolvedLockSettings terms() {
		return this.terms;
	}

	Claim claim() {
		return this.claim;
	}

	LockAcquisition claiming() {
		return this.claiming;
	}

	ClockReading begun() {
		return this.begun;
	}

	String key() {
		return this.claim.id().key();
	}

	@Override
	public int limit() {
		return this.claim.limit();
	}

	/**
	 * What the store last said to this attempt.
	 * @return the sight; thread-safe
	 */
	LastAnswer sight() {
		return this.sight;
	}

	void see(LastAnswer sight) {
		this.sight = sight;
	}

	/**
	 * What the attempt was granted.
	 * @return the lock
	 * @throws IllegalStateException if it was not granted
	 */
	HeldLock heldLock() {
		Assert.state(this.heldLock != null, "Not granted");
		return this.heldLock;
	}

	void hold(HeldLock heldLock) {
		this.heldLock = heldLock;
	}

	/**
	 * Pass the turn on.
	 * @param next whose turn it is, if anyone's
	 */
	static void letAsk(@Nullable Attempt next) {
		if (next != null) {
			next.turn();
		}
	}

	/**
	 * What an attempt sees of the lock.
	 *
	 * @param holders who held it when the store last answered
	 * @param failure how the store failed since
	 */
	record LastAnswer(List<LockHolder> holders, @Nullable LockStoreException failure) {

	}

}
