package io.mongolock.core;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * Durations as people write them in settings, with a number and a unit.
 */
public final class DurationPrinter {

	private static final List<Unit> UNITS = List.of(new Unit(ChronoUnit.DAYS, "d"), new Unit(ChronoUnit.HOURS, "h"),
			new Unit(ChronoUnit.MINUTES, "m"), new Unit(ChronoUnit.SECONDS, "s"));

	private DurationPrinter() {
	}

	/**
	 * A duration as a whole number of the largest possible unit.
	 * @return for example {@code 30s}, {@code 7d} or {@code 1500ms}; fractions of a
	 * millisecond are dropped
	 */
	public static String print(Duration duration) {
		long millis = duration.toMillis();
		for (Unit unit : UNITS) {
			if (millis != 0 && millis % unit.millis() == 0) {
				return millis / unit.millis() + unit.symbol();
			}
		}
		return millis + "ms";
	}

	/**
	 * Whether a text is a number without a unit, which would be read as milliseconds.
	 * Zero needs no unit.
	 */
	public static boolean lacksUnit(String text) {
		return text.trim().matches("[+-]?\\d+") && !text.trim().matches("[+-]?0+");
	}

	/**
	 * What to write instead of a number without a unit.
	 * @return a sentence without its full stop
	 */
	public static String withUnit(String text) {
		return "Write " + text.trim() + "ms, or " + text.trim() + "s if you mean seconds";
	}

	private record Unit(ChronoUnit unit, String symbol) {

		long millis() {
			return this.unit.getDuration().toMillis();
		}

	}

}
