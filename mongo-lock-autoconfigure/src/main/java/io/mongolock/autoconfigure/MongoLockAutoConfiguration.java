package io.mongolock.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.CompositeTaskDecorator;
import org.springframework.util.function.SingletonSupplier;

import io.mongolock.LockClock;
import io.mongolock.LockListener;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.annotation.AnnotationLockOperationSource;
import io.mongolock.autoconfigure.MongoLockProperties.TtlIndex;
import io.mongolock.client.LockCommitListener;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.concurrent.ThreadState;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.interceptor.LockInterceptor;
import io.mongolock.interceptor.LockOperationSource;
import io.mongolock.interceptor.LockOperationSourceAdvisor;
import io.mongolock.interceptor.ProxyKind;
import io.mongolock.interceptor.check.LockMethodVerifier;
import io.mongolock.interceptor.check.LockVerification;
import io.mongolock.observation.LockMdc;
import io.mongolock.spi.LockExtension;
import io.mongolock.spi.TransactionListenerRegistrar;
import io.mongolock.store.mongo.CurrentTransaction;
import io.mongolock.store.mongo.StoreFailures;
import io.mongolock.store.mongo.TtlIndexInitializer.Mode;

/**
 * Auto-configuration for distributed locks on MongoDB. It does not back off if MongoDB is
 * missing, because annotated methods would silently run without their locks. All beans
 * are lazy, and bean methods that a start needs are static. So a start makes neither an
 * instance of this class nor unused beans.
 */
@Lazy
@AutoConfiguration(afterName = "org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration")
@EnableConfigurationProperties(MongoLockProperties.class)
@Import({ LockAutoProxyRegistrar.class, LockClientConfiguration.class, UnlockedConfiguration.class })
public final class MongoLockAutoConfiguration {

	@Bean(LockLifecycle.BEAN_NAME)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockLifecycle mongoLockLifecycle() {
		return new LockLifecycle();
	}

	@Bean
	@ConditionalOnMissingBean
	static ConfiguredSettings mongoLockConfiguredSettings(MongoLockProperties properties) {
		TtlIndex index = properties.ttlIndex();
		return new ConfiguredSettings(properties.settings(), properties.settingsByName(),
				(index.mode() != Mode.NONE) ? index.retention() : null);
	}

	// Declared before the validator, because this order is also the order of their
	// callbacks once all singletons exist. The verifier tells the validator the names
	// of lazy beans
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockMethodVerifier mongoLockMethodVerifier(LockOperationSource source,
			ConfigurableListableBeanFactory beanFactory, ObjectProvider<LockSettingsValidator> validator,
			Environment environment) {
		return new LockMethodVerifier(source, beanFactory,
				(name, settings) -> validator.getObject().terms(name, settings),
				property(environment, "verification", LockVerification.FAIL));
	}

	@Bean
	@Lazy(false) // even if nothing takes a lock
	static LockSettingsValidator mongoLockSettingsValidator(MongoLockProperties properties,
			ConfiguredSettings configured, Environment environment, ObjectProvider<LockExtension> extensions) {
		return new LockSettingsValidator(properties, configured, extensions.orderedStream().toList(), environment);
	}

	@Bean
	@ConditionalOnMissingBean
	static LockClock mongoLockClock() {
		return LockClock.system();
	}

	/**
	 * The parts from which modules make locks. They exist even if locks are switched off,
	 * because saving an application's lockable documents needs them.
	 */
	@Bean
	@ConditionalOnClass(
			name = { "org.springframework.data.mongodb.core.MongoTemplate", "com.mongodb.client.MongoClient" })
	ApplicationLockEnvironment mongoLockEnvironment(ListableBeanFactory beanFactory, MongoLockProperties properties,
			ConfiguredSettings configured, LockOwner owner, LockClock clock, ObjectProvider<LockListener> listeners,
			LockLifecycle lifecycle) {
		return new ApplicationLockEnvironment(beanFactory, properties, configured, owner, clock, listeners, lifecycle);
	}

	@Bean
	@ConditionalOnMissingBean
	static LockOwner mongoLockOwner(Environment environment) {
		return LockOwnerFactory.create(environment);
	}

	/**
	 * The values that work takes along from its caller's thread. The application's beans
	 * are resolved lazily, at the first such work, because they may themselves need
	 * locks.
	 */
	@Bean
	static CallerContext mongoLockCallerContext(ObjectProvider<ThreadState> states,
			ObjectProvider<TaskDecorator> decorators, ApplicationContext context) {
		Supplier<List<ThreadState>> all = SingletonSupplier
			.of(() -> CallerStates.of(states.orderedStream().toList(), context.getClassLoader()));
		Supplier<TaskDecorator> decorator = SingletonSupplier
			.of(() -> new CompositeTaskDecorator(decorators.orderedStream().toList()));
		return new CallerContext(all, (task) -> decorator.get().decorate(task));
	}

	/**
	 * Names the lock in the log lines of work that runs under it.
	 */
	@Bean
	@ConditionalOnSetting(name = "enabled", byDefault = true)
	@ConditionalOnClass(name = "org.slf4j.MDC")
	@ConditionalOnMissingBean
	static LockMdc mongoLockMdc() {
		return new LockMdc();
	}

	// The following beans let annotated methods run under their locks. They are created
	// before other beans, so they resolve no other beans until a method is called

	@Bean
	@ConditionalOnMissingBean(LockOperationSource.class)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static AnnotationLockOperationSource mongoLockOperationSource(ConfigurableListableBeanFactory beanFactory,
			Environment environment) {
		return new AnnotationLockOperationSource(beanFactory::resolveEmbeddedValue,
				property(environment, "unavailable-handler", ""));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockOperationSourceAdvisor mongoLockAdvisor(LockOperationSource source,
			ObjectProvider<LockOperations> operations, Environment environment,
			ConfigurableListableBeanFactory beanFactory) {
		LockInterceptor interceptor = new LockInterceptor(source, operations, beanFactory,
				(LockClientConfiguration.TRANSACTIONS) ? CurrentTransaction::hasSnapshot : () -> false);
		return new LockOperationSourceAdvisor(source, interceptor,
				property(environment, "advisor-order", LockOperationSourceAdvisor.DEFAULT_ORDER),
				new ProxyKind(beanFactory));
	}

	// Needed even if the locks belong to a parent context, or to the application's own
	// client
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnSetting(name = "enabled", byDefault = true)
	static TransactionListenerRegistrar mongoLockCommitListenerRegistrar() {
		return new TransactionListenerRegistrar(new LockCommitListener(
				(LockClientConfiguration.TRANSACTIONS) ? StoreFailures::isRolledBack : (failure) -> false));
	}

	// Reads the environment, because the properties bean is created later
	@SuppressWarnings("unchecked")
	private static <T> T property(Environment environment, String name, T byDefault) {
		return Binder.get(environment)
			.bind(MongoLockProperties.PREFIX + "." + name, (Class<T>) byDefault.getClass())
			.orElse(byDefault);
	}

}
