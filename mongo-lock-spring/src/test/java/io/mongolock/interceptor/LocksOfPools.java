package io.mongolock.interceptor;

import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * What a thread that must not block may wait for all the same: the locks that the JDK's
 * pools hold for a moment when they are given a task, or one is cancelled. Reactor allows
 * its own schedulers the same.
 */
public class LocksOfPools implements BlockHoundIntegration {

	@Override
	public void applyTo(BlockHound.Builder builder) {
		builder.allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "execute")
			.allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "addWorker")
			.allowBlockingCallsInside("java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "remove");
	}

}
