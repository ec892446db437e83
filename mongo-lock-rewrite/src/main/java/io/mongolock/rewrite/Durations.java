package io.mongolock.rewrite;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations of ShedLock as {@code @DistributedLock} has them.
 */
final class Durations {

	private static final Pattern SIMPLE = Pattern.compile("([+-]?\\d+)([a-zA-Z]{0,2})");

	private static final Pattern ISO = Pattern.compile("[+-]?P.*");

	private static final Map<String, ChronoUnit> UNITS = Map.of("us", ChronoUnit.MICROS, "ns", ChronoUnit.NANOS, "ms",
			ChronoUnit.MILLIS, "s", ChronoUnit.SECONDS, "m", ChronoUnit.MINUTES, "h", ChronoUnit.HOURS, "d",
			ChronoUnit.DAYS, "", ChronoUnit.MILLIS);

	private Durations() {
	}

	/**
	 * A duration of ShedLock: ISO 8601, a number with a unit, milliseconds without one,
	 * or with a placeholder.
	 * @throws UnmappedException if ShedLock refuses it, it is no whole milliseconds, or
	 * an expression
	 */
	static String of(String attribute, String duration) {
		if (duration.contains("#{")) {
			throw new UnmappedException(attribute + " is an expression. Write its value, or a placeholder");
		}
		if (duration.contains("${")) {
			return duration;
		}
		if (parse(attribute, duration).getNano() % 1_000_000 != 0) {
			throw new UnmappedException(attribute + " is no whole number of milliseconds. Round this value");
		}
		// Which here have to say so
		return (Character.isDigit(duration.charAt(duration.length() - 1))) ? duration + "ms" : duration;
	}

	private static Duration parse(String attribute, String text) {
		try {
			Duration duration = (ISO.matcher(text).matches()) ? Duration.parse(text) : simple(text);
			if (!duration.isNegative()) {
				return duration;
			}
		}
		catch (DateTimeException | ArithmeticException | IllegalArgumentException ex) {
			// as one that is negative
		}
		throw new UnmappedException(attribute + " is no duration that ShedLock accepts. Correct this value");
	}

	private static Duration simple(String text) {
		Matcher simple = SIMPLE.matcher(text);
		ChronoUnit unit = (simple.matches()) ? UNITS.get(simple.group(2).toLowerCase(Locale.ROOT)) : null;
		if (unit == null) {
			throw new IllegalArgumentException("no number with a unit");
		}
		return Duration.of(Long.parseLong(simple.group(1)), unit);
	}

}
