package io.mongolock.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * How many leases, places or locks go together in one request to the store. A server
 * executes the statements of a request one after the other. A statement that has to wait,
 * for example for an open transaction that wrote its document, holds up the statements
 * behind it. So if a request hangs, it is sent again beside the first in at most sixteen
 * parts. These are divided in the same way, until the blocked statement stands alone.
 * Executing a statement twice is harmless. The senders decide when a request is given up.
 */
public final class Division {

	/** The largest size of one request, so that the request itself does not take long. */
	public static final int MAX_BATCH = 1000;

	private static final int PARTS = 16;

	private Division() {
	}

	/**
	 * The size of each part of a request that hangs.
	 * @param size the size of the whole request
	 */
	static int part(int size) {
		return share(size, PARTS);
	}

	/**
	 * A share, rounded up.
	 */
	static int share(int size, int shares) {
		return (size + shares - 1) / shares;
	}

	/**
	 * How often a request is divided until each element stands alone.
	 */
	static int depth(int size) {
		return (size > 1) ? 1 + depth(part(size)) : 0;
	}

	/**
	 * The parts of a request that hangs.
	 */
	public static <T> List<List<T>> parts(List<T> whole) {
		return batches(whole, part(whole.size()));
	}

	/**
	 * Batches that are sent in one request each.
	 * @param most the largest size of a batch
	 */
	public static <T> List<List<T>> batches(Collection<T> all, int most) {
		return batches(all, (any) -> most, (any) -> most);
	}

	/**
	 * Batches that are sent in one request each. No batch is larger than its elements
	 * allow.
	 * @param most the size of the largest batch that an element allows
	 * @param kind the kind of an element, which all elements of a batch share
	 * @return the batches, in the order of their first elements
	 */
	static <T> List<List<T>> batches(Collection<T> all, ToIntFunction<T> most, Function<T, Object> kind) {
		List<List<T>> batches = new ArrayList<>();
		Map<Kind, List<T>> open = new HashMap<>();
		for (T one : all) {
			Kind its = new Kind(most.applyAsInt(one), kind.apply(one));
			List<T> batch = open.get(its);
			if (batch == null || batch.size() == its.most()) {
				batch = new ArrayList<>();
				batches.add(batch);
				open.put(its, batch);
			}
			batch.add(one);
		}
		return batches;
	}

	private record Kind(int most, Object kind) {

	}

}
