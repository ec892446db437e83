package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockSettings;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.DurationPrinter;
import io.mongolock.core.HandOver;
import io.mongolock.core.LockTerms;
import io.mongolock.core.QueuePlaces;
import io.mongolock.spi.LockExtension;
import io.mongolock.spi.LockStartupException;
import io.mongolock.store.KeySpace;

/**
 * Refuses settings that contradict each other. Reports once settings that are allowed but
 * rarely intended: properties that nothing reads, settings for names that no method has,
 * and extreme values. Thread-safe.
 */
class LockSettingsValidator implements SmartInitializingSingleton, LockExtension.SettingChecks {

	private static final Log logger = LogFactory.getLog(LockSettingsValidator.class);

	private static final Duration MAX_DURATION = HandOver.MAX_TIME;

	private static final Duration RECOMMENDED_MARGIN = Duration.ofSeconds(1);

	private static final Duration MIN_PLACE_TTL = Duration.ofMillis(500);

	private static final Duration MAX_PLACE_TTL = Duration.ofSeconds(60);

	/** How long a replica set has no primary after the death of a primary. */
	private static final Duration ELECTION = Duration.ofSeconds(12);

	private final MongoLockProperties properties;

	private final ConfiguredSettings configured;

	private final Set<String> said = ConcurrentHashMap.newKeySet();

	private final AtomicLong longestMillis = new AtomicLong();

	/** The names in declarations. */
	private final Set<String> declared = ConcurrentHashMap.newKeySet();

	/**
	 * Check the properties.
	 * @throws InvalidConfigurationPropertyValueException if the properties contradict
	 * each other
	 */
	LockSettingsValidator(MongoLockProperties properties, ConfiguredSettings configured, List<LockExtension> extensions,
			Environment environment) {
		this.properties = properties;
		this.configured = configured;
		LockPropertyNames names = new LockPropertyNames(environment, extensions);
		validate();
		for (LockExtension extension : extensions) {
			if (names.isAnyWritten()) {
				extension.check(this);
			}
			this.declared.addAll(extension.names());
		}
		checkPrefixes(extensions);
		for (String unknown : names.unknown()) {
			logger.warn(unknown);
		}
	}

	/**
	 * The terms of a declaration.
	 * @param name the declaration's name, if any
	 * @throws InvalidLockSettingsException if the settings contradict each other
	 */
	LockTerms terms(@Nullable String name, LockSettings asked) {
		if (name != null) {
			this.declared.add(name);
		}
		return check(name, asked);
	}

	/**
	 * The longest ttl or minimum hold of all properties, and of all declarations so far.
	 */
	Duration longestLease() {
		return Duration.ofMillis(this.longestMillis.get());
	}

