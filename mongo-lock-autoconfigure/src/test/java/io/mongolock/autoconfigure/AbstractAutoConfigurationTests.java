package io.mongolock.autoconfigure;

import org.springframework.beans.BeansException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.client.ScriptedStore;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with the auto-configuration, on a scripted store or none.
 */
abstract class AbstractAutoConfigurationTests {

	private Environment environment;

	final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withInitializer((context) -> this.environment = context.getEnvironment())
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));

	final ApplicationContextRunner runner = this.bare.withBean("stub", LockStore.class, ScriptedStore::new);

	ContextConsumer<AssertableApplicationContext> failsWith(String... texts) {
		return (context) -> {
			assertThat(context).hasFailed();
			FailureAnalysis analysis = analyze(context);
			assertThat(analysis.getDescription() + "\n" + analysis.getAction()).contains(texts);
		};
	}

	private FailureAnalysis analyze(AssertableApplicationContext context) {
		Throwable failure = context.getStartupFailure();
		assertThat(failure).isInstanceOf(BeansException.class);
		ArgumentResolver arguments = ArgumentResolver.of(Environment.class, this.environment);
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, arguments,
					SpringFactoriesLoader.FailureHandler.handleMessage((message, ex) -> {
					}))
			.stream()
			.map((analyzer) -> analyzer.analyze(failure))
			.filter((analysis) -> analysis != null)
			.findFirst()
			.orElseThrow(() -> new AssertionError("no analysis", failure));
	}

	@Configuration(proxyBeanMethods = false)
	static class ServiceConfiguration {

		@Bean
		Service service() {
			return new Service();
		}

	}

	public static class Service {

		@DistributedLock(name = "order", key = "#id")
		public String pay(int id) {
			LockHandle handle = LockContext.current();
			handle.assertHeld();
			return handle.key();
		}

	}

}
