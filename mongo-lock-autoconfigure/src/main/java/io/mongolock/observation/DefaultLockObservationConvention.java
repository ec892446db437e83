package io.mongolock.observation;

import io.micrometer.common.KeyValues;

/**
 * Key values {@code lock}, the name of the lock, and {@code outcome}; {@code lock.key},
 * of high cardinality, if it is to be shown. Thread-safe.
 */
public class DefaultLockObservationConvention implements LockObservationConvention {

	private final boolean showKeys;

	/**
	 * Create a convention.
	 * @param showKeys whether the key of the lock is shown
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
	public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
		return (this.showKeys) ? KeyValues.of("lock.key", context.request().key()) : KeyValues.empty();
	}

}
