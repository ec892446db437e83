package io.mongolock.test.faults;

import org.springframework.beans.factory.ObjectProvider;
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

	/**
	 * Registers the faults after all other bean definitions, so that no condition on a
	 * missing store takes them for the store.
	 */
	static final class LockFaultsRegistrar implements BeanDefinitionRegistryPostProcessor {

		@Override
		public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
			DefaultListableBeanFactory beans = (DefaultListableBeanFactory) registry;
			String[] stores = beans.getBeanNamesForType(LockStore.class, true, false);
			if (stores.length != 1) {
				throw new IllegalStateException("@EnableLockFaults needs one LockStore bean and found " + stores.length
						+ "; is mongo-lock.enabled=false?");
			}
			ObjectProvider<LockTemplate> client = beans.getBeanProvider(LockTemplate.class);
			BeanDefinition definition = BeanDefinitionBuilder
				.rootBeanDefinition(LockFaults.class,
						() -> new LockFaults(beans.getBean(stores[0], LockStore.class),
								(key) -> client.ifAvailable((template) -> template.renew(key))))
				.getBeanDefinition();
			definition.setPrimary(true);
			registry.registerBeanDefinition("mongoLockFaults", definition);
		}

		@Override
		public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		}

	}

}
