package io.mongolock.faults.simulation;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.LockTerms;
import io.mongolock.core.LockTerms.RenewalInterval;

/**
 * What a thread wants a lock for.
 *
 * @param request which lock
 * @param terms how to wait for it and hold it
 * @param acts how often to act under it
 * @param rest at most how long apart
 * @param last whether it waits until the end for what others left
 */
record SimulatedErrand(LockRequest request, LockTerms terms, int acts, long rest, boolean last) {

	static SimulatedErrand of(LockRequest lock, LockTerms terms, int acts, long rest, boolean last) {
		LockSettings settings = LockSettings.builder()
			.ttl(terms.ttl())
			.margin(terms.margin())
			.renewInterval(renewInterval(terms.renewInterval()))
			.operationTimeout(terms.operationTimeout())
			.waitTimeout(terms.waitTimeout())
			.retryInterval(terms.retryInterval())
			.autoRenew(terms.autoRenew())
			.minHold(terms.minHold())
			.linger(terms.linger())
			.limit(lock.settings().limit())
			.build();
		return new SimulatedErrand(
				new LockRequest(lock.key(), lock.name(), settings, lock.onUnavailable(), lock.onLost()), terms, acts,
				rest, last);
	}

	// As it was set, or not at all if it grows with the number of leases
	private static @Nullable Duration renewInterval(RenewalInterval interval) {
		return interval.shortest().equals(interval.longest()) ? interval.longest() : null;
	}

	int limit() {
		return ConfiguredSettings.NONE.limit(this.request);
	}

}
