package io.mongolock.shedlock;

import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;

import io.mongolock.spi.LockStartupException;

/**
 * Refuses to start with a provider that ShedLock would use and that does not ask the one
 * of this module: its locks would not exclude the locks of this library.
 *
 * @param beanFactory of the application
 */
record ProviderCheck(ConfigurableListableBeanFactory beanFactory) implements SmartInitializingSingleton {

	/** The bean of this module. */
	static final String OWN = "mongoLockShedLockProvider";

	@Override
	public void afterSingletonsInstantiated() {
		for (String name : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, LockProvider.class)) {
			if (isUsedByDefault(name) && !isBuiltOnOwn(this.beanFactory.getBean(name, LockProvider.class))) {
				throw new LockStartupException(
						"ShedLock would use the LockProvider bean '" + name
								+ "', whose locks do not exclude the locks of this library.",
						"Remove the bean '" + name + "': mongo-lock-shedlock has one. If it wraps that one, take an "
								+ "ExtensibleLockProvider as a parameter, and return a LockProvider. If some methods name it in "
								+ "@LockProviderToUse, declare it with @Bean(autowireCandidate = false). If ShedLock is to keep "
								+ "its own locks, remove mongo-lock-shedlock.");
			}
		}
	}

	private boolean isUsedByDefault(String name) {
		ConfigurableListableBeanFactory factory = factoryOf(name);
		if (!factory.containsBeanDefinition(name)) {
			return true;
		}
		BeanDefinition definition = factory.getMergedBeanDefinition(name);
		return definition.isAutowireCandidate()
				&& !(definition instanceof AbstractBeanDefinition bean && !bean.isDefaultCandidate());
	}

	// Of a parent, too, which may have a module of its own
	private boolean isBuiltOnOwn(LockProvider provider) {
		for (BeanFactory level = this.beanFactory; level instanceof ConfigurableListableBeanFactory factory; level = factory
			.getParentBeanFactory()) {
			if (factory.getBeansOfType(Probe.class).values().stream().anyMatch((probe) -> probe.reaches(provider))) {
				return true;
			}
		}
		return false;
	}

	private ConfigurableListableBeanFactory factoryOf(String name) {
		ConfigurableListableBeanFactory factory = this.beanFactory;
		while (!factory.containsLocalBean(name)
				&& factory.getParentBeanFactory() instanceof ConfigurableListableBeanFactory parent) {
			factory = parent;
		}
		return factory;
	}

}
