package io.mongolock.core;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockSettings;

/**
 * {@link LockSettings} with every default filled in and every inequality checked.
 *
 * @param ttl how long a lease lasts without renewal
 * @param margin how long before the end of a lease its holder no longer relies on it
 * @param renewInterval the time between renewals, which depends on the number of leases
 * unless it is set
 * @param operationTimeout the longest time that one request to the store may take
 * @param waitTimeout how long to wait for a lock that another holds
 * @param retryInterval the longest time between two looks at a lock that another holds
 * @param autoRenew whether the lease is renewed while it is held
 * @param minHold the least time that the lock stays taken, from its grant on
 * @param linger how long the lease is kept when it is no longer held in this JVM
 */
public record LockTerms(Duration ttl, Duration margin, RenewalInterval renewInterval, Duration operationTimeout,
		Duration waitTimeout, Duration retryInterval, boolean autoRenew, Duration minHold, Duration linger) {

	/**
	 * The ttl if none is set.
	 */
	public static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

	/**
	 * The wait timeout if none is set.
	 */
	public static final Duration DEFAULT_WAIT_TIMEOUT = Duration.ofSeconds(5);

	/**
	 * The retry interval if none is set.
	 */
	public static final Duration DEFAULT_RETRY_INTERVAL = Duration.ofMillis(100);

	private static final Duration MAX_OPERATION = Duration.ofSeconds(3);

	private static final Duration MIN_TTL = Duration.ofMillis(100);

	private static final Duration MIN_RELIABLE = Duration.ofMillis(10);

	/**
	 * The least timeout that can be set; a derived timeout may be less. With a shorter
	 * timeout, claims fail although nothing is wrong.
	 */
	private static final Duration MIN_OPERATION = Duration.ofMillis(100);

	/** Longer than anybody needs, and short enough not to overflow nanoseconds. */
	private static final Duration MAX_DURATION = Duration.ofDays(10_000);

	public LockTerms {
		check("ttl", ttl, MIN_TTL);
		checkMargin(ttl, margin);
		Duration longestInterval = renewInterval.longest();
		check("renew-interval", longestInterval, Duration.ofMillis(1));
		check("operation-timeout", operationTimeout, Duration.ofMillis(1));
		check("wait-timeout", waitTimeout, Duration.ZERO);
		check("retry-interval", retryInterval, Duration.ofMillis(1));
		check("min-hold", minHold, Duration.ZERO);
		check("linger", linger, Duration.ZERO);
		Duration reliable = ttl.minus(margin);
		if (longestInterval.compareTo(part(reliable, 3)) > 0) {
			throw new InvalidLockSettingsException("renew-interval", longestInterval,
					"must be at most (ttl - margin) / 3 = (" + millis(ttl) + " - " + millis(margin) + ") / 3 = "
							+ millis(part(reliable, 3)) + ", so that there is time to repeat a failed renewal");
		}
		Duration longestOperation = part(reliable.minus(longestInterval), 2);
		if (operationTimeout.compareTo(longestOperation) > 0) {
			throw new InvalidLockSettingsException("operation-timeout", operationTimeout,
					"must be at most (ttl - margin - renew-interval) / 2 = (" + millis(ttl) + " - " + millis(margin)
							+ " - " + millis(longestInterval) + ") / 2 = " + millis(longestOperation)
							+ ", so that there is time for a second renewal if the first gets no answer");
		}
	}

	/**
	 * Fill in the defaults. The margin is 20 % of the ttl. Renewals are as rare as a
	 * failover allows, but there is at least one in every third of the rest. A request
	 * may take three seconds. A short lease leaves less time, because two requests must
	 * fit.
	 * @throws InvalidLockSettingsException if the settings contradict each other
	 */
	public static LockTerms of(LockSettings settings) {
		Duration ttl = Objects.requireNonNullElse(settings.ttl(), DEFAULT_TTL);
		check("ttl", ttl, MIN_TTL);
		Duration margin = Objects.requireNonNullElse(settings.margin(), part(ttl, 5));
		checkMargin(ttl, margin);
		Duration reliable = ttl.minus(margin);
		RenewalInterval renewInterval = (settings.renewInterval() != null)
				? RenewalInterval.of(settings.renewInterval())
				: RenewalInterval.outlasting(reliable, atLeastOne(part(reliable, 3)));
		if (settings.operationTimeout() != null) {
			check("operation-timeout", settings.operationTimeout(), MIN_OPERATION);
		}
		Duration operationTimeout = Objects.requireNonNullElse(settings.operationTimeout(),
				ClockReading.shorter(MAX_OPERATION, atLeastOne(part(reliable.minus(renewInterval.longest()), 2))));
		return new LockTerms(ttl, margin, renewInterval, operationTimeout,
				Objects.requireNonNullElse(settings.waitTimeout(), DEFAULT_WAIT_TIMEOUT),
				Objects.requireNonNullElse(settings.retryInterval(), DEFAULT_RETRY_INTERVAL),
				Objects.requireNonNullElse(settings.autoRenew(), true),
				Objects.requireNonNullElse(settings.minHold(), Duration.ZERO),
				Objects.requireNonNullElse(settings.linger(), Duration.ZERO));
	}

	/**
	 * The terms as operators see them.
	 * @return the values as text, by the names of the components
	 */
	public Map<String, Object> toText() {
		Map<String, Object> text = new LinkedHashMap<>();
		text.put("ttl", DurationPrinter.print(this.ttl));
		text.put("margin", DurationPrinter.print(this.margin));
		text.put("renewInterval", this.renewInterval.toText());
		text.put("operationTimeout", DurationPrinter.print(this.operationTimeout));
		text.put("waitTimeout", DurationPrinter.print(this.waitTimeout));
		text.put("retryInterval", DurationPrinter.print(this.retryInterval));
		text.put("autoRenew", this.autoRenew);
		text.put("linger", DurationPrinter.print(this.linger));
		return text;
	}

	/**
	 * How long a holder relies on a lease, counted from the request that granted or
	 * renewed it.
	 * @return the ttl minus the margin
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

	private static Duration part(Duration whole, int parts) {
		// In whole milliseconds. Duration would divide as a BigDecimal, for every request
		return Duration.ofMillis(whole.toMillis() / parts);
	}

	private static Duration atLeastOne(Duration duration) {
		// A setting that is too short is refused for that reason, not because a value is
		// zero
		return (duration.toMillis() > 0) ? duration : Duration.ofMillis(1);
	}

	private static String millis(Duration duration) {
		return duration.toMillis() + "ms";
	}

	/**
	 * How long after one renewal of a lease the next is due. If no interval is set, it
	 * grows with the number of leases that the client renews. So a few leases outlast a
	 * failover, and many leases do not keep the server busy.
	 *
	 * @param shortest the interval with few leases
	 * @param longest the interval with many leases; the same as the shortest if an
	 * interval is set
	 */
	public record RenewalInterval(Duration shortest, Duration longest) {

		/**
		 * The longest time that most failovers take. If a primary hangs, an election
		 * begins up to 11.5 s after its last heartbeat. The new primary may wait 10 s for
		 * an answer of the old one, and the third member then takes up to 2 s to follow.
		 * That makes 23.5 s at worst.
		 */
		private static final Duration FAILOVER = Duration.ofSeconds(23);

		private static final Duration SHORTEST = Duration.ofSeconds(1);

		/**
		 * A forced release is seen only at a renewal, and a request to release only at a
		 * look after a renewal.
		 */
		private static final Duration SEEN_WITHIN = Duration.ofSeconds(10);

		/**
		 * A client sends at most 50 renewals a second, until the longest interval is
		 * reached.
		 */
		private static final long NANOS_PER_LEASE = 1_000_000_000 / 50;

		/**
		 * An interval that is the same for any number of leases.
		 */
		public static RenewalInterval of(Duration interval) {
			return new RenewalInterval(interval, interval);
		}

		/**
		 * An interval that leaves time for a failover, and grows with the number of
		 * leases. The default ttl allows for a shortest interval of one second, and a
		 * longer ttl for up to ten seconds.
		 * @param reliable how long a lease is relied on
		 * @param longest the interval that it never exceeds
		 */
		static RenewalInterval outlasting(Duration reliable, Duration longest) {
			Duration spare = ClockReading.shorter(reliable.minus(FAILOVER), SEEN_WITHIN);
			return new RenewalInterval(
					ClockReading.shorter((spare.compareTo(SHORTEST) > 0) ? spare : SHORTEST, longest), longest);
		}

		/**
		 * The interval.
		 * @param leases how many the client renews
		 * @return nanoseconds
		 */
		public long nanos(int leases) {
			return Math.min(this.longest.toNanos(), Math.max(this.shortest.toNanos(), leases * NANOS_PER_LEASE));
		}

		/**
		 * The time between looks at whether a release is asked for.
		 * @return nanoseconds
		 */
		public long lookNanos() {
			return ClockReading.shorter(this.longest, SEEN_WITHIN).toNanos();
		}

		/**
		 * The interval as operators see it.
		 * @return for example {@code 4s} if it was set, or else {@code 1s..8s}
		 */
		public String toText() {
			String most = DurationPrinter.print(this.longest);
			return (this.shortest.equals(this.longest)) ? most : DurationPrinter.print(this.shortest) + ".." + most;
		}

	}

}
