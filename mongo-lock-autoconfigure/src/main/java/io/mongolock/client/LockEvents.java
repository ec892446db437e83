package io.mongolock.client;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.mongolock.LockListener;

/**
 * Tells the listeners, in order, on one daemon thread that exists while there is
 * something to tell. Thread-safe.
 */
final class LockEvents {

	private static final Log logger = LogFactory.getLog(LockEvents.class);

	private final List<LockListener> listeners;

	private final ExecutorService teller;

	LockEvents(List<LockListener> listeners) {
		this.listeners = List.copyOf(listeners);
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				ClientThreads.daemons("mongo-lock-events"));
		executor.allowCoreThreadTimeOut(true);
		this.teller = executor;
	}

	/**
	 * Tell every listener. Returns at once.
	 * @param event what to tell
	 */
	void publish(Consumer<LockListener> event) {
		if (!this.listeners.isEmpty()) {
			this.teller.execute(() -> this.listeners.forEach((listener) -> tell(listener, event)));
		}
	}

	private void tell(LockListener listener, Consumer<LockListener> event) {
		try {
			event.accept(listener);
		}
		catch (RuntimeException | Error ex) {
			logger.error("Listener " + listener + " failed; the lock itself is not affected", ex);
		}
	}

}
