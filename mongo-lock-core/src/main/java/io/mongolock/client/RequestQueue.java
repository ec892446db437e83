package io.mongolock.client;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The order in which claims ask the store, where threads are few. First those that were
 * called, as they may hold up others; all others in the order of coming. A store that
 * answers for some documents only does not use up the threads: claims of one key, and
 * claims that may take long, never take all of them; beside many of these one that begins
 * is brief. Thread-safe, guarded by its monitor; it calls nobody inside.
 */
final class RequestQueue {

	/** The most requests at a time: half of the connections that the driver opens. */
	static final int MAX_REQUESTS = 48;

	/** A document takes one request after the other anyway. */
	static final int MAX_OF_ONE_KEY = MAX_REQUESTS / 6;

	/** Leaves the others to those that are brief. */
	static final int MAX_LONG = MAX_REQUESTS * 5 / 6;

	/** Leaves the others of these to those that were called. */
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
	 * A claim is to ask.
	 * @param action is given whether to be brief
	 */
	synchronized void add(String key, Reason reason, Consumer<Boolean> action) {
		Request request = new Request(key, reason, action, this.added++);
		OfKey ofKey = this.keys.computeIfAbsent(key, (same) -> new OfKey());
		// Only one place of a key is called at a time
		if (ofKey.admitted < MAX_OF_ONE_KEY || reason == Reason.CALLED) {
			ofKey.admitted++;
			admit(request);
		}
		else {
			ofKey.waiting.add(request);
		}
	}

	/**
	 * The next request.
	 * @return the request, after which {@link #ended} is to follow; {@code null} if none
	 * is to be sent until then
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
		// A store that is slow for all is not asked twice as long as there is room
		other.brief = !mayBeLong;
		return this.others.remove();
	}

	/**
	 * A request has ended.
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
	 * Why a claim asks.
	 */
	enum Reason {

		/** Its place in the queue of the store says so. */
		CALLED,

		/** Its last request had no answer. */
		UNANSWERED,

		/** Any other, for example that it begins. */
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

		/** Whether it is to take a moment only, written before it is handed out. */
		private boolean brief;

		private Request(String key, Reason reason, Consumer<Boolean> action, long number) {
			this.key = key;
			this.reason = reason;
			this.action = action;
			this.number = number;
		}

		/**
		 * Ask.
		 */
		void run() {
			this.action.accept(this.brief);
		}

	}

	/**
	 * The requests of one key.
	 */
	private static final class OfKey {

		/** How many are underway or next. */
		private int admitted;

		private final Deque<Request> waiting = new ArrayDeque<>();

	}

}
