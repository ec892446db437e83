package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Lazy;

import io.mongolock.LockClock;
import io.mongolock.LockSettings;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.mongo.ServerClockWatch;

/**
 * Watches the clocks of the servers through the client that Boot configures. The user's
 * own client is left alone.
 */
@Lazy
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(MongoClientSettingsBuilderCustomizer.class)
class ServerClockConfiguration {

	@Bean
	@DependsOn("mongoLockSettingsValidator") // that bean names the wrong property
	static ServerClockWatch mongoLockServerClockWatch(LockClock clock, ConfiguredSettings configured) {
		return new ServerClockWatch(clock, shortestMargin(configured));
	}

	@Bean
	static MongoClientSettingsBuilderCustomizer mongoLockServerClockCustomizer(ServerClockWatch watch,
			ListableBeanFactory beanFactory, LockLifecycle lifecycle) {
		// Register these dependencies by hand, because Spring does not inject the
		// customizers' objects into the client
		lifecycle.endBefore(
				List.of(beanFactory.getBeanNamesForType(MongoClientSettingsBuilderCustomizer.class, true, false)));
		return watch::attachTo;
	}

	private static Duration shortestMargin(ConfiguredSettings configured) {
		Duration shortest = configured.terms().margin();
		for (String name : configured.byName().keySet()) {
			Duration other = configured.terms(name, LockSettings.NONE).margin();
			shortest = (other.compareTo(shortest) < 0) ? other : shortest;
		}
		return shortest;
	}

}
