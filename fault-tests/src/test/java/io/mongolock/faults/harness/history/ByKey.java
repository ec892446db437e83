package io.mongolock.faults.harness.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.mongolock.faults.harness.history.HistoryRecord.Checked;
import io.mongolock.faults.harness.history.HistoryRecord.Granted;
import io.mongolock.faults.harness.history.HistoryRecord.Lost;

/**
 * What a history says of one key.
 *
 * @param sections its critical sections
 * @param granted its grants
 * @param losses its losses
 * @param checks what its holders were told when they asked
 */
record ByKey(List<Section> sections, List<Granted> granted, List<Lost> losses, List<Checked> checks) {

	private ByKey() {
		this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
	}

	static Map<String, ByKey> of(History history) {
		Map<String, ByKey> keys = new TreeMap<>();
		history.sections().forEach((one) -> at(keys, one.key()).sections.add(one));
		history.grants().forEach((one) -> at(keys, one.key()).granted.add(one));
		history.losses().forEach((one) -> at(keys, one.key()).losses.add(one));
		history.checks().forEach((one) -> at(keys, one.key()).checks.add(one));
		return keys;
	}

	List<Grant> grants() {
		return Grant.of(this.granted, this.sections);
	}

	/**
	 * When locks were asked for, as far as that was written.
	 * @return nanoseconds by fence
	 */
	Map<Long, Long> askedNanos() {
		return this.granted.stream()
			.collect(Collectors.toMap(Granted::fence, Granted::askedNanos, (first, second) -> first));
	}

	private static ByKey at(Map<String, ByKey> keys, String key) {
		return keys.computeIfAbsent(key, (any) -> new ByKey());
	}

}
