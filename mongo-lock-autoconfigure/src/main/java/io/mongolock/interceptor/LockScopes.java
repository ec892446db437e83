package io.mongolock.interceptor;

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
