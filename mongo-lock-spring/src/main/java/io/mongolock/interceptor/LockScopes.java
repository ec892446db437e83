package io.mongolock.interceptor;

import java.util.ArrayList;
import java.util.List;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;

/**
 * Lets the current thread work under several locks.
 */
final class LockScopes {

	private LockScopes() {
	}

	/**
	 * All locks that the current thread works under.
	 * @return their handles, outermost first
	 */
	static List<LockHandle> current() {
		List<LockHandle> handles = new ArrayList<>();
		LockContext.find((handle) -> {
			handles.add(0, handle);
			return false;
		});
		return handles;
	}

	/**
	 * Enter all of them.
	 * @param handles outermost first
	 * @return ends it
	 */
	static LockContext.Scope enter(List<LockHandle> handles) {
		LockContext.Scope scope = () -> {
		};
		for (LockHandle handle : handles) {
			LockContext.Scope outer = scope;
			LockContext.Scope inner = LockContext.enter(handle);
			scope = () -> {
				inner.close();
				outer.close();
			};
		}
		return scope;
	}

}