	/**
	 * Report settings for names that no method has. They may still be intended for
	 * requests in code, which cannot be known in advance.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		for (String name : this.configured.byName().keySet()) {
			if (!this.declared.contains(name)) {
				sameLetters(name).map((meant) -> ": did you mean " + ConfiguredSettings.property(meant)
						+ ".*? A name without brackets keeps only letters and digits. An environment variable cannot "
						+ "have brackets, so set the property in SPRING_APPLICATION_JSON")
					.or(() -> SettingNames.nearest(name, this.declared)
						.map((meant) -> ": did you mean " + ConfiguredSettings.property(meant) + ".*?"))
					.ifPresentOrElse((hint) -> logger.warn(unused(name) + hint), () -> logger.info(unused(name)));
			}
		}
	}

	// Finds the name from which binding has removed characters, because it was written
	// without brackets or as an environment variable
	private Optional<String> sameLetters(String name) {
		return this.declared.stream()
			.filter((one) -> one.replaceAll("[^\\p{Alnum}]", "").equalsIgnoreCase(name.replace("-", "")))
			.findFirst();
	}

	private static String unused(String name) {
		return "No @DistributedLock has the name '" + name + "', so the settings " + ConfiguredSettings.property(name)
				+ ".* apply only to locks that your code requests by this name";
	}

	private LockTerms check(@Nullable String name, LockSettings asked) {
		LockTerms terms = this.configured.terms(name, asked);
		this.configured.limit(name, asked);
		this.longestMillis.accumulateAndGet(Math.max(terms.ttl().toMillis(), terms.minHold().toMillis()), Math::max);
		hint((name != null) ? "Locks named '" + name + "' have" : "Locks have", terms);
		return terms;
	}

	private static void checkPrefixes(List<LockExtension> extensions) {
		for (LockExtension one : extensions) {
			for (LockExtension other : extensions) {
				if (one != other && !other.operatorPrefix().isEmpty()
						&& one.operatorPrefix().startsWith(other.operatorPrefix())) {
					throw new LockStartupException(
							"Operators cannot distinguish the locks of " + one.getClass().getName()
									+ " from the locks of " + other.getClass().getName()
									+ ", because these locks are shown with the prefixes '" + one.operatorPrefix()
									+ "' and '" + other.operatorPrefix() + "'.",
							"Change LockExtension.operatorPrefix() in one of these two classes, because no prefix may "
									+ "begin with another prefix.");
				}
			}
		}
	}

	private void validate() {
		collection("collection", this.properties.collection());
		checkKeyPrefix(this.properties.keyPrefix());
		within("place-ttl", this.properties.placeTtl(), MIN_PLACE_TTL, MAX_PLACE_TTL,
				"between " + text(MIN_PLACE_TTL) + " and " + text(MAX_PLACE_TTL)
						+ ". Each waiting instance refreshes its places in the queue three times per place-ttl. Other "
						+ "waiters wait for one place-ttl after an instance has died");
		within("max-places", this.properties.maxPlaces(), 1, QueuePlaces.MAX_PLACES,
				"between 1 and " + QueuePlaces.MAX_PLACES
						+ ", because all waiting instances share one document. Each place in this document makes each "
						+ "request cost more");
		duration("shutdown-timeout", this.properties.shutdownTimeout());
		checkPositive("ttl-index.retention", this.properties.ttlIndex().retention());
		within("ttl-index.retention", this.properties.ttlIndex().retention(), Duration.ofSeconds(1),
				Duration.ofSeconds(Integer.MAX_VALUE),
				"between 1 and " + Integer.MAX_VALUE + " seconds, because MongoDB accepts no other values");
		within("hand-over.max-time", this.properties.handOver().maxTime(), Duration.ZERO, MAX_DURATION, "from 0 to "
				+ text(MAX_DURATION) + ", because other instances may have to wait for the whole max-time");
		within("hand-over.max-count", this.properties.handOver().maxCount(), 0, HandOver.MAX_COUNT,
				"from 0 to " + HandOver.MAX_COUNT + ", because each series of hand-overs reserves max-count fences");
		validate(null);
		for (String name : this.configured.byName().keySet()) {
			validate(name);
		}
	}

	private void validate(@Nullable String name) {
		try {
			check(name, LockSettings.NONE);
		}
		catch (InvalidLockSettingsException ex) {
			if (ex.getSetting().equals("ttl") && isTtlUnset(name)) {
				// The default ttl can only be wrong because it is too long for the
				// retention
				throw invalid("ttl-index.retention", this.properties.ttlIndex().retention(),
						"must be at least twice the default ttl of " + print(ex.getValue()) + ", so that no document "
								+ "is removed while its lock is held");
			}
			LockProperty origin = LockProperty.find(ex.getSetting(), name, this.configured);
			String where = (name == null || origin.name() != null) ? "" : " (for the locks named '" + name + "')";
			Object value = origin.valueIn(this.configured);
			boolean itself = origin.setting().equals(ex.getSetting());
			throw new InvalidConfigurationPropertyValueException(origin.fullName(),
					print((value != null) ? value : ex.getValue()),
					((itself) ? "" : ex.getSetting() + " (" + print(ex.getValue()) + ") ") + ex.getReason() + where);
		}
	}

	private boolean isTtlUnset(@Nullable String name) {
		return new LockProperty(name, "ttl").valueIn(this.configured) == null
				&& new LockProperty(null, "ttl").valueIn(this.configured) == null;
	}

	private void hint(String who, LockTerms terms) {
		if (terms.margin().compareTo(RECOMMENDED_MARGIN) < 0 && this.said.add("margin")) {
			logger.info(who + " a margin of " + text(terms.margin())
					+ ", but the servers' clocks may differ by more. Use a margin of at least "
					+ text(RECOMMENDED_MARGIN) + ", unless you know that these clocks agree better");
		}
		hintAtLinger(who, terms);
		Duration outlasted = terms.reliable().minus(terms.renewInterval().shortest());
		if (outlasted.compareTo(ELECTION) < 0 && this.said.add("ttl")) {
			logger.info(who + " a ttl of " + text(terms.ttl()) + ", so their leases last only " + text(outlasted)
					+ " while MongoDB has no primary. A failover takes about " + text(ELECTION)
					+ ", so held locks would be lost in a failover. Use a ttl of at least "
					+ text(longEnough(terms.ttl(), outlasted)));
		}
	}

	// A fifth of the time that is added to a ttl becomes margin
	private static Duration longEnough(Duration ttl, Duration outlasted) {
		Duration least = ttl.plus(ELECTION.minus(outlasted).multipliedBy(5).dividedBy(4));
		return Duration.ofSeconds(least.plusMillis(999).toSeconds());
	}

	private void hintAtLinger(String who, LockTerms terms) {
		Duration longest = terms.reliable().dividedBy(2);
		if (terms.linger().compareTo(longest) > 0 && this.said.add("linger")) {
			logger.info(who + " a linger of " + text(terms.linger())
					+ ", but an idle lease ends after at most (ttl - margin) / 2, which is " + text(longest) + " for "
					+ "these locks. For a longer linger, set a longer ttl");
		}
	}

	@Override
	public void collection(String setting, String value) {
		if (value.isBlank()) {
			throw invalid(setting, value, "must not be blank");
		}
		if (value.indexOf('$') >= 0 || value.indexOf('\0') >= 0 || value.startsWith("system.")) {
			throw invalid(setting, value,
					"is not a valid collection name, because such a name must not contain '$' or NUL, and must not "
							+ "begin with 'system.'");
		}
	}

	private void checkKeyPrefix(String value) {
		try {
			new KeySpace(value);
		}
		catch (IllegalArgumentException ex) {
			throw invalid("key-prefix", value, String.valueOf(ex.getMessage()));
		}
	}

	private <T extends Comparable<T>> void within(String setting, T value, T least, T most, String limits) {
		if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
			throw invalid(setting, value, "must be " + limits);
		}
	}

	@Override
	public void positive(String setting, long value) {
		if (value < 1) {
			throw invalid(setting, value, "must be at least 1");
		}
	}

	private void checkPositive(String setting, Duration value) {
		if (value.compareTo(Duration.ZERO) <= 0) {
			throw invalid(setting, value, "must be longer than zero");
		}
	}

	@Override
	public void duration(String setting, Duration value) {
		checkPositive(setting, value);
		if (value.compareTo(MAX_DURATION) > 0) {
			throw invalid(setting, value, "must be at most " + text(MAX_DURATION));
		}
	}

	@Override
	public String lockCollection() {
		return this.properties.collection();
	}

	@Override
	public String text(Duration value) {
		return DurationPrinter.print(value);
	}

	@Override
	public InvalidConfigurationPropertyValueException invalid(String setting, Object value, String reason) {
		return new InvalidConfigurationPropertyValueException(MongoLockProperties.PREFIX + "." + setting, print(value),
				reason);
	}

	private static String print(Object value) {
		return (value instanceof Duration duration) ? DurationPrinter.print(duration) : String.valueOf(value);
	}

}
