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
 * Hears the clocks of the servers through the client that Boot configures. A client of
 * the user's own is left alone.
 */
@Lazy
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(MongoClientSettingsBuilderCustomizer.class)
class ServerClockConfiguration {

	@Bean
	@DependsOn("mongoLockSettingsValidator") // says which property is wrong
	static ServerClockWatch mongoLockServerClockWatch(LockClock clock, ConfiguredSettings configured) {
		return new ServerClockWatch(clock, shortestMargin(configured));
	}

	@Bean
	static MongoClientSettingsBuilderCustomizer mongoLockServerClockCustomizer(ServerClockWatch watch,
			ListableBeanFactory beanFactory, LockLifecycle lifecycle) {
		// What these give the client of the database is not injected into it
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
