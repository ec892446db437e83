package io.mongolock.autoconfigure;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;

import io.mongolock.client.LockCommitListener;

/**
 * Lets every transaction manager refuse to commit what was done under a lost lock, those
 * that the application defines itself included.
 */
class LockCommitListenerRegistrar implements BeanPostProcessor {

	private final LockCommitListener listener = new LockCommitListener();

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager) {
			manager.addListener(this.listener);
		}
		return bean;
	}

}
