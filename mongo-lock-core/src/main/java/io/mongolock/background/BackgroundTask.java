package io.mongolock.background;

import java.util.concurrent.Executor;

import io.mongolock.core.ClockReading;

/**
 * A task that the loop of the client runs besides the renewals. It has no thread of its
 * own.
 */
public interface BackgroundTask {

	/**
	 * Start the task.
	 * @param wake asks the loop to call {@link #run} soon; must neither block nor throw
	 */
	void start(Runnable wake);

	/**
	 * Begin the work that is due.
	 * @param requests runs the requests to the store; must not block
	 * @return the nanoseconds until more work is due; work may become due earlier after a
	 * call of {@link #start wake}
	 */
	long run(ClockReading now, Executor requests);

}
