package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockOwner;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.AcquisitionStep;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.Denied;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.GrantedTooLate;
import io.mongolock.core.AcquisitionStep.LastStep;
import io.mongolock.core.AcquisitionStep.LostOnTheWay;
import io.mongolock.core.Attempt;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LockAcquisition;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.faults.simulation.SimulatedWorker.Errand;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;

/**
 * Runs one acquisition to its end, as a driver of the product does.
 */
final class SimulatedAttempt implements LockAcquisition.Caller {

	private static final LockOwner OWNER = new LockOwner("simulation", "", "", 0, "");

	private final Errand errand;

	private final LockAcquisition acquisition;

	private final SimulatedClient client;

	private final LeaseHistory history;

	private final Consumer<@Nullable LeaseHistory> onEnd;

	private final boolean asynchronous;

	private int timers;

	private SimulatedAttempt(Errand errand, LockAcquisition acquisition, SimulatedClient client, LeaseHistory history,
			Consumer<@Nullable LeaseHistory> onEnd) {
		this.errand = errand;
		this.acquisition = acquisition;
		this.client = client;
		this.history = history;
		this.onEnd = onEnd;
		this.asynchronous = history.id.leaseToken().hashCode() % 2 == 0;
	}

	// Ends with what was granted, or null
	static void run(Errand errand, SimulatedClient client, Consumer<@Nullable LeaseHistory> onEnd) {
		LeaseId id = new LeaseId(errand.request().key(), errand.token());
		int limit = ConfiguredSettings.NONE.limit(errand.request());
		Attempt attempt = new Attempt(errand.request(), id, limit, OWNER, errand.terms(), client.now());
		LockAcquisition acquisition = new LockAcquisition(client.acquisitions, attempt, client.reserve(), client::lost);
		LeaseHistory history = client.judge.histories.begins(id, client, errand.terms(), limit, errand.last());
		SimulatedAttempt driver = new SimulatedAttempt(errand, acquisition, client, history, onEnd);
		driver.act(acquisition.begin(driver, attempt.begun()));
		long patience = (errand.last()) ? -1 : patience(errand, client.timeline);
		if (patience >= 0) {
			client.after(patience, () -> driver.act(acquisition.cancel()));
		}
	}

	// Some give up, a few before the first answer can be there
	private static long patience(Errand errand, Timeline timeline) {
		return switch (timeline.which(0.02, 0.08)) {
			case 0 -> timeline.between(0, 5_000_000);
			case 1 -> timeline.between(0, 2 * errand.terms().operationTimeout().toNanos());
			default -> -1;
		};
	}

	@Override
	public void turn() {
		long wakesIn = wakesIn();
		this.history.slow |= wakesIn > this.client.acquisitions.places().ttl().toNanos() / 2;
		this.client.after(wakesIn, () -> act(this.acquisition.turn(this.client.now())));
	}

	// A thread takes a while to wake up, and may have given up meanwhile. One that stands
	// still keeps those of its JVM waiting, but has no place that keeps others waiting
	private long wakesIn() {
		long reliable = this.history.terms.reliable().toNanos();
		boolean standsStill = !this.errand.last() && this.acquisition.position() == null
				&& this.client.timeline.chance(0.1);
		long most = (this.client.timeline.chance(0.1)) ? reliable / 4 : 1_000_000;
		return this.client.timeline.between(0, (standsStill) ? 2 * reliable : most);
	}

	@Override
	public void stop() {
		throw new UnsupportedOperationException();
	}

	private void act(AcquisitionStep step) {
		if (step.cleansUp()) {
			this.client.cleanUp(this.history.id, this.acquisition.cleanUp(this.client.now()));
		}
		setTimer();
		if (step instanceof Ask) {
			ask();
		}
		else if (step instanceof Granted granted) {
			granted(granted);
		}
		else if (step instanceof LostOnTheWay lost) {
			this.client.judge.event(this.history, "was handed what is lost", Event.LOST_ON_THE_WAY);
			SimulatedHold.giveBack(lost.unwanted(), this.client);
			act(lost.next());
		}
		else if (step instanceof Cancelled cancelled && cancelled.unwanted() != null) {
			giveBack(cancelled.unwanted());
		}
		else if (step instanceof LastStep) {
			end(step);
		}
	}

