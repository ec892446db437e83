package io.mongolock.faults.harness.worker;

import java.io.Serializable;

/**
 * How critical sections ended.
 *
 * @param completed done under the lock
 * @param lost done, and the lock was lost meanwhile
 * @param denied not done, because the lock was held by others
 * @param failed not done, or outcome unknown, because the store or the work failed
 */
public record SectionCounts(int completed, int lost, int denied, int failed) implements Serializable {

	static final SectionCounts NONE = new SectionCounts(0, 0, 0, 0);

	static final SectionCounts COMPLETED = new SectionCounts(1, 0, 0, 0);

	static final SectionCounts LOST = new SectionCounts(0, 1, 0, 0);

	static final SectionCounts DENIED = new SectionCounts(0, 0, 1, 0);

	static final SectionCounts FAILED = new SectionCounts(0, 0, 0, 1);

	SectionCounts plus(SectionCounts other) {
		return new SectionCounts(this.completed + other.completed, this.lost + other.lost, this.denied + other.denied,
				this.failed + other.failed);
	}

}
