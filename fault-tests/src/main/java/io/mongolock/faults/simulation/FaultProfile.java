package io.mongolock.faults.simulation;

import java.util.SplittableRandom;

import io.mongolock.core.LockTerms;

/**
 * The faults of one history: what may happen in it, and how often.
 *
 * @param lost share of messages that are lost
 * @param late share of messages that take long, some far longer than any timeout
 * @param doubled share of requests that are sent twice
 * @param failed share of requests that fail at once, with an unknown outcome
 * @param cuts how often a client is cut off from the store
 * @param pauses how often a client stands still while its clocks run on
 * @param suspends how often a client stands still with its monotonic clock
 * @param wallSteps how often the wall clock of a client is set
 * @param crashes how often a client ends without a word
 * @param elections how often the primary fails and forgets what was not replicated
 * @param isolations how often a primary is cut off and goes on answering some clients
 * @param lag share of writes that are replicated late
 * @param clockError how far the clocks of the store are apart, in nanoseconds
 * @param garbage how often the store removes what was not touched for long
 * @param blocks how often a document is blocked, which holds up every request about it
 * @param starved share of claims whose thread stands still between answer and grant
 */
record FaultProfile(double lost, double late, double doubled, double failed, int cuts, int pauses, int suspends,
		int wallSteps, int crashes, int elections, int isolations, double lag, long clockError, int garbage, int blocks,
		double starved) {

	static final FaultProfile CALM = mild(0, 0);

	/** Single documents are blocked, and single threads stand still. */
	static final FaultProfile MILD = mild(1, 0.1);

	// One history in sixteen is calm, and another mild; clocks are wrong against the
	// margin of the terms
	static FaultProfile of(SplittableRandom random, LockTerms terms) {
		int dice = random.nextInt(16);
		if (dice < 2) {
			return (dice == 0) ? CALM : mild(random.nextInt(4), random.nextDouble() / 2);
		}
		return new FaultProfile(share(random), share(random), share(random) / 2, share(random) / 2, times(random, 4),
				times(random, 5), times(random, 3), times(random, 4), times(random, 2), times(random, 4),
				times(random, 2), share(random), clockError(random, terms), times(random, 4), times(random, 3),
				share(random));
	}

	// Nothing goes wrong with messages, servers and clocks
	private static FaultProfile mild(int blocks, double starved) {
		return new FaultProfile(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, blocks, starved);
	}

	boolean isCalm() {
		return this == CALM;
	}

	// At most single documents are blocked and single threads stand still: a lease that
	// is spared both must be kept
	boolean isMild() {
		return equals(mild(this.blocks, this.starved));
	}

	private static double share(SplittableRandom random) {
		return (random.nextInt(3) == 0) ? random.nextDouble() / 4 : 0;
	}

	private static int times(SplittableRandom random, int most) {
		return (random.nextInt(3) == 0) ? 1 + random.nextInt(most) : 0;
	}

	// Half of the clocks are right, a third wrong within the margin, the rest beyond it
	private static long clockError(SplittableRandom random, LockTerms terms) {
		int dice = random.nextInt(6);
		long margin = terms.margin().toNanos();
		long most = (dice < 3) ? 1 : (dice < 5) ? margin - 10_000_000 : terms.ttl().toNanos() * 6 / 5;
		return random.nextLong(most);
	}

}
