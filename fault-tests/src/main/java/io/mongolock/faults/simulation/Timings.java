package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.mongolock.LockSettings;
import io.mongolock.core.LockTerms;

/**
 * The settings that meet in one history: one or two sets of timings, of which the first
 * is the shorter one, each with several ways to wait and to hold.
 *
 * @param first the timings of most locks
 * @param second the timings of the others
 */
record Timings(LockTerms first, LockTerms second) {

	static Timings of(SplittableRandom random) {
		Duration ttl = Duration.ofSeconds(3L + random.nextInt(10));
		LockTerms first = timings(random, ttl);
		boolean alike = random.nextInt(3) != 0;
		return new Timings(first, (alike) ? first : timings(random, ttl.multipliedBy(1L + random.nextInt(3))));
	}

	Duration shortest() {
		return this.first.ttl();
	}

	Duration longest() {
		return this.second.ttl();
	}

	Duration placeTtl() {
		return shortest().dividedBy(2);
	}

	// How locks are waited for and held; the last wait as long as it takes
	List<LockTerms> manners(Duration linger) {
		List<LockTerms> manners = new ArrayList<>();
		manners.add(manner(linger, this.first, 0, true));
		manners.add(manner(linger, this.first, 0, false));
		manners.add(manner(linger, this.second, 0.3, true));
		manners.add(manner(linger, this.first, 0.8, true));
		manners.add(manner(linger, this.second, 1.5, true));
		manners.add(manner(linger, this.second, 1, false));
		manners.add(manner(linger, this.second, 0.5, true, part(this.second.ttl(), 2)));
		manners.add(manner(linger, this.first, 100, true));
		return manners;
	}

	// Half of them as they are by default, the others anything that is allowed
	private static LockTerms timings(SplittableRandom random, Duration ttl) {
		LockSettings.Builder settings = LockSettings.builder().ttl(ttl).retryInterval(part(ttl, 2 + random.nextInt(5)));
		if (random.nextBoolean()) {
			Duration margin = part(ttl, 3 + random.nextInt(6));
			Duration reliable = ttl.minus(margin);
			Duration interval = part(reliable, 3 + random.nextInt(4));
			Duration timeout = part(reliable.minus(interval), 2 + random.nextInt(3));
			settings.margin(margin).renewInterval(interval).operationTimeout(timeout);
		}
		return LockTerms.of(settings.build());
	}

	private static LockTerms manner(Duration linger, LockTerms timings, double ttlsToWait, boolean autoRenew) {
		return manner(linger, timings, ttlsToWait, autoRenew, Duration.ZERO);
	}

	private static LockTerms manner(Duration linger, LockTerms timings, double ttlsToWait, boolean autoRenew,
			Duration minHold) {
		Duration wait = Duration.ofMillis((long) (timings.ttl().toMillis() * ttlsToWait));
		return new LockTerms(timings.ttl(), timings.margin(), timings.renewInterval(), timings.operationTimeout(), wait,
				timings.retryInterval(), autoRenew, minHold, linger);
	}

	private static Duration part(Duration whole, int parts) {
		return Duration.ofMillis(whole.toMillis() / parts);
	}

}
