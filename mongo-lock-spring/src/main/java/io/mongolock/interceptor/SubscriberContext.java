package io.mongolock.interceptor;

import reactor.util.context.Context;
import reactor.util.context.ContextView;

import io.mongolock.event.LockInstrumentation.Scope;

/**
 * Combines the values in a subscriber's Context with the values that are current on a
 * thread. Loaded only if Reactor is present. Thread-safe.
 */
public interface SubscriberContext {

	/** Combines nothing. */
	SubscriberContext NONE = new SubscriberContext() {
	};

	/**
	 * Called when a subscription claims its lock, on the current thread.
	 * @param context the context of the subscriber
	 * @return a scope that is closed on the same thread
	 */
	default Scope claiming(ContextView context) {
		return Scope.NONE;
	}

	/**
	 * Called when the work of a subscription begins under its lock, on the current
	 * thread.
	 * @param context the context of the subscriber
	 * @return the context of the work
	 */
	default Context working(Context context) {
		return context;
	}

}
