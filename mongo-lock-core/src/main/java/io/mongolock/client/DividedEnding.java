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
 * A request that ends many locks or many places. A blocked document delays only its own
 * lock or place. If the request has no answer for a moment, it is also sent in parts
 * ({@link Division}). If a part fails, the locks or places of this part are also ended
 * one by one. The first request goes on, because the store may merely be slow. Its answer
 * ends everything, and only blocked documents are left to it. Everything that is sent in
 * this way may be executed twice. Releases use this class, and so do places that are
 * given up. {@link StopRequests} uses it with waits of its own. Thread-safe.
 *
 * @param <T> the type of lock or place that the request ends
 */
final class DividedEnding<T> {

	/** How long to wait for a request for several elements, and for each of its parts. */
	static final Duration PATIENCE = Duration.ofMillis(250);

	/**
	 * The time in which everything that is not blocked is answered: by the first request,
	 * by one of its parts, or alone.
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
	 * @param all the elements that it ends, at least one
	 * @param answered is given the elements that were answered, each of them once
	 */
	DividedEnding(List<T> all, Sender<T> sender, Consumer<List<T>> answered) {
		this.all = all;
		this.sender = sender;
		this.answered = answered;
		this.left.addAll(all);
	}

	/**
	 * Send the request, and wait for the answer.
	 * @param timeout how long the request may take
	 * @throws RuntimeException the failure of the sender; the elements in {@link #left()}
	 * were then not answered
	 */
	void send(Duration timeout) {
		this.sender.send(this.all, timeout);
		answered(this.all);
	}

	/**
	 * Send the elements that are left once more, in parts, because there is no answer
	 * yet.
	 * @param threads runs the requests for the parts
	 */
	void divide(Executor threads) {
		Division.parts(left()).forEach((part) -> threads.execute(() -> {
			if (!ask(part, PATIENCE) && part.size() > 1) {
				left(part).forEach((one) -> threads.execute(() -> ask(List.of(one), PATIENCE)));
			}
		}));
	}

	/**
	 * Send a request for some of the elements.
	 * @return whether all of them are answered
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
			logger.debug("A request to release locks or to leave queues failed for " + open.size() + " locks. "
					+ "Perhaps just one of these locks caused the failure", ex);
			this.failure = (ex instanceof RuntimeException known) ? known : new IllegalStateException(ex);
			return false;
		}
	}

	/**
	 * The elements that are not answered yet.
	 */
	List<T> left() {
		return left(this.all);
	}

	/**
	 * The given elements that are not answered yet.
	 */
	List<T> left(List<T> some) {
		return some.stream().filter(this.left::contains).toList();
	}

	/**
	 * The last failure of a request for some of the elements.
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
	 * @param <T> the type of the elements
	 */
	interface Sender<T> {

		/**
		 * Send a request, and wait for the answer.
		 * @param some the elements, at least one
		 */
		void send(List<T> some, Duration timeout);

	}

}
