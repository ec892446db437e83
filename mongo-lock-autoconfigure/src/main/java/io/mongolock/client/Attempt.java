package io.mongolock.client;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

import io.mongolock.LockHolder;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LockTerms;
import io.mongolock.renewal.Moment;
import io.mongolock.store.Claim;

/**
 * A claim on its way: what was asked for, how far it got, and its place in the local
 * line. Belongs to the thread that runs it, except where a member says otherwise.
 */
abstract class Attempt implements LocalLines.Member {

	private final LockRequest request;

	private final LockTerms terms;

	private final Claim claim;

	private final Claiming claiming;

	private final Moment begun;

	/** For others in line, who want to say what they wait for. */
	private volatile Sight sight = new Sight(List.of(), null);

	private @Nullable Holding holding;

	Attempt(LockRequest request, LockTerms terms, Claim claim, Claiming claiming, Moment begun) {
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

	LockTerms terms() {
		return this.terms;
	}

	Claim claim() {
		return this.claim;
	}

	Claiming claiming() {
		return this.claiming;
	}

	Moment begun() {
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
	 * @return the sight; safe for use by several threads
	 */
	Sight sight() {
		return this.sight;
	}

	void see(Sight sight) {
		this.sight = sight;
	}

	/**
	 * What the attempt was granted.
	 * @return the lock
	 * @throws IllegalStateException if it was not granted
	 */
	Holding holding() {
		Assert.state(this.holding != null, "Not granted");
		return this.holding;
	}

	void hold(Holding holding) {
		this.holding = holding;
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
	record Sight(List<LockHolder> holders, @Nullable LockStoreException failure) {

	}

}
