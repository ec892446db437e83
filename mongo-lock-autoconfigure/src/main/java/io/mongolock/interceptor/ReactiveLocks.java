package io.mongolock.interceptor;

import java.util.ArrayList;
import java.util.List;

import reactor.util.context.Context;
import reactor.util.context.ContextView;

import io.mongolock.LockHandle;

/**
 * The locks that a subscription works under, in its Context: the innermost by the class
 * of handles, for users, and all for those who subscribe within, who share them.
 */
final class ReactiveLocks {

	private ReactiveLocks() {
	}

	static Context add(Context context, List<LockHandle> held) {
		List<LockHandle> all = new ArrayList<>(all(context));
		all.addAll(held);
		return context.put(LockHandle.class, held.get(held.size() - 1)).put(ReactiveLocks.class, List.copyOf(all));
	}

	/**
	 * All that a subscription works under, outermost first.
	 */
	static List<LockHandle> all(ContextView context) {
		return context.<List<LockHandle>>getOrEmpty(ReactiveLocks.class).orElse(List.of());
	}

}
