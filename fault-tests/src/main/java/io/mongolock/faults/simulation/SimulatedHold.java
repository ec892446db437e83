package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.Lease;
import io.mongolock.core.ReleaseDecision;
import io.mongolock.core.ReleaseDecision.Judgement;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.faults.simulation.SimulatedWorker.Errand;
import io.mongolock.store.LeaseId;

/**
 * Works under a lock, always looking before it acts, and releases it, as the product's
 * own shell does.
 */
final class SimulatedHold {

	private final Errand errand;

	private final LeaseHistory history;

	private final HeldLock heldLock;

	private final SimulatedClient client;

	private final Runnable onEnd;

	private int acts;

	SimulatedHold(Errand errand, SimulatedClient client, LeaseHistory history, Runnable onEnd) {
		this.errand = errand;
		this.history = history;
		this.heldLock = Objects.requireNonNull(history.heldLock);
		this.client = client;
		this.onEnd = onEnd;
	}

	void begin() {
		Violation.check(lease().isHeld(this.client.now()), Violation.Kind.BEGUN_LOST,
				() -> this.history + " begins to work although its lock is lost");
		work();
	}

	// Looks, then acts or stops
	private void work() {
		if (this.acts++ < this.errand.acts() && lease().isHeld(this.client.now())) {
			long checkedAt = this.client.timeline.now();
			this.client.after(hesitation(), () -> act(checkedAt));
		}
		else if (this.client.timeline.chance(0.2)) {
			// Some take long to stop
			this.client.after(rest() * 4, this::release);
		}
		else {
			release();
		}
	}

	private void act(long checkedAt) {
		this.client.judge.acts(this.history, checkedAt);
		if (this.client.timeline.chance(0.1)) {
			renew();
		}
		else {
			this.client.after(rest(), this::work);
		}
	}

	private void renew() {
		ClockReading requested = this.client.now();
		this.client.ask(Request.renewal(this.heldLock.id(), timeout()), (found) -> {
			this.heldLock.renewed(found, requested, this.client.now());
			work();
		}, (outcome) -> work());
	}

	private void release() {
		mayLetExpire();
		if (this.client.idle.keepIdle(this.history, this.heldLock)) {
			this.onEnd.run();
		}
		else {
			handOverOrGiveBack();
		}
	}

	// What nobody wants any more, and is not kept for anybody, either
	void pass() {
		mayLetExpire();
		handOverOrGiveBack();
	}

	private void mayLetExpire() {
		if (this.client.timeline.chance(0.02)) {
			this.heldLock.state().letExpire();
		}
	}

	private void handOverOrGiveBack() {
		if (!handOver() && !this.history.isOver()) {
			giveBack();
		}
	}

	private boolean handOver() {
		boolean passed = this.client.handOver(this.history, this.heldLock);
		if (passed) {
			this.onEnd.run();
		}
		return passed;
	}

	private void giveBack() {
		this.client.renewals.unregister(lease());
		ReleaseDecision releasing = this.heldLock.state().release(this.client.now());
		this.client.judge.over(this.history);
		if (!releasing.asks()) {
			end(releasing.end());
			return;
		}
		this.client.ask(request(this.heldLock, releasing, timeout()), (ended) -> {
			this.history.kept |= ended;
			end(releasing.answered(ended));
		}, (outcome) -> {
			this.client.judge.count(Event.RELEASE_UNKNOWN);
			end(releasing.failed());
		});
	}

	// What nobody worked under
	static void giveBack(HeldLock unwanted, SimulatedClient client) {
		client.renewals.unregister(unwanted.lease());
		unwanted.state().waiveMinHold();
		ReleaseDecision releasing = unwanted.state().release(client.now());
		Consumer<Judgement> end = (ended) -> {
			if (ended.cleansUp()) {
				client.cleanUp(unwanted.id(), unwanted.state().cleanUp(client.now()));
			}
		};
		if (releasing.asks()) {
			Duration timeout = unwanted.terms().operationTimeout();
			client.ask(request(unwanted, releasing, timeout), (ended) -> end.accept(releasing.answered(ended)),
					(outcome) -> end.accept(releasing.failed()));
		}
		else {
			end.accept(releasing.end());
		}
		client.over(unwanted);
	}

	private static Request<Boolean> request(HeldLock heldLock, ReleaseDecision releasing, Duration timeout) {
		LeaseId id = heldLock.id();
		if (releasing.keeps()) {
			return Request.keep(id, releasing.keptFor(), timeout);
		}
		return (releasing.needsProof()) ? Request.releaseProved(id, heldLock.grantFence(), timeout)
				: Request.release(id, timeout);
	}

	private Duration timeout() {
		return this.history.entry.terms.operationTimeout();
	}

	private void end(Judgement end) {
		this.client.judge.outcome(this.history, end.outcome());
		if (end.cleansUp()) {
			this.client.cleanUp(this.heldLock.id(), this.heldLock.state().cleanUp(this.client.now()));
		}
		this.client.over(this.heldLock);
		this.onEnd.run();
	}

	private Lease lease() {
		return this.heldLock.lease();
	}

	private long rest() {
		return this.client.timeline.between(1_000_000, this.errand.rest());
	}

	// Mostly short; sometimes longer than the margin allows for
	private long hesitation() {
		long most = (this.client.timeline.chance(0.02)) ? 2 * this.errand.terms().margin().toNanos() : 2_000_000;
		return this.client.timeline.between(0, most);
	}

}
