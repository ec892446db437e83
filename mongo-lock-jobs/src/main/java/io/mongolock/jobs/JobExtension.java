package io.mongolock.jobs;

import java.util.List;
import java.util.Set;

import io.mongolock.spi.LockExtension;

/**
 * Adds jobs to the locks of the application.
 *
 * @param properties the settings
 * @param declared the jobs that are declared
 */
record JobExtension(MongoLockJobsProperties properties, JobRegistry declared) implements LockExtension {

	@Override
	public List<Class<? extends Record>> settings() {
		return List.of(MongoLockJobsProperties.class);
	}

	@Override
	public void check(SettingChecks checks) {
		MongoLockJobsProperties.Jobs jobs = this.properties.jobs();
		checks.collection("jobs.collection", jobs.collection());
		if (jobs.collection().equals(checks.lockCollection())) {
			throw checks.invalid("jobs.collection", jobs.collection(),
					"is the lock collection, and the TTL index of the locks would remove runs. Name another "
							+ "collection");
		}
		checks.duration("jobs.grace", jobs.grace());
		checks.duration("jobs.check-interval", jobs.checkInterval());
		checks.duration("jobs.history", jobs.history());
		checks.positive("jobs.max-runs", jobs.maxRuns());
	}

	@Override
	public Set<String> collections() {
		MongoLockJobsProperties.Jobs jobs = this.properties.jobs();
		return (jobs.enabled() && !this.declared.all().isEmpty()) ? Set.of(jobs.collection()) : Set.of();
	}

	@Override
	public Set<String> names() {
		return Set.of(JobRunner.NAME);
	}

}
