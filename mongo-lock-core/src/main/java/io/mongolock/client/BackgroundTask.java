package io.mongolock.client;

import java.util.concurrent.Executor;

import io.mongolock.core.ClockReading;

/**
 * What the {@link ClientLoop} does beside the renewals, without a thread of its own.
 */
interface BackgroundTask {

	/**
	 * Begin.
	 * @param wake has {@link #run} called soon; must neither block nor throw
	 */
	void start(Runnable wake);

	/**
	 * Begin what is due.
	 * @param requests runs the requests to the store; must not block
	 * @return for how many nanoseconds nothing more is due unless {@link #start wake}
	 * says otherwise
	 */
	long run(ClockReading now, Executor requests);

}
