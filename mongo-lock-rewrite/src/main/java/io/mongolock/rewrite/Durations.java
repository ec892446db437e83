package io.mongolock.rewrite;

import java.util.regex.Pattern;

/**
 * Durations of ShedLock as {@code @DistributedLock} has them.
 */
final class Durations {

	private static final Pattern MILLIS = Pattern.compile("\\d+");

	private static final Pattern TOO_FINE = Pattern.compile("(?i)\\d+(ns|us)");

	private Durations() {
	}

	/**
	 * A duration of ShedLock: ISO 8601, a number with a unit, milliseconds without one,
	 * or a placeholder.
	 * @throws UnmappedException if it is no whole milliseconds
	 */
	static String of(String duration) {
		String text = duration.strip();
		if (TOO_FINE.matcher(text).matches()) {
			throw new UnmappedException(text + " is no whole milliseconds: round it");
		}
		// Which here have to say so
		return (MILLIS.matcher(text).matches()) ? text + "ms" : text;
	}

}
