package io.mongolock.autoconfigure;

import java.util.stream.Stream;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

import io.mongolock.LockOperations;
import io.mongolock.annotation.AnnotationLockOperationSource;
import io.mongolock.interceptor.LockInterceptor;
import io.mongolock.interceptor.LockOperationSource;
import io.mongolock.interceptor.LockOperationSourceAdvisor;
import io.mongolock.interceptor.ProxyKind;
import io.mongolock.interceptor.check.LockMethodVerifier;
import io.mongolock.interceptor.check.LockVerification;
import io.mongolock.store.mongo.CurrentTransaction;

/**
 * Lets annotated methods run under their locks. All of it is created before other beans,
 * so it asks for none of those until a method is called.
 */
@Configuration(proxyBeanMethods = false)
@Import(LockAutoProxyRegistrar.class)
class LockMethodConfiguration {

	/** Whether there can be transactions of MongoDB. */
	static final boolean TRANSACTIONS = Stream
		.of("org.springframework.data.mongodb.MongoDatabaseUtils", "com.mongodb.client.ClientSession")
		.allMatch((name) -> ClassUtils.isPresent(name, LockMethodConfiguration.class.getClassLoader()));

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
	static LockInterceptor mongoLockInterceptor(LockOperationSource source, ObjectProvider<LockOperations> operations,
			BeanFactory beanFactory) {
		return new LockInterceptor(source, operations::getObject, beanFactory,
				(TRANSACTIONS) ? CurrentTransaction::hasSnapshot : () -> false);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockOperationSourceAdvisor mongoLockAdvisor(LockOperationSource source, LockInterceptor interceptor,
			Environment environment, ConfigurableListableBeanFactory beanFactory) {
		return new LockOperationSourceAdvisor(source, interceptor,
				property(environment, "advisor-order", LockOperationSourceAdvisor.DEFAULT_ORDER),
				new ProxyKind(beanFactory)::isPossible);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockMethodVerifier mongoLockMethodVerifier(LockOperationSource source,
			ConfigurableListableBeanFactory beanFactory, ObjectProvider<LockSettingsValidator> validator,
			Environment environment) {
		return new LockMethodVerifier(source, beanFactory,
				(name, settings) -> validator.getObject().terms(name, settings),
				property(environment, "verification", LockVerification.FAIL));
	}

	// Not from the properties bean, which is created later
	@SuppressWarnings("unchecked")
	private static <T> T property(Environment environment, String name, T byDefault) {
		return Binder.get(environment)
			.bind(MongoLockProperties.PREFIX + "." + name, (Class<T>) byDefault.getClass())
			.orElse(byDefault);
	}

}
