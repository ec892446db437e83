package io.mongolock.interceptor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/**
 * Values that consist of several keys: collections and other types whose elements can be
 * read one by one.
 */
public final class SeveralKeys {

	/**
	 * The largest number of keys of one call. Each key costs a request to the store,
	 * regular renewals and space on the thread's stack.
	 */
	public static final int MAX = 256;

	private SeveralKeys() {
	}

	/**
	 * Whether values of a type consist of several keys.
	 * @return {@code true} for a collection, another {@link Iterable}, a stream or an
	 * array; {@code false} for a record and for text, which includes arrays of bytes and
	 * characters
	 */
	public static boolean areIn(Class<?> type) {
		return (type.isArray() && type != byte[].class && type != char[].class)
				|| BaseStream.class.isAssignableFrom(type)
				|| (Iterable.class.isAssignableFrom(type) && !CharSequence.class.isAssignableFrom(type)
						&& !Path.class.isAssignableFrom(type) && !type.isRecord());
	}

	/**
	 * The keys that a value consists of.
	 * @param value the value, which is read once; a stream is closed
	 * @return the keys in their order, at least one
	 * @throws IllegalArgumentException if there are none or too many
	 */
	static List<@Nullable Object> of(Object value) {
		List<@Nullable Object> keys = new ArrayList<>();
		if (value instanceof BaseStream<?, ?> stream) {
			try (stream) {
				stream.iterator().forEachRemaining((key) -> add(key, keys));
			}
		}
		else {
			((value instanceof Iterable<?> many) ? many : Arrays.asList(ObjectUtils.toObjectArray(value)))
				.forEach((key) -> add(key, keys));
		}
		if (keys.isEmpty()) {
			throw new IllegalArgumentException(
					"the value is empty, so there is nothing to lock. If a call without keys may run unlocked, add a "
							+ "condition: condition = \"!#ids.isEmpty()\" for a collection, or "
							+ "condition = \"#ids.length > 0\" for an array");
		}
		return keys;
	}

	private static void add(@Nullable Object key, List<@Nullable Object> keys) {
		if (keys.size() == MAX) {
			throw new IllegalArgumentException("the value has more than " + MAX + " elements, and each element needs "
					+ "its own lock. Lock something that all elements share, or call the method with fewer elements");
		}
		keys.add(key);
	}

}
