package io.mongolock.sample.orders;

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

import io.mongolock.jobs.JobRun;
import io.mongolock.jobs.Jobs;
import io.mongolock.jobs.ScheduledJob;

/**
 * Two jobs that all instances have. Each due time is run by one of them, and again by
 * another one if it died. They are there with the profile {@code jobs} only: without it
 * the page shows the locks of payments alone.
 */
@Component
@Profile("jobs")
class OrderJobs {

	private static final Log logger = LogFactory.getLog(OrderJobs.class);

	private static final int PARTS = 4;

	private final OrderRepository orders;

	private final OrderServiceProperties properties;

	private final Jobs jobs;

	OrderJobs(OrderRepository orders, OrderServiceProperties properties, Jobs jobs) {
		this.orders = orders;
		this.properties = properties;
		this.jobs = jobs;
	}

	/** Short, and often. */
	@ScheduledJob(name = "count-open-orders", cron = "${orders.count-cron:*/20 * * * * *}", zone = "UTC")
	void count(JobRun run) {
		List<Order> open = this.orders.findAll().stream().filter((order) -> order.balance() > 0).toList();
		logger.info("Tick " + run.tick() + ": " + open.size() + " orders are open");
	}

	/** Long enough to be killed in. */
	@ScheduledJob(name = "remind-debtors", fixedDelay = "1m")
	void remind(JobRun run) {
		logger.info("Tick " + run.tick() + ", attempt " + run.attempt() + ": reminds for "
				+ this.properties.reminderTime().toSeconds() + " s");
		for (int part = 1; part <= PARTS; part++) {
			// Seen by everybody who looks at the jobs
			this.jobs.note(run, part + " of " + PARTS);
			Work.lasting(this.properties.reminderTime().dividedBy(PARTS));
		}
		logger.info("Tick " + run.tick() + ": reminded");
	}

}
