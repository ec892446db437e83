package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Looks at the TTL index at startup, and then once in each interval. While the server
 * does not answer, it looks sooner, at growing intervals. Each look also checks the
 * server, even if the index is not to be looked at. After the start the looks run on one
 * daemon thread, which exists only while the application runs. Thread-safe. The monitor
 * guards the scheduler; the retry interval belongs to the looks, which run one after the
 * other.
 */
public final class TtlIndexWatch implements SmartLifecycle {

	/** Starts after locks can be claimed, and stops before they are released. */
	static final int PHASE = Integer.MIN_VALUE + 2000;

	private static final Log logger = LogFactory.getLog(TtlIndexWatch.class);

	private static final Duration FIRST_RETRY = Duration.ofSeconds(1);

	private static final Duration MAX_RETRY = Duration.ofMinutes(1);

	private final TtlIndexInitializer index;

	private final Duration interval;

	private final Supplier<ScheduledExecutorService> schedulers;

	private final BooleanSupplier check;

	private @Nullable ScheduledExecutorService scheduler;

	/**
	 * Create a new watch.
	 * @param interval the time between two looks at the index, longer than zero
	 * @param check runs after each look that the server has answered, and returns whether
	 * the server answered again. An exception ends the start; later it is an error in the
	 * log
	 */
	public TtlIndexWatch(TtlIndexInitializer index, Duration interval, BooleanSupplier check) {
		this(index, interval, check, TtlIndexWatch::daemon);
	}

	TtlIndexWatch(TtlIndexInitializer index, Duration interval, BooleanSupplier check,
			Supplier<ScheduledExecutorService> schedulers) {
		this.check = check;
		this.index = index;
		this.interval = interval;
		this.schedulers = schedulers;
	}

	@Override
	public void start() {
		ScheduledExecutorService started = begin();
		if (started != null) {
			try {
				look(started, FIRST_RETRY);
			}
			catch (RuntimeException ex) {
				stop();
				throw ex;
			}
		}
	}

	private synchronized @Nullable ScheduledExecutorService begin() {
		if (this.scheduler != null) {
			return null;
		}
		this.scheduler = this.schedulers.get();
		return this.scheduler;
	}

	private void look(ScheduledExecutorService running, Duration retry) {
		// A refusal counts as an answer
		boolean answered = true;
		try {
			answered = this.index.initialize() && this.check.getAsBoolean();
		}
		finally {
			Duration next = (answered) ? this.interval : retry;
			Duration following = (answered) ? FIRST_RETRY : shorter(retry.multipliedBy(2), MAX_RETRY);
			running.schedule(() -> lookAgain(running, following), shorter(next, this.interval).toMillis(),
					TimeUnit.MILLISECONDS);
		}
	}

	private void lookAgain(ScheduledExecutorService running, Duration retry) {
		try {
			look(running, retry);
		}
		catch (RuntimeException ex) {
			// When the application has ended, the check does not find its beans any more
			if (!running.isShutdown()) {
				logger.error(ex.getMessage());
			}
		}
	}

	@Override
	public synchronized void stop() {
		if (this.scheduler != null) {
			this.scheduler.shutdownNow();
			this.scheduler = null;
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.scheduler != null;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	private static ScheduledExecutorService daemon() {
		return new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread thread = new Thread(task, "mongo-lock-index");
			thread.setDaemon(true);
			return thread;
		}, new ThreadPoolExecutor.DiscardPolicy());
	}

}
