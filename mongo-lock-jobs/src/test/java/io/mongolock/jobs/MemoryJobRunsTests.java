package io.mongolock.jobs;

import java.time.InstantSource;

/**
 * Tests for {@link MemoryJobRuns}: what it keeps as MongoDB does.
 */
class MemoryJobRunsTests extends AbstractJobRunsContractTests {

	@Override
	JobRuns open(InstantSource clock) {
		return new MemoryJobRuns(clock);
	}

	@Override
	void drop() {
		((MemoryJobRuns) this.kept).clear();
	}

}
