package io.mongolock.client;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * One request that ends many, locks or places; one whose document is blocked holds up
 * nothing but itself. A server executes the statements of a request one after the other,
 * and those behind one that has to wait, as for a transaction of the application, are not
 * executed. So a request that has no answer for a moment is asked again beside, in
 * sixteen parts; and what a part that fails was for, each alone. The first request goes
 * on, because the store may be merely slow: its answer ends all of that, and what is
 * blocked is left to it. All that is sent like this may be executed twice: releases and
 * leaves use it; {@link StopRequests}, {@link io.mongolock.core.RenewalBatch} and
 * {@link io.mongolock.core.PlaceRequests} divide requests of their own. Thread-safe.
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

	/** How many parts there are of a whole. */
	static final int PARTS = 16;

	private static final Log logger = LogFactory.getLog(DividedEnding.class);

	private final List<T> all;

	private final Sender<T> sender;

	private final Consumer<List<T>> answered;

	private final Set<T> left = ConcurrentHashMap.newKeySet();

	private final AtomicInteger parts = new AtomicInteger();

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
	 * @param over is run when none of them is underway any more
	 */
	void divide(Executor threads, Runnable over) {
		List<T> open = left();
		int size = partOf(open);
		this.parts.incrementAndGet();
		for (int from = 0; from < open.size(); from += size) {
			begin(open.subList(from, Math.min(open.size(), from + size)), threads, over);
		}
		ended(over);
	}

	/**
	 * What was not answered yet.
	 */
	List<T> left() {
		return this.all.stream().filter(this.left::contains).toList();
	}

	private void begin(List<T> part, Executor threads, Runnable over) {
		this.parts.incrementAndGet();
		threads.execute(() -> {
			try {
				ask(part, threads, over);
			}
			finally {
				ended(over);
			}
		});
	}

	private void ask(List<T> part, Executor threads, Runnable over) {
		if (!ask(part) && part.size() > 1) {
			part.stream().filter(this.left::contains).forEach((one) -> begin(List.of(one), threads, over));
		}
	}

	private boolean ask(List<T> part) {
		List<T> open = part.stream().filter(this.left::contains).toList();
		if (open.isEmpty()) {
			return true;
		}
		try {
			this.sender.send(open, PATIENCE);
			answered(open);
			return true;
		}
		catch (RuntimeException | Error ex) {
			logger.debug("One of " + open.size() + " keeps the others waiting, or itself", ex);
			return false;
		}
	}

	private static int partOf(List<?> all) {
		return (all.size() + PARTS - 1) / PARTS;
	}

	private void ended(Runnable over) {
		if (this.parts.decrementAndGet() == 0) {
			over.run();
		}
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
