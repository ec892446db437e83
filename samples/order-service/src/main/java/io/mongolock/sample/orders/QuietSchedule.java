package io.mongolock.sample.orders;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.task.ThreadPoolTaskSchedulerCustomizer;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.stereotype.Component;

/**
 * Says in one line when scheduled work fails, for instance because the server is away.
 */
@Component
class QuietSchedule implements ThreadPoolTaskSchedulerCustomizer {

	private static final Log logger = LogFactory.getLog(QuietSchedule.class);

	@Override
	public void customize(ThreadPoolTaskScheduler scheduler) {
		scheduler.setErrorHandler((ex) -> logger.error("Scheduled work failed: " + ex));
	}

}
