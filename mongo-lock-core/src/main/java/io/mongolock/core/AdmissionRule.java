package io.mongolock.core;

import java.util.IntSummaryStatistics;
import java.util.stream.IntStream;

/**
 * The rule by which the store admits a claim: the holders and waiters ahead are fewer
 * than the smallest limit among them and the claim. This JVM applies the rule to what it
 * knows. Immutable.
 *
 * @param ahead how many holders and waiters are ahead
 * @param limit the smallest limit
 */
record AdmissionRule(int ahead, int limit) {

	/**
	 * A claim behind holders and waiters with these limits.
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
