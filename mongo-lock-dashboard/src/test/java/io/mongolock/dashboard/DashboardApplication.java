package io.mongolock.dashboard;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

import io.mongolock.store.LockStore;
import io.mongolock.test.InMemoryLockStore;

/**
 * An application with locks and without MongoDB.
 */
@SpringBootConfiguration
@EnableAutoConfiguration
class DashboardApplication {

	@Bean
	LockStore lockStore() {
		return new InMemoryLockStore();
	}

}
