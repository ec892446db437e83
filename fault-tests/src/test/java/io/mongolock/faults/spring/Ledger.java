package io.mongolock.faults.spring;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionStatus;

import io.mongolock.annotation.DistributedLock;
import io.mongolock.faults.harness.RecordingLockListener;

/**
 * Accounts in a database that has transactions, guarded by locks in one that need not.
 * What it adds is lost if anybody reads before another's commit.
 */
class Ledger {

	private final JdbcClient jdbc;

	Ledger(JdbcClient jdbc) {
		this.jdbc = jdbc;
		jdbc.sql("create table if not exists account (id varchar(100) primary key, balance bigint)").update();
	}

	static String key(String account) {
		return "account:" + account;
	}

	/** Open a new account. */
	String open() {
		String account = UUID.randomUUID().toString();
		this.jdbc.sql("insert into account values (?, 0)").param(account).update();
		return account;
	}

	long balance(String account) {
		return this.jdbc.sql("select balance from account where id = ?").param(account).query(Long.class).single();
	}

	/** Without a transaction of its own, and writing nothing. */
	@DistributedLock(name = "account", key = "#account")
	void guard(String account, Runnable work) {
		work.run();
	}

	/** In the caller's transaction, if it has one. */
	@DistributedLock(name = "account", key = "#account")
	void add(String account, Runnable then) {
		addOne(account, then);
	}

	@DistributedLock(name = "account", key = "#account")
	@Transactional
	void addInTransaction(String account, Runnable then) {
		addOne(account, then);
	}

	@DistributedLock(name = "account", key = "#account")
	@Transactional(propagation = Propagation.REQUIRES_NEW)
	void addInNewTransaction(String account, Runnable then) {
		addOne(account, then);
	}

	@DistributedLock(name = "account", key = "#account")
	@Transactional(propagation = Propagation.NESTED)
	void addInNestedTransaction(String account, Runnable then) {
		addOne(account, then);
	}

	private void addOne(String account, Runnable then) {
		long read = balance(account);
		this.jdbc.sql("update account set balance = ? where id = ?").params(read + 1, account).update();
		then.run();
	}

	/**
	 * An application with a ledger; all of this JVM have one database.
	 */
	@Configuration(proxyBeanMethods = false)
	static class App {

		@Bean
		DataSource dataSource() {
			return new DriverManagerDataSource("jdbc:h2:mem:ledger;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000");
		}

		@Bean
		Transactions transactions(DataSource dataSource) {
			return new Transactions(dataSource);
		}

		@Bean
		Ledger ledger(JdbcClient jdbc) {
			return new Ledger(jdbc);
		}

		@Bean
		RecordingLockListener heard() {
			return new RecordingLockListener();
		}

	}

	/**
	 * Loses the connection with the answer to a commit, on demand: the commit has
	 * happened, and the outcome is unknown.
	 */
	static class Transactions extends JdbcTransactionManager {

		private final AtomicBoolean loses = new AtomicBoolean();

		private final AtomicBoolean lost = new AtomicBoolean();

		Transactions(DataSource dataSource) {
			super(dataSource);
		}

		void loseNextCommitAnswer() {
			this.loses.set(true);
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			super.doCommit(status);
			if (this.loses.getAndSet(false)) {
				this.lost.set(true);
				throw new DataAccessResourceFailureException("No answer to the commit");
			}
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			if (this.lost.getAndSet(false)) {
				throw new DataAccessResourceFailureException("The connection is gone");
			}
			super.doRollback(status);
		}

	}

}
