package io.mongolock.interceptor;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.mongolock.LockClock;
import io.mongolock.LockRequest;
import io.mongolock.core.ConfiguredSettings;

/**
 * Makes the requests of a call: one for each key, in the order in which all calls of all
 * instances ask for them, so that no two calls wait for each other. Thread-safe.
 *
 * @param operations the locks that were declared for the method
 * @param keys evaluates their keys
 * @param configured the limits and waits by name; asked for if there are several keys
 */
record LockRequests(List<LockOperation> operations, LockKeyEvaluator keys, Supplier<ConfiguredSettings> configured,
		Supplier<LockClock> clock) {

	/**
	 * The requests of one call.
	 * @return at least one, sorted by their keys, which are distinct
	 * @throws IllegalArgumentException if there is no key, or one that cannot be used
	 */
	List<LockRequest> of(LockedCall call) {
		List<LockRequest> first = this.keys.requests(this.operations.get(0), call);
		return (this.operations.size() == 1 && first.size() == 1) ? first : sorted(call, first);
	}

	/**
	 * What a call that begins now may wait for each of several locks.
	 */
	WaitBudget waits() {
		return new WaitBudget(this.configured.get(), this.clock.get());
	}

	private List<LockRequest> sorted(LockedCall call, List<LockRequest> first) {
		Map<String, LockRequest> sorted = new TreeMap<>();
		first.forEach((request) -> add(request, sorted, call));
		this.operations.stream()
			.skip(1)
			.flatMap((operation) -> this.keys.requests(operation, call).stream())
			.forEach((request) -> add(request, sorted, call));
		return List.copyOf(sorted.values());
	}

	// The one that was declared first counts, as long as both let in the same others
	private void add(LockRequest request, Map<String, LockRequest> sorted, LockedCall call) {
		LockRequest known = sorted.putIfAbsent(request.key(), request);
		ConfiguredSettings settings = this.configured.get();
		if (known != null && settings.limit(known) != settings.limit(request)) {
			throw new IllegalArgumentException("Two locks of " + call + " have the key '" + request.key() + "' here, "
					+ describe(known) + " and " + describe(request)
					+ ": one call cannot hold it in both ways. Give both the same mode and limit, or different names");
		}
	}

	private String describe(LockRequest request) {
		int limit = this.configured.get().limit(request);
		return (limit == LockRequest.UNLIMITED) ? "one shared"
				: (limit == 1) ? "one exclusive" : "one with limit " + limit;
	}

}
