package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.core.Division;

/**
 * One request that ends many, locks or places; one whose document is blocked holds up
 * nothing but itself. A request that has no answer for a moment is divided
 * ({@link Division}), and what a part that fails was for is asked for alone. The first
 * request goes on, because the store may be merely slow: its answer ends all of that, and
 * what is blocked is left to it. All that is sent like this may be executed twice:
 * releases and leaves use it, and {@link StopRequests} with a patience of their own.
 * Thread-safe.
 *
 * @param <T> what it ends
 */
final class DividedEnding<T> {

	/** For how long a request for several is waited for, and a part of one. */
	static final Duration PATIENCE = Duration.ofMillis(250);

	/**
	 * Within which all is answered that is not blocked: by the first request, by one of
	 * its parts, or alone.
	 */
	static final Duration TIMEOUT = PATIENCE.multipliedBy(3);

	private static final Log logger = LogFactory.getLog(DividedEnding.class);

	private final List<T> all;

	private final Sender<T> sender;

	private final Consumer<List<T>> answered;

	private final Set<T> left = ConcurrentHashMap.newKeySet();

	private volatile @Nullable RuntimeException failure;

	/**
	 * Create a request.
	 * @param all what it is for, at least one
	 * @param answered hears of what was answered, of each once
	 */
	DividedEnding(List<T> all, Sender<T> sender, Consumer<List<T>> answered) {
		this.all = all;
		this.sender = sender;
		this.answered = answered;
		this.left.addAll(all);
	}

	/**
	 * Send it, and wait for the answer.
	 * @param timeout how long it may take
	 * @throws RuntimeException what the sender throws: what is {@link #left()} then was
	 * not answered
	 */
	void send(Duration timeout) {
		this.sender.send(this.all, timeout);
		answered(this.all);
	}

	/**
	 * It has no answer yet: ask in parts for what is left, once.
	 * @param threads where the parts are sent
	 */
	void divide(Executor threads) {
		Division.parts(left()).forEach((part) -> threads.execute(() -> {
			if (!ask(part, PATIENCE) && part.size() > 1) {
				left(part).forEach((one) -> threads.execute(() -> ask(List.of(one), PATIENCE)));
			}
		}));
	}

	/**
	 * Ask for some of it.
	 * @return whether the rest of that is answered
	 */
	boolean ask(List<T> some, Duration timeout) {
		List<T> open = left(some);
		if (open.isEmpty()) {
			return true;
		}
		try {
			this.sender.send(open, timeout);
			answered(open);
			return true;
		}
		catch (RuntimeException | Error ex) {
			logger.debug("A request to release locks or to leave queues failed for " + open.size() + " locks. The "
					+ "cause may be only one of these locks", ex);
			this.failure = (ex instanceof RuntimeException known) ? known : new IllegalStateException(ex);
			return false;
		}
	}

	/**
	 * What was not answered yet.
	 */
	List<T> left() {
		return left(this.all);
	}

	/**
	 * What of that was not answered yet.
	 */
	List<T> left(List<T> some) {
		return some.stream().filter(this.left::contains).toList();
	}

	/**
	 * The last reason why something was not answered.
	 */
	@Nullable RuntimeException failure() {
		return this.failure;
	}

	private void answered(List<T> some) {
		List<T> news = some.stream().filter(this.left::remove).toList();
		if (!news.isEmpty()) {
			this.answered.accept(news);
		}
	}

	/**
	 * Sends a request.
	 *
	 * @param <T> what it is for
	 */
	interface Sender<T> {

		/**
		 * Send it, and wait for the answer.
		 * @param some what it is for, at least one
		 */
		void send(List<T> some, Duration timeout);

	}

}
