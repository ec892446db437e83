package io.mongolock.spi;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Notifies a listener of the transactions of every transaction manager, those that the
 * application defines itself included. A manager that has the listener already, as Spring
 * Boot adds each that is a bean to its own managers, does not get it again.
 */
public final class TransactionListenerRegistrar implements BeanPostProcessor {

	private final TransactionExecutionListener listener;

	/**
	 * Create a registrar, to be a bean.
	 * @param listener hears of all transactions
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
