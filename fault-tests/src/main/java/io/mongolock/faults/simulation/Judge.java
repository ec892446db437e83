package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.core.ClockReading;
import io.mongolock.core.HandOver;
import io.mongolock.core.HeldLock;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Kind;
import io.mongolock.store.LeaseId;
import io.mongolock.test.StoreLog.Grant;

/**
 * Sees what clients learn and do, and with its {@link StoreJudge} what the store does;
 * writes it down, and throws a {@link Violation} as soon as a promise is broken.
 */
final class Judge {

	private final Timeline timeline;

	final Histories histories;

	private final Exclusion exclusion;

	final StoreJudge store;

	private final Map<Grant, Map<Long, Long>> handOvers = new HashMap<>();

	private Consumer<LeaseHistory> onOver = (history) -> {
	};

	Judge(Timeline timeline, Trace trace, Coverage coverage) {
		this.timeline = timeline;
		this.histories = new Histories(timeline, trace, coverage);
		this.exclusion = new Exclusion(timeline, coverage);
		this.store = new StoreJudge(timeline, this.histories, this.exclusion);
	}

	void onOver(Consumer<LeaseHistory> onOver) {
		this.onOver = onOver;
	}

	void count(Event event) {
		this.histories.count(event);
	}

	void event(String who, String what, @Nullable Event event) {
		this.histories.event(who, what);
		if (event != null) {
			count(event);
		}
	}

	void event(LeaseHistory history, String what, Event event) {
		this.histories.event(history, what, event);
	}

	void doubled(Kind kind, LeaseId id) {
		if (kind == Kind.CLAIM) {
			this.histories.of(id.leaseToken()).doubled = true;
		}
	}

	// A clean-up was answered on a lock that has to stay taken
	void kept(LeaseId id, boolean there) {
		this.histories.of(id.leaseToken()).kept |= there;
	}

	// Of its grant, or of what it was handed
	void notified(LeaseHistory history, HeldLock heldLock) {
		Violation.check(!history.isOver(), Violation.Kind.GHOST, () -> history + " is granted a lock after it gave up");
		history.heldLock = heldLock;
		history.entry = this.histories.of(heldLock.id().leaseToken());
		history.notified = heldLock.lossReason() != null;
		if (history.entry.holder == null) {
			history.entry.holder = heldLock;
		}
		history.grantedAt = this.store.truth.grantedAt(grant(heldLock));
		history.leftWhenTold = history.relied();
		event(history, "is granted", Event.GRANTED);
		long overtakenAt = this.store.truth.overtakenAt(history);
		if (overtakenAt >= 0) {
			this.exclusion.overtaken(history, overtakenAt);
		}
	}

	void handedOver(LeaseHistory from, HeldLock to, HandOver turn) {
		LeaseHistory entry = from.entry;
		Violation.check(entry.holder == from.heldLock, Violation.Kind.OVERLAP,
				() -> from + " hands over what another of its client holds");
		Violation.check(to.lease().remaining(from.client.now()).compareTo(Duration.ZERO) > 0, Violation.Kind.REVIVED,
				() -> from + " hands over what has run out");
		long age = this.timeline.now() - Math.max(begunAt(entry, to), entry.takenAt);
		Violation.check(isExcused(entry) || age < turn.maxTime().toNanos(), Violation.Kind.STREAK,
				() -> from + " hands over " + age / 1_000_000 + "ms after others may have come");
		passedOn(from, to, 0);
	}

	private static boolean isExcused(LeaseHistory entry) {
		return entry.unknown || entry.client.wasSuspended();
	}

	// A grant that is answered only when asked again counts from there
	private long begunAt(LeaseHistory entry, HeldLock held) {
		return Math.max(this.store.truth.grantedAt(grant(held)), entry.askedAgainAt);
	}

	private void passedOn(LeaseHistory from, HeldLock to, long ago) {
		from.entry.holder = to;
		numbered(from, to, this.timeline.now() - ago);
		event(from, "hands over", Event.HANDED_OVER);
		from.outcome = ReleaseOutcome.RELEASED;
		if (!from.isOver()) {
			end(from);
		}
	}

	// One that was overtaken without knowing, because its clock or the store's allow, is
	// late, but not before those who had the lock before it
	private void numbered(LeaseHistory history, HeldLock held, long at) {
		Map<Long, Long> turnSoFar = this.handOvers.computeIfAbsent(grant(held), (same) -> new LinkedHashMap<>());
		long before = turnSoFar.values().stream().reduce(history.grantedAt, Math::max);
		turnSoFar.put(held.fence(), (history.overtakenAt < 0) ? Math.max(before, at) : before);
	}

	// Its client keeps the lease, which nobody holds from here on
	void rests(LeaseHistory history) {
		history.outcome = ReleaseOutcome.RELEASED;
		history.idleAt = this.timeline.now();
		event(history, "leaves its lease idle", Event.IDLE);
		over(history);
	}

	// The lease that was idle begins a turn of its own
	void takes(LeaseHistory history, HeldLock heldLock) {
		LeaseHistory entry = this.histories.of(heldLock.id().leaseToken());
		Violation.check(from(entry).idleAt >= 0, Violation.Kind.OVERLAP,
				() -> history + " takes what another of its client holds");
		notified(history, heldLock);
		event(history, "took an idle lease", Event.TAKEN_IDLE);
		entry.holder = heldLock;
		entry.takenAt = this.timeline.now();
		numbered(history, heldLock, this.timeline.now());
	}

