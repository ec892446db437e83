package io.mongolock.test.faults;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.mongolock.client.LockTemplate;
import io.mongolock.store.LockStore;

/**
 * Puts {@link LockFaults} before the store of the application.
 */
@Configuration(proxyBeanMethods = false)
class LockFaultsConfiguration {

	@Bean
	static LockFaultsRegistrar mongoLockFaultsRegistrar() {
		return new LockFaultsRegistrar();
	}

	static LockFaults faults(LockStore store, ObjectProvider<LockTemplate> client) {
		return new LockFaults(store, (key) -> client.ifAvailable((template) -> template.renew(key)));
	}

	/**
	 * Registers the faults after all other bean definitions, so that no condition on a
	 * missing store takes them for the store.
	 */
	static final class LockFaultsRegistrar implements BeanDefinitionRegistryPostProcessor {

		private static final String BEAN_NAME = "mongoLockFaults";

		@Override
		public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
			if (registry.containsBeanDefinition(BEAN_NAME)) {
				// Processed ahead of time
				return;
			}
			DefaultListableBeanFactory beans = (DefaultListableBeanFactory) registry;
			String[] stores = beans.getBeanNamesForType(LockStore.class, true, false);
			if (stores.length != 1) {
				throw new IllegalStateException("@EnableLockFaults needs one LockStore bean, but found " + stores.length
						+ ". Check whether mongo-lock.enabled=false is set");
			}
			BeanDefinition definition = BeanDefinitionBuilder
				.rootBeanDefinition(LockFaultsConfiguration.class, "faults")
				.addConstructorArgReference(stores[0])
				.setAutowireMode(AutowireCapableBeanFactory.AUTOWIRE_CONSTRUCTOR)
				.setPrimary(true)
				.getBeanDefinition();
			registry.registerBeanDefinition(BEAN_NAME, definition);
		}

		@Override
		public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		}

	}

}
