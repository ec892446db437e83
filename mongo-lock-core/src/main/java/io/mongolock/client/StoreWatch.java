package io.mongolock.client;

import java.time.Duration;
import java.util.concurrent.Executor;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.core.ClockReading;
import io.mongolock.store.StoreSubscription;

/**
 * A watch over the store, and when it is opened and closed: it is open while somebody
 * needs it, and for a while after, so that a need that comes and goes does not open one
 * each time. Thread-safe, guarded by the monitor.
 */
final class StoreWatch {

	private static final Log logger = LogFactory.getLog(StoreWatch.class);

	private static final long RETRY = 10_000_000_000L;

	/** How often it is checked, without being woken, whether it is still needed. */
	private static final long CHECK = 1_000_000_000;

	private final Watcher watcher;

	private final LockClock clock;

	private @Nullable StoreSubscription watch;

	private volatile @Nullable StoreSubscription closed;

	private volatile boolean running;

	/** Whether it is about to be opened or closed. */
	private boolean changing;

	private long opensAt;

	/** Whether somebody needed it when that was last checked. */
	private boolean needed;

	/** Not before this, unless somebody needs it. */
	private long closesAt;

	/**
	 * Create a watch that is not open.
	 */
	StoreWatch(Watcher watcher, LockClock clock) {
		this.watcher = watcher;
		this.clock = clock;
	}

	/**
	 * Begin.
	 */
	synchronized void start() {
		this.opensAt = this.clock.nanoTime();
		this.running = true;
	}

	/**
	 * Whether it is open and notifies at present. False if it is about to be closed, or
	 * who comes until then would rely on it.
	 */
	synchronized boolean isLive() {
		return this.watch != null && !this.changing && this.watch.isLive();
	}

	/**
	 * Open or close it, if that is due.
	 * @param requests opens and closes it; must not block
	 */
	void run(ClockReading now, Executor requests) {
		long watchFor = this.watcher.watchFor();
		boolean needed = watchFor > 0;
		boolean opens;
		boolean closes;
		synchronized (this) {
			opens = needed && this.watch == null && !this.changing && now.nanos() - this.opensAt >= 0;
			closes = !needed && this.watch != null && !this.changing && now.nanos() - this.closesAt >= 0;
			if (needed && (this.watch == null || now.nanos() + watchFor - this.closesAt > 0)) {
				this.closesAt = now.nanos() + watchFor;
			}
			this.changing |= opens || closes;
			this.needed = needed;
		}
		if (opens || closes) {
			try {
				requests.execute((opens) ? this::open : this::closeUnlessNeeded);
			}
			catch (RuntimeException | Error ex) {
				changeLater();
			}
		}
	}

	/**
	 * How long it need not be closed, unless its last user goes, who says so if that is
	 * to be noticed at once.
	 * @return nanoseconds
	 */
	synchronized long nextIn(ClockReading now) {
		if (this.watch == null || this.changing) {
			return ClockReading.NEVER;
		}
		return Math.max((this.needed) ? CHECK : 0, this.closesAt - now.nanos());
	}

	private void open() {
		try {
			StoreSubscription opened = this.watcher.subscribe();
			synchronized (this) {
				this.changing = false;
				if (this.running) {
					this.watch = opened;
					return;
				}
			}
			close(opened);
		}
		catch (RuntimeException | Error ex) {
			// For example without a thread for it: until there is one, others look
			logger.debug("The client could not watch the store for releases. Meanwhile, waiters ask for a lock again "
					+ "after each retry-interval", ex);
			changeLater();
		}
	}

	private synchronized void changeLater() {
		this.changing = false;
		this.opensAt = this.clock.nanoTime() + RETRY;
		this.closesAt = this.opensAt;
	}

	private void closeUnlessNeeded() {
		try {
			if (this.watcher.watchFor() <= 0) {
				close();
			}
		}
		finally {
			synchronized (this) {
				this.changing = false;
			}
			if (this.watcher.watchFor() > 0) {
				// One that came at the very moment relies on the watch that is closed now
				this.watcher.missed();
			}
		}
	}

	/**
	 * End: it is not opened any more.
	 */
	void stop() {
		this.running = false;
		close();
	}

	private void close() {
		StoreSubscription open;
		synchronized (this) {
			open = this.watch;
			this.watch = null;
		}
		if (open != null) {
			close(open);
		}
	}

	private void close(StoreSubscription watch) {
		this.closed = watch;
		watch.close();
	}

	/**
	 * Wait until the server knows that nobody listens, which it does not hear once its
	 * client is closed.
	 */
	void awaitEnd(Duration timeout) {
		StoreSubscription watch = this.closed;
		try {
			if (watch != null) {
				watch.awaitEnd(timeout);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * What the store is watched for.
	 */
	interface Watcher {

		/**
		 * Open the watch.
		 */
		StoreSubscription subscribe();

		/**
		 * How long it is to stay open from now on.
		 * @return nanoseconds, zero if nobody needs it
		 */
		long watchFor();

		/**
		 * Somebody may have relied on it as it was closed.
		 */
		void missed();

	}

}
