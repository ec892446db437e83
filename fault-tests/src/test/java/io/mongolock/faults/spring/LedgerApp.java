package io.mongolock.faults.spring;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LossReason;

/**
 * An application with a {@link Ledger}.
 */
@Configuration(proxyBeanMethods = false)
class LedgerApp {

	@Bean
	AmbiguousDataSource dataSource(DataSourceProperties properties) {
		return new AmbiguousDataSource(new DriverManagerDataSource(
				"jdbc:h2:mem:" + properties.getName() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000"));
	}

	@Bean
	Ledger ledger(JdbcClient jdbc) {
		return new Ledger(jdbc);
	}

	@Bean
	Losses losses() {
		return new Losses();
	}

	/**
	 * The keys of the locks that were told to be lost.
	 */
	static class Losses implements LockListener {

		private final Queue<String> keys = new ConcurrentLinkedQueue<>();

		@Override
		public void onLost(LockHandle handle, LossReason reason) {
			this.keys.add(handle.key());
		}

		boolean contains(String key) {
			return this.keys.contains(key);
		}

	}

}
