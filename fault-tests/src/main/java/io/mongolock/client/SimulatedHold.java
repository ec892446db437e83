package io.mongolock.client;

import java.util.Objects;

import io.mongolock.LossReason;
import io.mongolock.client.Coverage.Event;
import io.mongolock.client.Releasing.End;
import io.mongolock.client.SimulatedCall.Kind;
import io.mongolock.renewal.Lease;
import io.mongolock.renewal.Moment;

/**
 * Works under a lock, always looking before it acts, and gives it back, as the product's
 * own shell does.
 */
final class SimulatedHold {

	private final Errand errand;

	private final Tenure tenure;

	private final Holding holding;

	private final SimulatedClient client;

	private final Timeline timeline;

	private final Judge judge;

	private final Runnable onEnd;

	private int acts;

	SimulatedHold(Errand errand, Tenure tenure, Timeline timeline, Judge judge, Runnable onEnd) {
		this.errand = errand;
		this.tenure = tenure;
		this.holding = Objects.requireNonNull(tenure.holding);
		this.client = tenure.client;
		this.timeline = timeline;
		this.judge = judge;
		this.onEnd = onEnd;
	}

	/**
	 * Look, then act or stop.
	 */
	void work() {
		if (this.acts++ < this.errand.acts() && lease().isHeld(this.client.now())) {
			long checkedAt = this.timeline.now();
			this.client.after(hesitation(), () -> act(checkedAt));
		}
		else if (this.timeline.chance(0.2)) {
			// Some take long to stop
			this.client.after(rest() * 4, this::release);
		}
		else {
			release();
		}
	}

	private void act(long checkedAt) {
		this.judge.acts(this.tenure, checkedAt);
		if (this.timeline.chance(0.1)) {
			renew();
		}
		else {
			this.client.after(rest(), this::work);
		}
	}

	private void renew() {
		Moment requested = this.client.now();
		this.client.<Boolean>ask(Kind.RENEW, this.holding.id(), true, (log, now) -> log.renew(this.holding.id(), now))
			.then((found) -> {
				if (!found) {
					lease().lose(LossReason.REFUSED);
				}
				lease().renewed(requested, this.client.now());
				work();
			}, (outcome) -> work());
	}

	private void release() {
		this.client.renewals().forget(lease());
		Releasing releasing = Releasing.begin(lease(), this.holding.unknown(), this.client.now());
		this.judge.over(this.tenure);
		if (!releasing.asks()) {
			end(releasing.answered(false));
			return;
		}
		boolean proof = releasing.needsProof();
		this.client
			.<Boolean>ask(Kind.RELEASE, this.holding.id(), proof,
					(log, now) -> (proof) ? log.releaseGrant(this.holding.id(), lease().fence())
							: log.release(this.holding.id()))
			.then((ended) -> end(releasing.answered(ended)), (outcome) -> {
				this.judge.count(Event.RELEASE_UNKNOWN);
				end(releasing.failed());
			});
	}

	private void end(End end) {
		this.judge.outcome(this.tenure, end.outcome());
		if (end.cleansUp()) {
			this.client.cleanUp(this.holding.id(), this.errand.terms(), this.holding.unknown());
		}
		this.client.over(this.holding);
		this.onEnd.run();
	}

	private Lease lease() {
		return this.holding.lease();
	}

	private long rest() {
		return this.timeline.between(1_000_000, this.errand.rest());
	}

	// Mostly short; sometimes longer than the margin allows for
	private long hesitation() {
		long most = (this.timeline.chance(0.02)) ? 2 * this.errand.terms().margin().toNanos() : 2_000_000;
		return this.timeline.between(0, most);
	}

}
