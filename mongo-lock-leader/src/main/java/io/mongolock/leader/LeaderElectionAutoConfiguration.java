package io.mongolock.leader;

import java.util.List;
import java.util.Set;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.integration.leader.event.AbstractLeaderEvent;

import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.spi.LockExtension;

/**
 * Auto-configuration for elections: the guard of methods, and the events of Spring
 * Integration.
 */
@AutoConfiguration(after = MongoLockAutoConfiguration.class)
@EnableConfigurationProperties(MongoLockLeaderProperties.class)
public final class LeaderElectionAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockExtension mongoLockLeaderExtension() {
		return new LockExtension() {

			@Override
			public List<Class<? extends Record>> settings() {
				return List.of(MongoLockLeaderProperties.class);
			}

			@Override
			public Set<String> names() {
				return Set.of(LeaderElection.NAME);
			}

		};
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	LeaderElections mongoLockLeaderElections(ObjectProvider<LeaderElection> elections,
			ObjectProvider<MongoLockLeaderProperties> properties, ObjectProvider<ApplicationArguments> application,
			ApplicationContext context) {
		// A context that SpringApplication runs becomes ready
		return new LeaderElections(elections, () -> properties.getObject().leader().onlyWhenReady(),
				application.getIfAvailable() != null, context);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LeaderOnlyPostProcessor mongoLockLeaderOnlyPostProcessor(ObjectProvider<LeaderElections> elections,
			Environment environment) {
		LeaderOnlyPostProcessor processor = new LeaderOnlyPostProcessor(elections);
		processor.setProxyTargetClass(environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true));
		return processor;
	}

	/** For applications with Spring Integration. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(AbstractLeaderEvent.class)
	static class IntegrationConfiguration {

		@Bean
		IntegrationLeaderEvents mongoLockIntegrationLeaderEvents(ApplicationEventPublisher events) {
			return new IntegrationLeaderEvents(events);
		}

	}

}
