package io.mongolock.jobs;

import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for observations of the jobs.
 */
@AutoConfiguration(after = MongoLockJobsAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ ObservationRegistry.class, Jobs.class })
public final class JobObservationAutoConfiguration {

	@Bean
	JobObservations mongoLockJobObservations(ObservationRegistry registry,
			ObjectProvider<JobObservationConvention> convention) {
		return new JobObservations(registry, convention.getIfAvailable(() -> new JobObservationConvention() {
		}));
	}

}
