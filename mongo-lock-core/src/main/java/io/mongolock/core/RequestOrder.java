package io.mongolock.core;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.mongolock.LockRequest;

/**
 * The order in which all calls of all instances ask for several locks, so that no two
 * calls wait for each other.
 */
public final class RequestOrder {

	/**
	 * How many locks one call may have. Each takes room on the stack of its thread.
	 */
	public static final int MAX = 512;

	private RequestOrder() {
	}

	/**
	 * The requests of one call in that order. Of requests with the same key only the
	 * first is used, and all of them must have the same limit.
	 * @param call the name of the call, for people to read
	 * @return at least one, sorted by their keys, which are distinct
	 * @throws IllegalArgumentException if there are no requests or too many, or if
	 * requests with the same key have different limits
	 */
	public static List<LockRequest> of(List<LockRequest> requests, ConfiguredSettings configured, Object call) {
		Map<String, LockRequest> sorted = new TreeMap<>();
		for (LockRequest request : requests) {
			LockRequest known = sorted.putIfAbsent(request.key(), request);
			if (known != null && configured.limit(known) != configured.limit(request)) {
				throw new IllegalArgumentException("Two locks of " + call + " have the key '" + request.key()
						+ "', but one of them " + describe(configured.limit(known)) + " and the other "
						+ describe(configured.limit(request)) + ". One call cannot hold a key in both ways. Give both "
						+ "locks the same mode and limit, or different names");
			}
		}
		if (sorted.isEmpty() || sorted.size() > MAX) {
			throw new IllegalArgumentException("There are " + sorted.size() + " locks for " + call + ", but 1 to " + MAX
					+ " are allowed. Lock something that all these keys share, or take fewer locks at a time");
		}
		return List.copyOf(sorted.values());
	}

	private static String describe(int limit) {
		return (limit == LockRequest.UNLIMITED) ? "is shared" : (limit == 1) ? "is exclusive" : "has limit " + limit;
	}

}
