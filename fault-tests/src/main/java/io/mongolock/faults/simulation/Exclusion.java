package io.mongolock.faults.simulation;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.faults.simulation.Coverage.Event;

/**
 * Judges that no two hold a lock at once, as far as clocks and pauses allow, and that a
 * holder is notified before another is granted.
 */
final class Exclusion {

	/** Dates and wall clocks are whole milliseconds. */
	private static final long ROUNDING = 2_000_000;

	/** How long a lock stays taken at most for work that a stop has cut off. */
	private static final long CUT_OFF = 6_000_000_000L;

	private final Timeline timeline;

	private final Coverage coverage;

	private @Nullable StoreClock clock;

	Exclusion(Timeline timeline, Coverage coverage) {
		this.timeline = timeline;
		this.coverage = coverage;
	}

	void goBy(StoreClock clock) {
		this.clock = clock;
	}

	// As far as the store knows
	void together(List<LeaseHistory> holders) {
		int limit = holders.stream().mapToInt((history) -> history.limit).min().orElseThrow();
		Violation.check(holders.size() <= limit, Violation.Kind.LIMIT,
				() -> holders + " hold a lock together that one of them wants to share with " + (limit - 1));
		if (holders.size() > 1) {
			this.coverage.count((limit == LockRequest.UNLIMITED) ? Event.READ_TOGETHER : Event.HELD_TOGETHER);
		}
	}

	// Another is granted a lock that a client believes to hold
	void overtaken(LeaseHistory history, long at) {
		if (history.overtakenAt < 0) {
			history.overtakenAt = at;
			this.coverage.count(Event.TAKEN_OVER);
		}
		if (history.entry.deleted) {
			return;
		}
		Violation.check(history.relied() <= Math.max(0, clockError() - margin(history)), Violation.Kind.TOLD_LATE,
				() -> "another is granted while " + history + " relies on its lease for " + history.relied() / 1_000_000
						+ "ms more");
		if (clockError() <= margin(history) && isWatched(history)) {
			Violation.check(history.notified, Violation.Kind.TOLD_LATE,
					() -> "another is granted before " + history + " was notified");
		}
	}

	// A client that runs, and never lost monotonic time, has looked at the deadline
	private boolean isWatched(LeaseHistory history) {
		long deadline = Objects.requireNonNull(history.heldLock).lease().deadline();
		long ranSince = history.client.frozenUntil() + 2 * ROUNDING;
		return !history.client.wasSuspended() && deadline + ROUNDING < this.timeline.now()
				&& ranSince < this.timeline.now();
	}

	void acts(LeaseHistory history, long checkedAt) {
		long pause = this.timeline.now() - checkedAt;
		Violation.check(history.entry.holder == history.heldLock, Violation.Kind.OVERLAP,
				() -> history + " acts although another of its client holds the lock");
		Violation.check(history.expiredAt < 0 || checkedAt < history.expiredAt, Violation.Kind.REVIVED,
				() -> history + " acts although its lease had run out");
		relies(history);
		if (history.overtakenAt >= 0 && this.timeline.now() > history.overtakenAt && !history.entry.deleted) {
			long overlap = this.timeline.now() - history.overtakenAt;
			long explained = Math.max(0, clockError() + pause - margin(history));
			Violation.check(overlap <= explained, Violation.Kind.OVERLAP, () -> history + " acts " + overlap / 1000
					+ "us after another was granted; clocks and pauses explain " + explained / 1000 + "us");
			this.coverage
				.count((pause > margin(history)) ? Event.OVERLAP_PAUSE_BEYOND_MARGIN : (clockError() > margin(history))
						? Event.OVERLAP_CLOCK_BEYOND_MARGIN : Event.OVERLAP_BY_BOTH_TOGETHER);
		}
	}

	void relies(LeaseHistory history) {
		long most = history.entry.touchedAt + history.terms.reliable().toNanos() - this.timeline.now();
		Violation.check(history.client.wasSuspended() || history.relied() <= Math.max(0, most),
				Violation.Kind.TOLD_LATE,
				() -> history + " relies on its lease longer than since the store last began it");
	}

	// A stop that cuts work off leaves it no more than 6 s, whatever its margin
	private static long margin(LeaseHistory history) {
		long margin = history.terms.margin().toNanos();
		boolean cutOff = history.heldLock != null && history.heldLock.lossReason() == LossReason.SHUTDOWN;
		return (cutOff) ? Math.min(margin, CUT_OFF) : margin;
	}

	// By how much the store's clock may have ended a lease early
	long clockError() {
		return Objects.requireNonNull(this.clock).ahead() + ROUNDING;
	}

}
