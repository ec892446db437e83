package io.mongolock.jobs;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the jobs.
 *
 * @param jobs jobs that run once per tick
 */
@ConfigurationProperties("mongo-lock")
public record MongoLockJobsProperties(@DefaultValue Jobs jobs) {

	/**
	 * Jobs that run once per tick.
	 *
	 * @param enabled whether this instance runs scheduled jobs
	 * @param onlyWhenReady whether this instance runs scheduled jobs only while its
	 * readiness state accepts traffic
	 * @param collection MongoDB collection of the runs of jobs
	 * @param grace how late a job without catchUp may still start
	 * @param checkInterval how often other instances check whether the instance that runs
	 * a job has died
	 * @param history how long a run's record is kept after the job's next run
	 * @param maxRuns approximate number of runs kept per job
	 */
	public record Jobs(@DefaultValue("true") boolean enabled, @DefaultValue("true") boolean onlyWhenReady,
			@DefaultValue("lockJobRuns") String collection, @DefaultValue("5m") Duration grace,
			@DefaultValue("10s") Duration checkInterval, @DefaultValue("30d") Duration history,
			@DefaultValue("100") int maxRuns) {

	}

}
