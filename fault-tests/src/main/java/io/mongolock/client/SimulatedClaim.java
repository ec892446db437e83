package io.mongolock.client;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockOwner;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.client.Claiming.Failed;
import io.mongolock.client.Claiming.Granted;
import io.mongolock.client.Claiming.Pause;
import io.mongolock.client.Claiming.Step;
import io.mongolock.client.Coverage.Event;
import io.mongolock.client.SimulatedCall.Kind;
import io.mongolock.renewal.Moment;
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

	private final Tenure tenure;

	private final Consumer<@Nullable Tenure> onEnd;

	private boolean asking;

	private boolean over;

	private SimulatedClaim(Errand errand, Claim claim, Moment begun, SimulatedClient client, Timeline timeline,
			Judge judge, Consumer<@Nullable Tenure> onEnd) {
		super(errand.request(), errand.terms(), claim,
				new Claiming(claim.id(), errand.terms(), begun, (bound) -> timeline.between(0, bound)), begun);
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
			Consumer<@Nullable Tenure> onEnd) {
		LeaseId id = new LeaseId(errand.request().key(), errand.token());
		Claim claim = new Claim(id, errand.request().limit(), 0, false, OWNER, errand.terms().ttl());
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
		Moment requested = this.client.now();
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
		Holding holding = new Holding(this, granted, this.client.now(), (lost, reason) -> this.client.lost(lost));
		hold(holding);
		letAsk(this.client.lines().granted(key(), this, holding));
		this.client.renewals().keep(holding.lease());
		this.judge.told(this.tenure, holding);
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
			this.client.cleanUp(claim().id(), terms(), true);
		}
		this.onEnd.accept(null);
	}

	private LockStoreException failure(Outcome outcome) {
		return new LockStoreException(key(), outcome, "simulated", null);
	}

}
