package io.mongolock.integration;

import java.util.Arrays;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Warns if the application has only another registry, for which this module's registry
 * has backed off. Its locks do not exclude the locks of this library.
 *
 * @param beanFactory the bean factory of the application
 */
record RegistryCheck(ListableBeanFactory beanFactory) implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(RegistryCheck.class);

	@Override
	public void afterSingletonsInstantiated() {
		if (names(MongoLockRegistry.class).length == 0) {
			logger.warn("Spring Integration uses the LockRegistry " + Arrays.toString(names(LockRegistry.class))
					+ " of the application. That bean and this library can grant the same lock at the same time. "
					+ "Remove that bean, remove mongo-lock-integration, or also declare a MongoLockRegistry bean");
		}
	}

	private String[] names(Class<?> type) {
		return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, type, true, false);
	}

}
