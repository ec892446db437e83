package io.mongolock.faults.spring;

import java.util.UUID;
import java.util.function.Consumer;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * A running {@link LedgerApp}, and another client of its locks.
 */
final class LedgerFixture implements AutoCloseable {

	private final EmbeddedMongo mongo = EmbeddedMongo.start();

	private final OtherClient other = new OtherClient(this.mongo.connectionString());

	private final ConfigurableApplicationContext context;

	LedgerFixture(String database) {
		this.context = start(database);
	}

	/**
	 * Start a further instance of the application.
	 * @param database the name of its database
	 * @return its context
	 */
	ConfigurableApplicationContext start(String database) {
		return SpringApp.start(this.mongo.connectionString(), LedgerApp.class, "spring.datasource.name=" + database);
	}

	ConfigurableApplicationContext context() {
		return this.context;
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	Ledger ledger() {
		return bean(Ledger.class);
	}

	/**
	 * Open an account.
	 * @return the new account
	 */
	String openAccount() {
		String account = UUID.randomUUID().toString();
		ledger().open(account);
		return account;
	}

	OtherClient other() {
		return this.other;
	}

	/**
	 * Run in a transaction as a caller of the ledger would, joined or new.
	 * @param propagation such as {@link TransactionDefinition#PROPAGATION_REQUIRED}
	 * @param work what to run
	 */
	void inTransaction(int propagation, Consumer<TransactionStatus> work) {
		TransactionTemplate template = new TransactionTemplate(bean(PlatformTransactionManager.class));
		template.setPropagationBehavior(propagation);
		template.executeWithoutResult(work);
	}

	void inTransaction(Consumer<TransactionStatus> work) {
		inTransaction(TransactionDefinition.PROPAGATION_REQUIRED, work);
	}

	@Override
	public void close() {
		this.context.close();
		this.other.close();
		this.mongo.close();
	}

}
