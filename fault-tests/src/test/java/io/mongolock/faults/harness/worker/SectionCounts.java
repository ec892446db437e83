package io.mongolock.faults.harness.worker;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How critical sections ended.
 *
 * @param completed done under the lock
 * @param lost done, and the lock was lost meanwhile
 * @param denied not done, as the lock was held by others
 * @param failed not done, or nobody knows, as the store or the work failed
 */
public record SectionCounts(int completed, int lost, int denied, int failed) {

	SectionCounts plus(SectionCounts other) {
		return new SectionCounts(this.completed + other.completed, this.lost + other.lost, this.denied + other.denied,
				this.failed + other.failed);
	}

	String toText() {
		return List.of(this.completed, this.lost, this.denied, this.failed)
			.stream()
			.map(String::valueOf)
			.collect(Collectors.joining(" "));
	}

	static SectionCounts parse(String text) {
		int[] counts = Arrays.stream(text.split(" ")).mapToInt(Integer::parseInt).toArray();
		return new SectionCounts(counts[0], counts[1], counts[2], counts[3]);
	}

}
