package io.mongolock.faults.simulation;

import java.util.PriorityQueue;

/**
 * The true time of a simulation and what is to happen in it, one event at a time. All
 * chance of a history comes from here. Belongs to one thread.
 */
final class Timeline {

	/** Far more than any history needs. */
	private static final int MAX_EVENTS = 100_000;

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private final Chance chance;

	private long now;

	private long count;

	Timeline(Chance chance) {
		this.chance = chance;
	}

	long now() {
		return this.now;
	}

	void after(long nanos, Runnable action) {
		this.events.add(new Event(this.now + Math.max(0, nanos), this.count++, action));
	}

	void at(long time, Runnable action) {
		after(time - this.now, action);
	}

	void run() {
		while (step()) {
			// One after the other
		}
	}

	// Whether anything was left to happen
	boolean step() {
		Event event = this.events.poll();
		if (event == null) {
			return false;
		}
		if (this.count > MAX_EVENTS) {
			throw new Violation(Violation.Kind.PROGRESS, "does not come to rest");
		}
		this.now = event.time();
		event.action().run();
		return true;
	}

	boolean chance(double probability) {
		return probability > 0 && this.chance.happens(probability);
	}

	// Which of some happens that exclude each other; negative if none does
	int which(double... probabilities) {
		return this.chance.which(probabilities);
	}

	// From the first, which may be the only one, to less than the second
	long between(long from, long to) {
		return (to > from) ? this.chance.between(from, to) : from;
	}

	private record Event(long time, long number, Runnable action) implements Comparable<Event> {

		@Override
		public int compareTo(Event other) {
			int byTime = Long.compare(this.time, other.time);
			return (byTime != 0) ? byTime : Long.compare(this.number, other.number);
		}

	}

}
