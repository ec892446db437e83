package io.mongolock.observation;

import io.micrometer.common.KeyValues;

/**
 * Sets the key values {@code lock} (the name of the lock) and {@code outcome}. If keys
 * are shown, it also sets {@code lock.key}, which has high cardinality. Thread-safe.
 */
public class DefaultLockObservationConvention implements LockObservationConvention {

	private final boolean showKeys;

	/**
	 * Create a convention.
	 */
	public DefaultLockObservationConvention(boolean showKeys) {
		this.showKeys = showKeys;
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
		String outcome = context.outcome();
		return KeyValues.of("lock", LockTags.name(context.request()), "outcome",
				(outcome != null) ? outcome : "underway");
	}

	@Override
	public String getContextualName(LockObservationContext context) {
		return context.getName() + " " + LockTags.name(context.request());
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
		return (this.showKeys) ? KeyValues.of("lock.key", context.request().key()) : KeyValues.empty();
	}

}
