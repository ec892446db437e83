package io.mongolock.faults.spring;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import io.mongolock.annotation.DistributedLock;

/**
 * An amount in a relational database, and the ways to work on it under a lock.
 */
public class Ledger {

	static final String KEY = "ledger";

	private final JdbcTemplate jdbc;

	public Ledger(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
		jdbc.execute("create table if not exists ledger (amount int)");
	}

	@DistributedLock(KEY)
	@Transactional
	public void inOwnTransaction(Runnable work) {
		work.run();
	}

	@DistributedLock(KEY)
	public void inCallersTransaction(Runnable work) {
		work.run();
	}

	@DistributedLock(KEY)
	@Transactional(propagation = Propagation.REQUIRES_NEW)
	public void inNewTransaction(Runnable work) {
		work.run();
	}

	@DistributedLock(KEY)
	@Transactional(propagation = Propagation.NESTED)
	public void inNestedTransaction(Runnable work) {
		work.run();
	}

	/**
	 * Read and write: correct only if nobody does so meanwhile.
	 */
	public void increment() {
		int amount = amount();
		Thread.yield();
		this.jdbc.update("update ledger set amount = ?", amount + 1);
	}

	public int amount() {
		return this.jdbc.queryForObject("select amount from ledger", Integer.class);
	}

	public void reset() {
		this.jdbc.update("delete from ledger");
		this.jdbc.update("insert into ledger values (0)");
	}

}
