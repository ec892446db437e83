package io.mongolock.documents;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * Transactions of something that is not MongoDB.
 */
public class ForeignTransactionManager extends AbstractPlatformTransactionManager {

	@Override
	protected Object doGetTransaction() {
		return new Object();
	}

	@Override
	protected void doBegin(Object transaction, TransactionDefinition definition) {
		// nothing to begin
	}

	@Override
	protected void doCommit(DefaultTransactionStatus status) {
		// nothing to commit
	}

	@Override
	protected void doRollback(DefaultTransactionStatus status) {
		// nothing to roll back
	}

}
