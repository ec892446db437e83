package io.mongolock.shedlock;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import net.javacrumbs.shedlock.core.LockProvider;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;

import io.mongolock.shedlock.Probe.Answer;
import io.mongolock.spi.LockStartupException;

/**
 * Refuses to start if ShedLock would use a provider that does not ask this module's
 * provider: its locks would not exclude the locks of this library. A provider that
 * depends on this module's bean is also accepted if it does not ask that bean at the
 * start, unless it grants the lock itself.
 *
 * @param beanFactory the bean factory of the application
 */
record ProviderCheck(ConfigurableListableBeanFactory beanFactory) implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(ProviderCheck.class);

	/** The bean of this module. */
	static final String OWN = "mongoLockShedLockProvider";

	@Override
	public void afterSingletonsInstantiated() {
		for (String name : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, LockProvider.class)) {
			if (isUsedByDefault(name)) {
				check(name, this.beanFactory.getBean(name, LockProvider.class));
			}
		}
	}

	private void check(String name, LockProvider provider) {
		List<Answer> answers = probes().stream().map((probe) -> probe.ask(provider)).toList();
		if (answers.stream().anyMatch(Answer::reached)) {
			return;
		}
		RuntimeException failure = answers.stream()
			.map(Answer::failure)
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
		if (answers.stream().anyMatch(Answer::granted) || !isBuiltOnOwn(name, new HashSet<>())) {
			throw refusal(name, failure);
		}
		if (failure != null) {
			logger.warn("The LockProvider bean '" + name
					+ "' could not take a lock at the start, so it is unknown whether the bean uses the LockProvider "
					+ "of mongo-lock-shedlock. If the bean does not use that LockProvider, remove the bean, because "
					+ "its locks do not exclude the locks of this library", failure);
		}
	}

	private static LockStartupException refusal(String name, @Nullable RuntimeException failure) {
		String why = (failure != null)
				? "That bean does not use the LockProvider of mongo-lock-shedlock, and could not take a lock at the "
						+ "start: " + failure
				: "That bean and this library can grant the same lock at the same time";
		return new LockStartupException("ShedLock would use the LockProvider bean '" + name + "'. " + why + ".",
				"Remove the bean '" + name + "': mongo-lock-shedlock has its own LockProvider. If your bean wraps that "
						+ "LockProvider, let the @Bean method take an ExtensibleLockProvider and return a "
						+ "LockProvider. If @LockProviderToUse names your bean, declare it with "
						+ "@Bean(autowireCandidate = false). To keep ShedLock's own locks, remove mongo-lock-shedlock.",
				failure);
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

	// Includes parents, which may have their own instance of this module
	private List<Probe> probes() {
		List<Probe> probes = new ArrayList<>();
		for (BeanFactory level = this.beanFactory; level instanceof ConfigurableListableBeanFactory factory; level = factory
			.getParentBeanFactory()) {
			probes.addAll(factory.getBeansOfType(Probe.class).values());
		}
		return probes;
	}

	private boolean isBuiltOnOwn(String name, Set<String> seen) {
		return name.equals(OWN) || Stream.of(factoryOf(name).getDependenciesForBean(name))
			.anyMatch((dependency) -> seen.add(dependency) && isBuiltOnOwn(dependency, seen));
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
