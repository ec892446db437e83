package io.mongolock.faults.spring;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import javax.sql.DataSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LossReason;

/**
 * An application with its data in a relational database and its locks in MongoDB.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ Ledger.class, JdbcApplication.Losses.class })
class JdbcApplication {

	@Bean
	static BeanPostProcessor forgetful() {
		return new BeanPostProcessor() {
			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				return (bean instanceof DataSource target) ? new ForgetfulDataSource(target) : bean;
			}
		};
	}

	/**
	 * The keys of the locks that were lost.
	 */
	static final class Losses implements LockListener {

		private final BlockingQueue<String> keys = new LinkedBlockingQueue<>();

		@Override
		public void lost(LockHandle handle, LossReason reason) {
			this.keys.add(handle.key());
		}

		BlockingQueue<String> keys() {
			return this.keys;
		}

	}

}
