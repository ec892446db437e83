package io.mongolock.jobs;

import java.time.Duration;
import java.time.InstantSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.task.SimpleAsyncTaskExecutorBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.spi.LockEnvironment;

/**
 * Auto-configuration for jobs. Without locks there are no jobs.
 */
@AutoConfiguration(after = MongoLockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "mongo-lock.enabled", matchIfMissing = true)
@ConditionalOnBean({ LockOperations.class, LockEnvironment.class })
@EnableConfigurationProperties(MongoLockJobsProperties.class)
public final class MongoLockJobsAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static JobRegistry mongoLockJobRegistry() {
		return new JobRegistry();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static JobMethods mongoLockJobMethods(Environment environment, JobRegistry registry,
			ObjectProvider<MongoLockJobsProperties> properties, ConfigurableListableBeanFactory beans) {
		return new JobMethods(environment, registry, properties, beans);
	}

	@Bean
	static LazyInitializationExcludeFilter mongoLockJobBeansAreNotLazy() {
		return (beanName, definition, type) -> JobMethods.areIn(type);
	}

	@Bean
	JobExtension mongoLockJobExtension(MongoLockJobsProperties properties, JobRegistry registry) {
		return new JobExtension(properties, registry);
	}

	/**
	 * In the store of the locks, so that each run has its lock and its record in the same
	 * store.
	 */
	@Bean
	@DependsOn(LockEnvironment.VALIDATOR)
	JobRuns mongoLockJobRuns(LockEnvironment environment, MongoLockJobsProperties properties, LockOwner owner) {
		InstantSource clock = environment.localClock();
		if (clock != null) {
			return new MemoryJobRuns(clock);
		}
		MongoLockJobsProperties.Jobs jobs = properties.jobs();
		return new MongoJobRuns(SingletonSupplier.of(environment::template), jobs.collection(),
				environment.operationTimeout(), jobs.history(), jobs.maxRuns(),
				MongoJobRuns.application(environment.collection(), environment.keyPrefix()), owner.application());
	}

	@Bean
	JobRunner mongoLockJobRunner(LockOperations locks, JobRuns runs, ApplicationEventPublisher events, LockOwner owner,
			ObjectProvider<JobObserver> observer) {
		String process = " (host " + owner.host() + ", pid " + owner.pid() + ")";
		return new JobRunner(locks, runs, events, (owner.application() + " " + owner.instance()).trim() + process,
				SingletonSupplier.of(() -> observer.getIfAvailable(() -> JobObserver.NONE)));
	}

	@Bean
	DueJobs mongoLockDueJobs(JobRunner runner, JobRuns runs) {
		return new DueJobs(runner, runs);
	}

	@Bean
	Jobs mongoLockJobs(JobRunner runner, JobRuns runs, JobRegistry registry, DueJobs due,
			MongoLockJobsProperties properties) {
		return new Jobs(runner, runs, registry, due, properties.jobs().grace());
	}

	@Bean
	@ConditionalOnBooleanProperty(name = "mongo-lock.jobs.enabled", matchIfMissing = true)
	JobScheduler mongoLockJobScheduler(JobRegistry registry, JobRunner runner, DueJobs due,
			MongoLockJobsProperties properties, ObjectProvider<SimpleAsyncTaskExecutorBuilder> threads,
			ObjectProvider<JobScheduler.Watch> watches, ObjectProvider<ApplicationArguments> application,
			ApplicationContext context) {
		// A context that SpringApplication runs becomes ready
		boolean becomesReady = application.getIfAvailable() != null;
		return new JobScheduler(registry, runner, due,
				threads.getIfAvailable(SimpleAsyncTaskExecutorBuilder::new)
					.threadNamePrefix("job-")
					.concurrencyLimit(-1)
					.taskTerminationTimeout(null)
					.build(),
				properties.jobs().checkInterval(), properties.jobs().onlyWhenReady(), becomesReady, context,
				Duration.ofMinutes(1), watches);
	}

}
