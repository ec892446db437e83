package io.mongolock.interceptor;

import java.util.List;
import java.util.function.Supplier;

import io.mongolock.LockRequest;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.RequestOrder;

/**
 * Makes the requests of a call, one for each key. They are in the order in which all
 * calls of all instances send them, so that no two calls wait for each other.
 * Thread-safe.
 *
 * @param operations the locks that were declared for the method
 * @param keys evaluates their keys
 * @param configured the limits by name; resolved if there are several keys
 */
record LockRequests(List<LockOperation> operations, LockKeyEvaluator keys, Supplier<ConfiguredSettings> configured) {

	/**
	 * The requests of one call.
	 * @return at least one request, sorted by their distinct keys
	 * @throws IllegalArgumentException if there is no key, or if a key cannot be used
	 */
	List<LockRequest> of(LockedCall call) {
		List<LockRequest> requests = this.operations.stream()
			.flatMap((operation) -> this.keys.requests(operation, call).stream())
			.toList();
		return (requests.size() == 1) ? requests : RequestOrder.of(requests, this.configured.get(), call);
	}

}
