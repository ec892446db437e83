package io.mongolock.interceptor;

import reactor.util.context.Context;
import reactor.util.context.ContextView;

import io.mongolock.event.LockInstrumentation.Scope;

/**
 * Joins what the Context of a subscriber says and what is current on a thread. Loaded
 * only if Reactor is there. Thread-safe.
 */
public interface SubscriberContext {

	/** Joins nothing. */
	SubscriberContext NONE = new SubscriberContext() {
	};

	/**
	 * A subscription claims its lock, on the current thread.
	 * @param context the context of the subscriber
	 * @return is closed on the same thread
	 */
	default Scope claiming(ContextView context) {
		return Scope.NONE;
	}

	/**
	 * A subscription works under its lock, and begins on the current thread.
	 * @param context the context of the subscriber
	 * @return the context of the work
	 */
	default Context working(Context context) {
		return context;
	}

}
