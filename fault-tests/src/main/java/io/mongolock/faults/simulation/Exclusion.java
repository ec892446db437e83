package io.mongolock.faults.simulation;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockRequest;
import io.mongolock.faults.simulation.Coverage.Event;

/**
 * Judges that no two hold a lock at once, as far as clocks and pauses allow, and that a
 * holder is notified before another is granted.
 */
final class Exclusion {

	/** Dates and wall clocks are whole milliseconds. */
	private static final long ROUNDING = 2_000_000;

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
		int limit = holders.stream().mapToInt((tenure) -> tenure.limit).min().orElseThrow();
		Violation.check(holders.size() <= limit, Violation.Kind.LIMIT,
				() -> holders + " hold a lock together that one of them wants to share with " + (limit - 1));
		if (holders.size() > 1) {
			this.coverage.count((limit == LockRequest.UNLIMITED) ? Event.READ_TOGETHER : Event.HELD_TOGETHER);
		}
	}

	// Another is granted what a client was told it holds
	void overtaken(LeaseHistory tenure, long at) {
		if (tenure.overtakenAt < 0) {
			tenure.overtakenAt = at;
			this.coverage.count(Event.TAKEN_OVER);
		}
		if (tenure.entry.deleted) {
			return;
		}
		Violation.check(tenure.relied() <= Math.max(0, clockError() - margin(tenure)), Violation.Kind.TOLD_LATE,
				() -> "another is granted while " + tenure + " relies on its lease for " + tenure.relied() / 1_000_000
						+ "ms more");
		if (clockError() <= margin(tenure) && isWatched(tenure)) {
			Violation.check(tenure.told, Violation.Kind.TOLD_LATE,
					() -> "another is granted before " + tenure + " was told");
		}
	}

	// A client that runs, and never lost monotonic time, has looked at the deadline
	private boolean isWatched(LeaseHistory tenure) {
		long deadline = Objects.requireNonNull(tenure.heldLock).lease().deadline();
		long ranSince = tenure.client.frozenUntil() + 2 * ROUNDING;
		return !tenure.client.wasSuspended() && deadline + ROUNDING < this.timeline.now()
				&& ranSince < this.timeline.now();
	}

	void acts(LeaseHistory tenure, long checkedAt) {
		long pause = this.timeline.now() - checkedAt;
		Violation.check(tenure.entry.holder == tenure.heldLock, Violation.Kind.OVERLAP,
				() -> tenure + " acts although another of its client holds the lock");
		Violation.check(tenure.expiredAt < 0 || checkedAt < tenure.expiredAt, Violation.Kind.REVIVED,
				() -> tenure + " acts although its lease had run out");
		long most = tenure.entry.touchedAt + tenure.terms.reliable().toNanos() - this.timeline.now();
		Violation.check(tenure.client.wasSuspended() || tenure.relied() <= Math.max(0, most), Violation.Kind.TOLD_LATE,
				() -> tenure + " relies on its lease longer than since the store last began it");
		if (tenure.overtakenAt >= 0 && this.timeline.now() > tenure.overtakenAt && !tenure.entry.deleted
				&& !(checkedAt <= tenure.stoppedAt && tenure.stoppedAt <= this.timeline.now())) {
			long overlap = this.timeline.now() - tenure.overtakenAt;
			long explained = Math.max(0, clockError() + pause - margin(tenure));
			Violation.check(overlap <= explained, Violation.Kind.OVERLAP, () -> tenure + " acts " + overlap / 1000
					+ "us after another was granted; clocks and pauses explain " + explained / 1000 + "us");
			this.coverage
				.count((pause > margin(tenure)) ? Event.OVERLAP_PAUSE_BEYOND_MARGIN : (clockError() > margin(tenure))
						? Event.OVERLAP_CLOCK_BEYOND_MARGIN : Event.OVERLAP_BY_BOTH_TOGETHER);
		}
	}

	private static long margin(LeaseHistory tenure) {
		return tenure.terms.margin().toNanos();
	}

	// By how much the store's clock may have ended a lease early
	long clockError() {
		return Objects.requireNonNull(this.clock).ahead() + ROUNDING;
	}

}
