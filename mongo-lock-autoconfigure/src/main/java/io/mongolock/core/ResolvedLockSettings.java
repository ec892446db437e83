package io.mongolock.core;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockSettings;

/**
 * {@link LockSettings} with every default filled in and every inequality checked.
 *
 * @param ttl how long a lease lasts without renewal
 * @param margin how long before its end the holder no longer relies on it
 * @param renewInterval time between renewals
 * @param operationTimeout the longest that one request to the store may take
 * @param waitTimeout how long to wait for a lock that another holds
 * @param retryInterval the longest time between two looks at a lock that another holds
 * @param autoRenew whether the lease is renewed while it is held
 * @param minHold how long the lock stays taken at least, from its grant on
 * @param linger how long the lease is kept that nobody of this JVM holds any more
 */
public record ResolvedLockSettings(Duration ttl, Duration margin, Duration renewInterval, Duration operationTimeout,
		Duration waitTimeout, Duration retryInterval, boolean autoRenew, Duration minHold, Duration linger) {

	/**
	 * The ttl where nobody says another.
	 */
	public static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

	/**
	 * The wait timeout where nobody says another.
	 */
	public static final Duration DEFAULT_WAIT_TIMEOUT = Duration.ofSeconds(5);

	/**
	 * The retry interval where nobody says another.
	 */
	public static final Duration DEFAULT_RETRY_INTERVAL = Duration.ofMillis(100);

	private static final Duration MAX_OPERATION = Duration.ofSeconds(3);

	private static final Duration MIN_TTL = Duration.ofMillis(100);

	private static final Duration MIN_RELIABLE = Duration.ofMillis(10);

	/**
	 * For a timeout that is set, not derived: with less, claims fail that nothing is
	 * wrong with.
	 */
	private static final Duration MIN_OPERATION = Duration.ofMillis(100);

	/** Far beyond any use, far below what overflows nanoseconds. */
	private static final Duration MAX_DURATION = Duration.ofDays(10_000);

	public ResolvedLockSettings {
		check("ttl", ttl, MIN_TTL);
		checkMargin(ttl, margin);
		check("renew-interval", renewInterval, Duration.ofMillis(1));
		check("operation-timeout", operationTimeout, Duration.ofMillis(1));
		check("wait-timeout", waitTimeout, Duration.ZERO);
		check("retry-interval", retryInterval, Duration.ofMillis(1));
		check("min-hold", minHold, Duration.ZERO);
		check("linger", linger, Duration.ZERO);
		Duration reliable = ttl.minus(margin);
		if (renewInterval.compareTo(part(reliable, 3)) > 0) {
			throw new InvalidLockSettingsException("renew-interval", renewInterval,
					"must be at most (ttl - margin) / 3 = (" + millis(ttl) + " - " + millis(margin) + ") / 3 = "
							+ millis(part(reliable, 3)) + ", so that a renewal that fails can be tried again");
		}
		Duration longestOperation = part(reliable.minus(renewInterval), 2);
		if (operationTimeout.compareTo(longestOperation) > 0) {
			throw new InvalidLockSettingsException("operation-timeout", operationTimeout,
					"must be at most (ttl - margin - renew-interval) / 2 = (" + millis(ttl) + " - " + millis(margin)
							+ " - " + millis(renewInterval) + ") / 2 = " + millis(longestOperation)
							+ ", so that a second try still ends in time");
		}
	}

	/**
	 * Fill in the defaults: margin 20 % of the ttl, renewal every third of the rest, and
	 * three seconds for a request or what a short lease leaves for two.
	 * @throws InvalidLockSettingsException if the settings contradict each other
	 */
	public static ResolvedLockSettings of(LockSettings settings) {
		Duration ttl = orElse(settings.ttl(), DEFAULT_TTL);
		check("ttl", ttl, MIN_TTL);
		Duration margin = orElse(settings.margin(), part(ttl, 5));
		checkMargin(ttl, margin);
		Duration reliable = ttl.minus(margin);
		Duration renewInterval = orElse(settings.renewInterval(), atLeastOne(part(reliable, 3)));
		if (settings.operationTimeout() != null) {
			check("operation-timeout", settings.operationTimeout(), MIN_OPERATION);
		}
		Duration operationTimeout = orElse(settings.operationTimeout(),
				shorter(MAX_OPERATION, atLeastOne(part(reliable.minus(renewInterval), 2))));
		return new ResolvedLockSettings(ttl, margin, renewInterval, operationTimeout,
				orElse(settings.waitTimeout(), DEFAULT_WAIT_TIMEOUT),
				orElse(settings.retryInterval(), DEFAULT_RETRY_INTERVAL),
				(settings.autoRenew() != null) ? settings.autoRenew() : true, orElse(settings.minHold(), Duration.ZERO),
				orElse(settings.linger(), Duration.ZERO));
	}

	/**
	 * What an operator wants to know of them.
	 * @return values as text by the names of the components
	 */
	public Map<String, Object> toText() {
		Map<String, Object> text = new LinkedHashMap<>();
		text.put("ttl", DurationText.print(this.ttl));
		text.put("margin", DurationText.print(this.margin));
		text.put("renewInterval", DurationText.print(this.renewInterval));
		text.put("operationTimeout", DurationText.print(this.operationTimeout));
		text.put("waitTimeout", DurationText.print(this.waitTimeout));
		text.put("retryInterval", DurationText.print(this.retryInterval));
		text.put("autoRenew", this.autoRenew);
		text.put("linger", DurationText.print(this.linger));
		return text;
	}

	/**
	 * How long after the request that granted or renewed it a lease is relied on.
	 * @return the ttl less the margin
	 */
	public Duration reliable() {
		return this.ttl.minus(this.margin);
	}

	private static void checkMargin(Duration ttl, Duration margin) {
		check("margin", margin, Duration.ofMillis(1));
		if (ttl.minus(margin).compareTo(MIN_RELIABLE) < 0) {
			throw new InvalidLockSettingsException("margin", margin,
					"must be at least " + millis(MIN_RELIABLE) + " shorter than the ttl (" + millis(ttl) + ")");
		}
	}

	private static void check(String name, Duration value, Duration least) {
		if (value.compareTo(least) < 0) {
			throw new InvalidLockSettingsException(name, value, "must be at least " + millis(least));
		}
		if (value.compareTo(MAX_DURATION) > 0) {
			throw new InvalidLockSettingsException(name, value, "must be at most " + MAX_DURATION.toDays() + " days");
		}
		if (value.getNano() % 1_000_000 != 0) {
			throw new InvalidLockSettingsException(name, value, "must be whole milliseconds");
		}
	}

	private static Duration orElse(@Nullable Duration value, Duration other) {
		return (value != null) ? value : other;
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	private static Duration part(Duration whole, int parts) {
		// in whole milliseconds; Duration would divide as a BigDecimal, for every request
		return Duration.ofMillis(whole.toMillis() / parts);
	}

	private static Duration atLeastOne(Duration duration) {
		// what is too short is refused for the reason, not for being zero
		return (duration.toMillis() > 0) ? duration : Duration.ofMillis(1);
	}

	private static String millis(Duration duration) {
		return duration.toMillis() + "ms";
	}

}
