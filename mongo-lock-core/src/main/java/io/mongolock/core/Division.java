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
 * executes the statements of a request one after the other, and one that has to wait, as
 * for an open transaction that wrote its document, holds up those behind it. So a request
 * that hangs is asked again beside the first, in at most sixteen parts, and so on until
 * the one that is blocked stands alone. Executing any of it twice is harmless. When a
 * request is given up, those say who send it.
 */
public final class Division {

	/** One request may carry many, but not so many that it takes long itself. */
	public static final int MAX_BATCH = 1000;

	private static final int PARTS = 16;

	private Division() {
	}

	/**
	 * How many go in each part of a request that hangs.
	 * @param size how many went in the whole
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
	 * How often a request is divided until each of what it carries stands alone.
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
	 * @param most how many go in one
	 */
	public static <T> List<List<T>> batches(Collection<T> all, int most) {
		return batches(all, (any) -> most, (any) -> most);
	}

	/**
	 * Batches that are sent in one request each, none of them with more than each in it
	 * may go with.
	 * @param most with how many something may go in one request
	 * @param kind of those in one batch this is equal
	 * @return in the order of the first in each
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
