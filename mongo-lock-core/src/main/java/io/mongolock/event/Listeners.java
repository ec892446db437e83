package io.mongolock.event;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;

import io.mongolock.LockListener;

/**
 * Publishes events to the listeners, on threads of its own. Losses come before all other
 * events and are never dropped, because holders must know of them in time. All other
 * events wait in a bounded queue. If a listener fails, this is logged. Thread-safe. Only
 * {@link #awaitLosses} blocks.
 */
final class Listeners {

	/**
	 * The number of threads for losses, so that many losses at once are published in a
	 * fraction of the margin.
	 */
	private static final int LOSSES_AT_ONCE = 32;

	private static final int CAPACITY = 10_000;

	private final List<LockListener> listeners;

	private final LockLog log;

	private final EventLane losses;

	private final EventLane events;

	Listeners(List<LockListener> listeners, Function<String, ThreadFactory> threads, LockLog log) {
		this.listeners = new ArrayList<>(listeners);
		this.listeners.removeAll(Instruments.among(listeners));
		this.log = log;
		LongConsumer onDropped = (count) -> log.eventsDropped(count, CAPACITY);
		this.losses = new EventLane(threads.apply("mongo-lock-losses"), LOSSES_AT_ONCE, Integer.MAX_VALUE, onDropped);
		this.events = new EventLane(threads.apply("mongo-lock-events"), 1, CAPACITY, onDropped);
	}

	void publish(Consumer<LockListener> event) {
		publish(this.events, this.listeners, event);
	}

	void publishLoss(Consumer<LockListener> event) {
		publish(this.losses, this.listeners, event);
	}

	/**
	 * Whether a listener wants the next grant or release. Waking the thread that
	 * publishes costs more than all other work for such an event.
	 */
	boolean hearGrantsAndReleases() {
		for (LockListener listener : this.listeners) {
			if (hearsGrantsAndReleases(listener)) {
				return true;
			}
		}
		return false;
	}

	void publishGrantOrRelease(Consumer<LockListener> event) {
		publish(this.events, this.listeners.stream().filter(Listeners::hearsGrantsAndReleases).toList(), event);
	}

	/**
	 * Wait until the listeners have heard of the losses that were published.
	 */
	void awaitLosses(Duration timeout) {
		this.losses.awaitAll(timeout);
	}

	/**
	 * Publish the events that wait because no thread could be started.
	 */
	boolean retry() {
		return this.losses.retry() | this.events.retry();
	}

	private static boolean hearsGrantsAndReleases(LockListener listener) {
		return !(listener instanceof SelectiveListener selective) || selective.hearsGrantsAndReleases();
	}

	private void publish(EventLane lane, List<LockListener> listeners, Consumer<LockListener> event) {
		if (!listeners.isEmpty()) {
			lane.add(() -> listeners.forEach((listener) -> notify(listener, event)));
		}
	}

	private void notify(LockListener listener, Consumer<LockListener> event) {
		try {
			event.accept(listener);
		}
		catch (Throwable ex) {
			// Other languages throw checked exceptions without declaring them
			this.log.listenerFailed(listener, ex);
		}
	}

}