	private void setTimer() {
		int timer = ++this.timers;
		long nanos = this.acquisition.dueIn(this.client.now());
		if (nanos >= 0) {
			this.client.after(nanos, () -> {
				if (timer == this.timers) {
					act(this.acquisition.timer(this.client.now()));
				}
			});
		}
	}

	private void ask() {
		// As asynchronous claims are asked for: for a moment only, then once more
		boolean first = this.asynchronous && !this.acquisition.isUnanswered();
		Duration timeout = this.history.terms.operationTimeout();
		Claim claim = Objects.requireNonNull(this.acquisition.send(this.client.now()));
		this.client.ask(Request.claim(claim, (first) ? timeout.dividedBy(4) : timeout), (answer) -> {
			long starved = this.client.starves(this.history.terms.reliable());
			if (!claim.linger().isZero() && this.client.timeline.chance(0.4)) {
				// Others may recall the lease before it is known here
				this.client.after(this.client.timeline.between(0, timeout.toNanos()), () -> answered(answer));
			}
			else if (starved > 0) {
				this.history.starvedUntil = this.client.timeline.now() + starved;
				this.client.after(starved, () -> answered(answer));
			}
			else {
				answered(answer);
			}
		}, (outcome) -> failed(outcome, first));
	}

	private void answered(ClaimAnswer answer) {
		boolean over = this.history.isOver();
		AcquisitionStep step = this.acquisition.answered(answer, this.client.now());
		if (answer.grantTo(this.history.id.leaseToken()).isPresent()) {
			Violation.check(!over || step.cleansUp(), Violation.Kind.GHOST,
					() -> this.history + " was granted after it gave up, and nobody is to clean up");
			if (step instanceof GrantedTooLate) {
				this.history.late = true;
				this.client.judge.count(Event.GRANTED_TOO_LATE);
			}
			this.history.unknown |= !(step instanceof Granted) && !this.history.late;
		}
		act(step);
	}

	private void failed(Outcome outcome, boolean first) {
		this.history.unknown |= outcome == Outcome.UNKNOWN;
		LockStoreException failure = new LockStoreException(this.history.id.key(), outcome, "simulated", null);
		AcquisitionStep step = (first) ? this.acquisition.failedFirst(failure, this.client.now())
				: this.acquisition.failed(failure, this.client.now());
		if (first && step instanceof Ask) {
			this.client.judge.count(Event.CLAIM_ASKED_TWICE);
		}
		act(step);
	}

	private void granted(Granted granted) {
		if (!granted.handedOver()) {
			this.client.renewals.register(granted.held().lease());
		}
		if (this.history.unknown) {
			this.client.judge.count(Event.GRANTED_AFTER_AN_UNKNOWN_CLAIM);
		}
		if (granted.held().wasIdle()) {
			this.client.idle.taken(this.history, granted.held());
		}
		else {
			this.client.judge.notified(this.history, granted.held());
		}
		this.onEnd.accept(this.history);
	}

	private void giveBack(HeldLock unwanted) {
		this.client.judge.notified(this.history, unwanted);
		this.client.judge.count(Event.HANDED_TO_ONE_WHO_GAVE_UP);
		new SimulatedHold(this.errand, this.client, this.history, () -> this.onEnd.accept(null)).pass();
	}

	private void end(AcquisitionStep step) {
		this.client.judge.event(this.history, "gives up", (step instanceof Denied) ? Event.DENIED
				: (step instanceof Cancelled) ? Event.CLAIM_CANCELLED : Event.CLAIM_FAILED);
		this.client.judge.over(this.history);
		this.onEnd.accept(null);
	}

}
