package io.mongolock.observation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.common.KeyValues;

/**
 * Sets the key values {@code lock} (the name of the lock) and {@code outcome}. If keys
 * are shown, it also sets {@code lock.key}, which has high cardinality. Thread-safe.
 */
public class DefaultLockObservationConvention implements LockObservationConvention {

	private final boolean showKeys;

	/**
	 * A cache, because the key values would otherwise be sorted four times for each lock.
	 */
	private final Map<Ended, KeyValues> keyValues = new ConcurrentHashMap<>();

	/**
	 * Create a convention.
	 */
	public DefaultLockObservationConvention(boolean showKeys) {
		this.showKeys = showKeys;
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
		String outcome = context.outcome();
		return this.keyValues.computeIfAbsent(
				new Ended(LockTags.name(context.request()), (outcome != null) ? outcome : "underway"),
				Ended::toKeyValues);
	}

	@Override
	public String getContextualName(LockObservationContext context) {
		return context.getName() + " " + LockTags.name(context.request());
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
		return (this.showKeys) ? KeyValues.of("lock.key", context.request().key()) : KeyValues.empty();
	}

	private record Ended(String name, String outcome) {

		KeyValues toKeyValues() {
			return KeyValues.of("lock", this.name, "outcome", this.outcome);
		}

	}

}
