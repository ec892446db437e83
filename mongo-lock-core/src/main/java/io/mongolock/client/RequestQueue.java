package io.mongolock.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The order in which claims ask the store, because they share few threads. Claims that
 * were called come first, because they may hold up others. All other claims follow in the
 * order in which they came. A store that answers only for some documents must not use up
 * the threads. So claims of one key never take all threads, and neither do claims that
 * may take long. While many of these claims are underway, a claim that begins is brief.
 * Thread-safe, guarded by its monitor. It calls no other code inside the monitor.
 */
final class RequestQueue {

	/**
	 * The maximum number of simultaneous requests: half of the connections that the
	 * driver opens.
	 */
	static final int MAX_REQUESTS = 48;

	/** The maximum for one key. A document takes one request after the other anyway. */
	static final int MAX_OF_ONE_KEY = MAX_REQUESTS / 6;

	/** The maximum of long requests, which leaves the other threads to brief ones. */
	static final int MAX_LONG = MAX_REQUESTS * 5 / 6;

	/**
	 * The maximum of long requests for claims that were not called. It leaves the rest of
	 * the long requests to called claims.
	 */
	static final int MAX_NOT_CALLED = MAX_REQUESTS * 2 / 3;

	private final Deque<Request> called = new ArrayDeque<>();

	private final Deque<Request> others = new ArrayDeque<>();

	private final Deque<Request> unanswered = new ArrayDeque<>();

	private final Map<String, OfKey> keys = new HashMap<>();

	private long added;

	private int underway;

	private int longUnderway;

	private int notCalledUnderway;

	/**
	 * Add a claim that has to ask the store.
	 * @param action sends the request; its argument says whether to be brief
	 */
	synchronized void add(String key, Reason reason, Consumer<Boolean> action) {
		Request request = new Request(key, reason, action, this.added++);
		OfKey ofKey = this.keys.computeIfAbsent(key, (same) -> new OfKey());
		// Called claims need no limit, because only one place of a key is called at a
		// time
		if (ofKey.admitted < MAX_OF_ONE_KEY || reason == Reason.CALLED) {
			ofKey.admitted++;
			admit(request);
		}
		else {
			ofKey.waiting.add(request);
		}
	}

	/**
	 * Take the next request.
	 * @return the request, after which {@link #ended} must be called; {@code null} if no
	 * request may be sent before another one ends
	 */
	synchronized @Nullable Request next() {
		Request next = (this.underway < MAX_REQUESTS) ? poll() : null;
		if (next != null) {
			count(next, 1);
		}
		return next;
	}

	private @Nullable Request poll() {
		boolean mayBeLong = this.longUnderway < MAX_LONG;
		if (!this.called.isEmpty() && mayBeLong) {
			return this.called.remove();
		}
		mayBeLong &= this.notCalledUnderway < MAX_NOT_CALLED;
		Request other = this.others.peek();
		Request again = (mayBeLong) ? this.unanswered.peek() : null;
		if (other == null || (again != null && again.number < other.number)) {
			return (again != null) ? this.unanswered.remove() : null;
		}
		// While there is room, do not be brief: a store that is slow for all would be
		// asked twice
		other.brief = !mayBeLong;
		return this.others.remove();
	}

	/**
	 * Note that a request has ended.
	 */
	synchronized void ended(Request request) {
		count(request, -1);
		OfKey ofKey = this.keys.get(request.key);
		if (ofKey == null) {
			return;
		}
		Request next = (ofKey.admitted <= MAX_OF_ONE_KEY) ? ofKey.waiting.poll() : null;
		if (next != null) {
			admit(next);
		}
		else if (--ofKey.admitted == 0) {
			this.keys.remove(request.key);
		}
	}

	private void count(Request request, int more) {
		this.underway += more;
		this.longUnderway += (request.brief) ? 0 : more;
		this.notCalledUnderway += (request.brief || request.reason == Reason.CALLED) ? 0 : more;
	}

	private void admit(Request request) {
		switch (request.reason) {
			case CALLED -> this.called.add(request);
			case OTHER -> this.others.add(request);
			case UNANSWERED -> this.unanswered.add(request);
		}
	}

	/**
	 * The reasons why a claim asks.
	 */
	enum Reason {

		/** Its place in the queue of the store was called. */
		CALLED,

		/** Its last request had no answer. */
		UNANSWERED,

		/** Any other reason, for example the claim begins. */
		OTHER

	}

	/**
	 * A request that was added.
	 */
	static final class Request {

		private final String key;

		private final Reason reason;

		private final Consumer<Boolean> action;

		private final long number;

		/**
		 * Whether to wait only for a moment. Written before the request is handed out.
		 */
		private boolean brief;

		private Request(String key, Reason reason, Consumer<Boolean> action, long number) {
			this.key = key;
			this.reason = reason;
			this.action = action;
			this.number = number;
		}

		/**
		 * Send the request.
		 */
		void run() {
			this.action.accept(this.brief);
		}

	}

	/**
	 * The requests of one key.
	 */
	private static final class OfKey {

		/** How many requests are underway or may be next. */
		private int admitted;

		private final Deque<Request> waiting = new ArrayDeque<>();

	}

}
