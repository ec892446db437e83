package io.mongolock.faults.spring;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import io.mongolock.annotation.DistributedLock;

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

	void open(String account) {
		this.jdbc.sql("merge into account values (?, 0)").param(account).update();
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

}
