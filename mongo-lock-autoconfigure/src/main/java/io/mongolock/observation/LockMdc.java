package io.mongolock.observation;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import io.mongolock.LockHandle;
import io.mongolock.concurrent.ThreadState;
import io.mongolock.concurrent.ThreadValue;
import io.mongolock.event.LockInstrumentation;
import io.mongolock.store.KeyText;

/**
 * Puts the thread's innermost lock into the diagnostic context of its log lines, as
 * {@value KEY} and {@value FENCE}. The previous values are restored afterwards.
 * Thread-safe.
 */
public final class LockMdc implements LockInstrumentation {

	/** The key of the lock, with control characters escaped. */
	public static final String KEY = "lock.key";

	/** The fence of the lock. */
	public static final String FENCE = "lock.fence";

	/**
	 * The diagnostic context of a thread, for work that begins on another thread.
	 */
	public static ThreadState ofThread() {
		return new ThreadValue<>(MDC::getCopyOfContextMap, LockMdc::replace, LockMdc::join);
	}

	private static void replace(@Nullable Map<String, String> values) {
		if (values != null) {
			MDC.setContextMap(values);
		}
		else {
			MDC.clear();
		}
	}

	private static Map<String, String> join(Map<String, String> own, Map<String, String> added) {
		Map<String, String> all = new HashMap<>(added);
		all.putAll(own);
		return all;
	}

	@Override
	public Scope working(LockHandle handle) {
		String key = MDC.get(KEY);
		String fence = MDC.get(FENCE);
		MDC.put(KEY, KeyText.printable(handle.key()));
		MDC.put(FENCE, Long.toString(handle.fence()));
		return () -> {
			restore(KEY, key);
			restore(FENCE, fence);
		};
	}

	private static void restore(String name, @Nullable String value) {
		if (value != null) {
			MDC.put(name, value);
		}
		else {
			MDC.remove(name);
		}
	}

}
