package io.mongolock.faults.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Chance that is chosen: each choice is the usual one but for a few, so that all
 * histories can be run that differ from the usual one in so many choices. Belongs to one
 * thread.
 */
final class Choices implements Chance {

	/** What takes less is no choice: nobody else comes in between. */
	private static final long INSTANT = 3_000_000;

	/** What takes no longer is either early or late. */
	private static final long SHORT = 100_000_000;

	private final List<Unusual> unusual;

	/** How many ways there were, choice by choice. */
	private final List<Integer> ways = new ArrayList<>();

	private int met;

	private boolean settled;

	/**
	 * Choose.
	 * @param unusual the choices that are not the usual ones, in their order
	 */
	Choices(List<Unusual> unusual) {
		this.unusual = unusual;
	}

	/**
	 * Whether nothing goes wrong.
	 */
	boolean areUsual() {
		return this.unusual.isEmpty();
	}

	/**
	 * How many were not the usual ones so far.
	 */
	int met() {
		return this.met;
	}

	/**
	 * From here on there is no choice.
	 */
	void settle() {
		this.settled = true;
	}

	/**
	 * One of so many; the usual one is 0.
	 */
	int among(int ways) {
		if (this.settled) {
			return 0;
		}
		int at = this.ways.size();
		this.ways.add(ways);
		if (this.met < this.unusual.size() && this.unusual.get(this.met).at() == at) {
			return this.unusual.get(this.met++).way();
		}
		return 0;
	}

	@Override
	public boolean happens(double probability) {
		boolean usual = probability >= 0.5;
		return (among(2) == 0) ? usual : !usual;
	}

	// None is the usual one
	@Override
	public int which(double... probabilities) {
		return among(1 + probabilities.length) - 1;
	}

	@Override
	public long between(long from, long to) {
		if (to - from < INSTANT) {
			return from;
		}
		return switch (among((to - from <= SHORT) ? 2 : 3)) {
			case 0 -> to - 1;
			case 1 -> from;
			default -> from + (to - from) / 2;
		};
	}

	/**
	 * The histories that differ from this one, which has ended, in one more choice, after
	 * all those of this one.
	 */
	List<List<Unusual>> next() {
		List<List<Unusual>> next = new ArrayList<>();
		int first = (this.unusual.isEmpty()) ? 0 : this.unusual.get(this.unusual.size() - 1).at() + 1;
		for (int at = first; at < this.ways.size(); at++) {
			for (int way = 1; way < this.ways.get(at); way++) {
				List<Unusual> more = new ArrayList<>(this.unusual);
				more.add(new Unusual(at, way));
				next.add(more);
			}
		}
		return next;
	}

	/**
	 * A choice that is not the usual one.
	 *
	 * @param at its number in the history
	 * @param way which one
	 */
	record Unusual(int at, int way) {

		// By the first choice in which they differ; what begins with all of another comes
		// after it
		static int compare(List<Unusual> one, List<Unusual> other) {
			for (int i = 0; i < Math.min(one.size(), other.size()); i++) {
				int byChoice = Comparator.comparingInt(Unusual::at)
					.thenComparingInt(Unusual::way)
					.compare(one.get(i), other.get(i));
				if (byChoice != 0) {
					return byChoice;
				}
			}
			return Integer.compare(one.size(), other.size());
		}

		static List<Unusual> parse(String text) {
			return Stream.of(text.split(",")).filter((part) -> !part.isEmpty()).map((part) -> {
				int sign = part.indexOf('=');
				return new Unusual(Integer.parseInt(part.substring(0, sign)),
						Integer.parseInt(part.substring(sign + 1)));
			}).toList();
		}

		@Override
		public String toString() {
			return this.at + "=" + this.way;
		}

	}

}
