package io.mongolock.jobs;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the meters of the jobs.
 */
@AutoConfiguration(after = MongoLockJobsAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, Jobs.class })
public final class JobMetersAutoConfiguration {

	@Bean
	JobMeters mongoLockJobMeters(MeterRegistry registry) {
		return new JobMeters(registry);
	}

}