	// Nobody, if who was granted it did not want it any more
	private LeaseHistory from(LeaseHistory entry) {
		return this.histories.all()
			.stream()
			.filter((other) -> other.heldLock != null && other.heldLock == entry.holder)
			.findFirst()
			.orElse(entry);
	}

	// Told by the product's own client, which hands over unseen
	void notified(LeaseHistory history, HeldLock heldLock, HandOver turn) {
		if (heldLock.isHandedOver()) {
			LeaseHistory entry = this.histories.of(heldLock.id().leaseToken());
			LeaseHistory from = from(entry);
			long ago = heldLock.heldFor(from.client.now()).toNanos();
			long age = this.timeline.now() - ago - begunAt(entry, heldLock);
			// A lease that was idle is a turn of its own
			boolean lingers = !from.terms.linger().isZero();
			Violation.check(lingers || isExcused(entry) || age < turn.maxTime().toNanos(), Violation.Kind.STREAK,
					() -> from + " handed over " + age / 1_000_000 + "ms after others may have come");
			passedOn(from, heldLock, (from.client.wasSuspended()) ? 0 : ago);
		}
		notified(history, heldLock);
	}

	// The fences that were handed out after that of a grant, and when
	Map<Long, Long> handOvers(Grant grant) {
		return this.handOvers.getOrDefault(grant, Map.of());
	}

	static Grant grant(HeldLock heldLock) {
		return new Grant(heldLock.key(), heldLock.id().leaseToken(), heldLock.grantFence());
	}

	void notifiedOfLoss(HeldLock heldLock) {
		notifiedOfLoss(heldLock.key(), heldLock.fence());
	}

	void notifiedOfLoss(String key, long fence) {
		for (LeaseHistory history : this.histories.all()) {
			HeldLock heldLock = history.heldLock;
			if (heldLock != null && heldLock.key().equals(key) && heldLock.fence() == fence) {
				Violation.check(history.idleAt < 0, Violation.Kind.OUTCOME,
						() -> history + " is notified of the loss of a lock that nobody holds");
				history.notified = true;
				event(history, "is notified of the loss", Event.TOLD_OF_A_LOSS);
				if (heldLock.isHandedOver()) {
					count(Event.LOST_IN_A_STREAK);
				}
			}
		}
	}

	// After whatever a process has done
	void relies(SimulatedProcess process) {
		for (LeaseHistory history : this.histories.all()) {
			if (history.client == process && history.heldLock != null && !history.isOver()) {
				this.exclusion.relies(history);
			}
		}
	}

	void acts(LeaseHistory history, long checkedAt) {
		event(history, "acts", Event.ACTS);
		this.exclusion.acts(history, checkedAt);
	}

	// Its holder is about to release it
	void closes(LeaseHistory history) {
		this.histories.event(history.client.name, "lets go", history.id.key(), history);
		end(history);
	}

	// Whether it was handed over is seen when another has it
	void closed(LeaseHistory history) {
		if (history.outcome != ReleaseOutcome.RELEASED || history.entry.releaseAsked) {
			this.onOver.accept(history);
		}
	}

	void over(LeaseHistory history) {
		end(history);
		this.onOver.accept(history);
	}

	private void end(LeaseHistory history) {
		history.overAt = this.timeline.now();
		history.notified = true;
	}

	void outcome(LeaseHistory history, ReleaseOutcome outcome) {
		history.outcome = outcome;
		event(history, "is notified " + outcome, switch (outcome) {
			case RELEASED -> Event.RELEASED;
			case EXPIRED_UNCONTESTED -> Event.EXPIRED_UNCONTESTED;
			case LEFT_TO_EXPIRE -> Event.LEFT_TO_EXPIRE;
			case LOST -> Event.LOST;
		});
	}

	void stops(SimulatedProcess process, String how, Event heldLock) {
		this.histories.event(process.name, how);
		for (LeaseHistory history : this.histories.all()) {
			if (history.client == process && history.relied() > 0) {
				count(heldLock);
			}
		}
	}

	// In time, if it was still relied on: from here on it has not run out, although the
	// thread that knows may stand still before it says so
	void renewed(SimulatedProcess process, List<LeaseId> ids, ClockReading requested) {
		event(process.name, "has renewed", Event.RENEWED);
		for (LeaseHistory history : this.histories.all()) {
			if (history.client == process && history.relied() > 0 && ids.contains(history.entry.id)) {
				history.renewed = requested;
			}
		}
	}

	// A process is about to run again: what it finds run out must stay so
	void continues(SimulatedProcess process) {
		this.histories.event(process.name, "continues");
		for (LeaseHistory history : this.histories.all()) {
			if (history.client == process && history.expiredAt < 0 && history.heldLock != null && history.relied() == 0
					&& !history.isRenewed()) {
				history.expiredAt = this.timeline.now();
			}
		}
	}

	// What had run out by a clock that was ahead, and was not looked at by the process
	// before it was set right, has not run out
	void setsWallClock(SimulatedProcess process) {
		event(process.name, "sets its wall clock", null);
		for (LeaseHistory history : this.histories.all()) {
			if (history.client == process && !process.wasSuspended() && history.relied() > 0) {
				history.expiredAt = -1;
			}
		}
	}

	void crashes(SimulatedProcess process) {
		stops(process, "crashes", Event.CRASHED_HOLDING);
		for (LeaseHistory history : this.histories.all()) {
			if (history.client == process && !history.isOver()) {
				over(history);
			}
		}
	}

}
