package io.mongolock.core;

import java.util.IntSummaryStatistics;
import java.util.stream.IntStream;

/**
 * The one rule by which the store admits a claim, as this JVM applies it to what it
 * knows: those ahead, holders and waiters, are fewer than the smallest limit, theirs or
 * the claim's. Immutable.
 *
 * @param ahead how many are ahead
 * @param limit the smallest limit
 */
record AdmissionRule(int ahead, int limit) {

	/**
	 * A claim that nobody is ahead of.
	 */
	static AdmissionRule of(int limit) {
		return new AdmissionRule(0, limit);
	}

	/**
	 * A claim that all with these limits are ahead of.
	 */
	static AdmissionRule of(int limit, IntStream ahead) {
		IntSummaryStatistics limits = ahead.summaryStatistics();
		return new AdmissionRule((int) limits.getCount(), Math.min(limit, limits.getMin()));
	}

	/**
	 * The same claim with one more ahead of it.
	 */
	AdmissionRule behind(int limit) {
		return new AdmissionRule(this.ahead + 1, Math.min(this.limit, limit));
	}

	boolean admits() {
		return this.ahead < this.limit;
	}

}
