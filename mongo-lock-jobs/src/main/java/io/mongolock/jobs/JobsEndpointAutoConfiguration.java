package io.mongolock.jobs;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

import io.mongolock.spi.LockEnvironment;

/**
 * Auto-configuration for the actuator's view of the jobs.
 */
@AutoConfiguration(after = MongoLockJobsAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(Jobs.class)
@ConditionalOnAvailableEndpoint(JobsEndpoint.class)
@EnableConfigurationProperties(JobsEndpointProperties.class)
public final class JobsEndpointAutoConfiguration {

	@Bean
	JobsEndpoint mongoJobsEndpoint(JobRuns runs, ObjectProvider<JobScheduler> scheduler,
			ApplicationEventPublisher events, LockEnvironment environment, JobsEndpointProperties properties) {
		return new JobsEndpoint(runs, scheduler.getIfAvailable(), events, environment.operationTimeout(),
				properties.showValues(), properties.roles());
	}

}
