package io.mongolock.event;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;

import org.apache.commons.logging.Log;

/**
 * Writes lines on a thread of its own, so that no caller waits for a log appender that
 * blocks. Thread-safe. Only {@link #flush} blocks.
 */
final class EventLog {

	private final Log logger;

	private final EventLane lines;

	/**
	 * Create a log.
	 * @param capacity the maximum number of lines that wait
	 */
	EventLog(Log logger, ThreadFactory threads, int capacity) {
		this.logger = logger;
		this.lines = new EventLane(threads, 1, capacity,
				(count) -> logger.warn(((count != 1) ? count + " warnings were" : "1 warning was")
						+ " not logged, because the log was blocked. Only the latest " + capacity + " lines are kept"));
	}

	void error(String message, Throwable failure) {
		this.lines.add(() -> this.logger.error(message, failure));
	}

	void warn(String message) {
		this.lines.add(() -> this.logger.warn(message));
	}

	void info(String message) {
		this.lines.add(() -> this.logger.info(message));
	}

	boolean isDebugEnabled() {
		return this.logger.isDebugEnabled();
	}

	void debug(String message) {
		this.lines.add(() -> this.logger.debug(message));
	}

	void debug(String message, Throwable failure) {
		this.lines.add(() -> this.logger.debug(message, failure));
	}

	/**
	 * Write the lines that wait because no thread could be started.
	 */
	boolean retry() {
		return this.lines.retry();
	}

	/**
	 * Wait until the earlier lines are in the log.
	 */
	void flush(Duration timeout) {
		this.lines.awaitAll(timeout);
	}

}
