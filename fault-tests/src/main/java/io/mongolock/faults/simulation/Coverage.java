package io.mongolock.faults.simulation;

import java.util.Arrays;
import java.util.Locale;

/**
 * How often the histories reached what they are meant to reach. Belongs to one thread.
 */
final class Coverage {

	private final long[] counts = new long[Event.values().length];

	void count(Event event) {
		count(event, 1);
	}

	void count(Event event, long times) {
		this.counts[event.ordinal()] += times;
	}

	long of(Event event) {
		return this.counts[event.ordinal()];
	}

	void add(Coverage other) {
		Arrays.setAll(this.counts, (index) -> this.counts[index] + other.counts[index]);
	}

	String toTable() {
		StringBuilder table = new StringBuilder();
		for (Event event : Event.values()) {
			table.append(String.format(Locale.ROOT, "%-44s %12d%n",
					event.name().toLowerCase(Locale.ROOT).replace('_', ' '), of(event)));
		}
		return table.toString();
	}

	enum Event {

		ACTS, GRANTED, GRANTED_AFTER_AN_UNKNOWN_CLAIM, DENIED, CLAIM_FAILED, CLAIM_CANCELLED, CLAIM_ASKED_TWICE,
		GRANTED_TOO_LATE, CLAIM_EXECUTED_LATE, CLAIM_GRANTED_TO_NOBODY, FREED_BY_CLEAN_UP, GRANT_FORGOTTEN, TAKEN_OVER,
		RENEWED, RENEWAL_REFUSED, RENEWAL_UNKNOWN, TOLD_OF_A_LOSS, RELEASED, EXPIRED_UNCONTESTED, LEFT_TO_EXPIRE, LOST,
		RELEASE_UNKNOWN, RELEASE_FORGOTTEN, RELEASE_ANSWERED_BY_OLD_PRIMARY, CRASHED_HOLDING, SUSPENDED_HOLDING,
		PAUSED_HOLDING, FAILOVER, OLD_PRIMARY, REMOVED_BY_TTL_INDEX, BLOCKED, OVERLAP_CLOCK_BEYOND_MARGIN,
		OVERLAP_PAUSE_BEYOND_MARGIN, OVERLAP_BY_BOTH_TOGETHER, HANDED_OVER, HANDED_TO_ONE_WHO_GAVE_UP, LOST_IN_A_STREAK,
		LOST_ON_THE_WAY, TURN_ENDED, READ_TOGETHER, HELD_TOGETHER, IN_QUEUE, HINT, QUEUE_REFRESH, QUEUE_LOOK,
		QUEUE_LEAVE, GRANTED_IN_ORDER, REFUSED, DELETED, STOPPED, STOOD_STILL, SHARED, NOT_SHARED,
		UNWANTED_AT_THE_GRANT, IDLE, TAKEN_IDLE, RECALLED, RECALLED_BEFORE_THE_GRANT_WAS_KNOWN

	}

}
