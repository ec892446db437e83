package io.mongolock.client;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockOwner;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.client.Coverage.Event;
import io.mongolock.client.SimulatedCall.Kind;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.LockAcquisition.Failed;
import io.mongolock.core.LockAcquisition.Granted;
import io.mongolock.core.LockAcquisition.Pause;
import io.mongolock.core.LockAcquisition.Step;
import io.mongolock.core.OrphanCleanup;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;

/**
 * Runs one attempt at a lock to its end, as the product's own shell does.
 */
final class SimulatedClaim extends Attempt {

	private static final LockOwner OWNER = new LockOwner("simulation", "", "", 0, "");

	private final SimulatedClient client;

	private final Judge judge;

	private final LeaseHistory tenure;

	private final Consumer<@Nullable LeaseHistory> onEnd;

	private boolean asking;

	private boolean over;

	private SimulatedClaim(Errand errand, Claim claim, ClockReading begun, SimulatedClient client, Timeline timeline,
			Judge judge, Consumer<@Nullable LeaseHistory> onEnd) {
		super(errand.request(), errand.terms(), claim,
				new LockAcquisition(claim.id(), errand.terms(), begun, (bound) -> timeline.between(0, bound)), begun);
		this.client = client;
		this.judge = judge;
		this.tenure = judge.begins(claim.id(), client, errand.last());
		this.onEnd = onEnd;
	}

	/**
	 * Claim a lock.
	 * @param errand which
	 * @param client who wants it
	 * @param timeline the time
	 * @param judge sees it
	 * @param onEnd takes what was granted, or {@code null}
	 */
	static void run(Errand errand, SimulatedClient client, Timeline timeline, Judge judge,
			Consumer<@Nullable LeaseHistory> onEnd) {
		LeaseId id = new LeaseId(errand.request().key(), errand.token());
		Claim claim = Claim.of(id, OWNER, errand.terms().ttl()).withLimit(errand.request().limit());
		SimulatedClaim attempt = new SimulatedClaim(errand, claim, client.now(), client, timeline, judge, onEnd);
		if (client.lines().join(attempt.key(), attempt)) {
			attempt.turn();
		}
		else {
			client.after(Math.max(0, attempt.claiming().left(client.now())), attempt::endOfLine);
		}
	}

	@Override
	void turn() {
		if (!this.over) {
			this.asking = true;
			ask();
		}
	}

	@Override
	void stop() {
		throw new UnsupportedOperationException();
	}

	private void ask() {
		ClockReading requested = this.client.now();
		this.client.<ClaimAnswer>ask(Kind.CLAIM, claim().id(), true, (log, now) -> log.claim(claim(), now))
			.then((answer) -> {
				Step step = claiming().answered(answer, requested, this.client.now());
				this.tenure.unknown |= answer.grantTo(claim().id().token()).isPresent() && !(step instanceof Granted);
				next(step);
			}, (outcome) -> {
				this.tenure.unknown |= outcome == Outcome.UNKNOWN;
				next(claiming().failed(failure(outcome), this.client.now()));
			});
	}

	private void next(Step step) {
		if (step instanceof Pause pause) {
			this.client.after(pause.nanos(), this::ask);
		}
		else if (step instanceof Granted granted) {
			granted(granted);
		}
		else {
			this.judge.event(this.tenure, "gives up", (step instanceof Failed) ? Event.CLAIM_FAILED : Event.DENIED);
			end();
		}
	}

	private void granted(Granted granted) {
		if (claiming().unknown()) {
			this.judge.count(Event.GRANTED_AFTER_AN_UNKNOWN_CLAIM);
		}
		HeldLock heldLock = new HeldLock(request(), claiming(), granted, this.client.now(), this.client::lost);
		hold(heldLock);
		letAsk(this.client.lines().granted(key(), this, heldLock));
		this.client.renewals().register(heldLock.lease());
		this.judge.told(this.tenure, heldLock);
		this.onEnd.accept(this.tenure);
	}

	private void endOfLine() {
		if (!this.asking) {
			end();
		}
	}

	private void end() {
		this.over = true;
		this.judge.over(this.tenure);
		letAsk(this.client.lines().left(key(), this));
		if (claiming().unknown()) {
			this.client.cleanUp(claim().id(), new OrphanCleanup(this.client.now(), terms().ttl(), true));
		}
		this.onEnd.accept(null);
	}

	private LockStoreException failure(Outcome outcome) {
		return new LockStoreException(key(), outcome, "simulated", null);
	}

}
