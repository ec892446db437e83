package io.mongolock.spi;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Notifies a listener of the transactions of every transaction manager, including
 * managers that the application itself defines. A manager that already has the listener
 * does not get it again: Spring Boot adds listener beans to its own managers.
 */
public final class TransactionListenerRegistrar implements BeanPostProcessor {

	private final TransactionExecutionListener listener;

	/**
	 * Create a registrar, which must be a bean.
	 * @param listener the listener, which hears of all transactions
	 */
	public TransactionListenerRegistrar(TransactionExecutionListener listener) {
		this.listener = listener;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager
				&& !manager.getTransactionExecutionListeners().contains(this.listener)) {
			manager.addListener(this.listener);
		}
		return bean;
	}

}
