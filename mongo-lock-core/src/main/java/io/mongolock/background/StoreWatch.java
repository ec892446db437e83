package io.mongolock.background;

import java.time.Duration;
import java.util.concurrent.Executor;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.core.ClockReading;
import io.mongolock.store.StoreSubscription;

/**
 * A watch over the store. It decides when it is opened and closed. It is open while it is
 * needed, and for a while after, so that short needs do not open a watch each time.
 * Thread-safe, guarded by the monitor.
 */
public final class StoreWatch {

	private static final Log logger = LogFactory.getLog(StoreWatch.class);

	private static final long RETRY = 10_000_000_000L;

	/** How often to check, without a wake-up, whether the watch is still needed. */
	private static final long CHECK = 1_000_000_000;

	private final Watcher watcher;

	private final LockClock clock;

	private @Nullable StoreSubscription watch;

	private volatile @Nullable StoreSubscription closed;

	private volatile boolean running;

	/** Whether the watch is about to be opened or closed. */
	private boolean changing;

	private long opensAt;

	/** Whether the watch was needed at the last check. */
	private boolean needed;

	/** The earliest time to close the watch while it is not needed. */
	private long closesAt;

	/**
	 * Create a watch that is not open.
	 */
	public StoreWatch(Watcher watcher, LockClock clock) {
		this.watcher = watcher;
		this.clock = clock;
	}

	/**
	 * Allow the watch to open.
	 */
	public synchronized void start() {
		this.opensAt = this.clock.nanoTime();
		this.running = true;
	}

	/**
	 * Whether the watch is open and notifies at present. This is {@code false} if the
	 * watch is about to be closed, because a user that comes before the close would rely
	 * on it.
	 */
	public synchronized boolean isLive() {
		return this.watch != null && !this.changing && this.watch.isLive();
	}

	/**
	 * Open or close the watch, if that is due.
	 * @param requests opens and closes the watch; must not block
	 */
	public void run(ClockReading now, Executor requests) {
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
	 * How long the watch need not be closed. The last user that goes wakes the loop if
	 * this must be noticed at once.
	 * @return the time in nanoseconds
	 */
	public synchronized long nextIn(ClockReading now) {
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
			// For example, there is no thread for the watch. Until there is one, waiters
			// look by themselves
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
				// A user that came at this moment relies on the watch that is closed now
				this.watcher.missed();
			}
		}
	}

	/**
	 * Close the watch, and do not open it any more.
	 */
	public void stop() {
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
	 * Wait until the server knows that this client no longer listens. The server does not
	 * learn it after its client was closed.
	 */
	public void awaitEnd(Duration timeout) {
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
	 * The purpose of a watch.
	 */
	public interface Watcher {

		/**
		 * Open the watch.
		 */
		StoreSubscription subscribe();

		/**
		 * How long the watch must stay open from now on.
		 * @return the time in nanoseconds, zero if the watch is not needed
		 */
		long watchFor();

		/**
		 * Note that a user may have relied on the watch while it was closed.
		 */
		void missed();

	}

}
