package io.mongolock.faults.spring;

import org.springframework.transaction.TransactionDefinition;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;

/**
 * The ways in which a lock and a transaction come together. Each adds one to an account.
 */
enum Way {

	LOCK_AROUND_ITS_OWN((test, work, last) -> test.ledger().addInTransaction(test.account(), () -> {
		work.run();
		last.run();
	})),

	LOCK_IN_THE_CALLERS((test, work, last) -> test.inTransaction((status) -> {
		test.ledger().add(test.account(), work);
		last.run();
	})),

	JOINED_TO_THE_CALLERS((test, work, last) -> test.inTransaction((status) -> {
		test.ledger().addInTransaction(test.account(), work);
		last.run();
	})),

	LOCK_AROUND_AND_IN_IT(
			(test, work, last) -> test.ledger().guard(test.account(), () -> LOCK_IN_THE_CALLERS.run(test, work, last))),

	NEW_IN_THE_CALLERS((test, work, last) -> test.inTransaction((status) -> {
		test.ledger().addInNewTransaction(test.account(), work);
		last.run();
	})),

	NESTED_IN_THE_CALLERS((test, work, last) -> test.inTransaction((status) -> {
		test.ledger().addInNestedTransaction(test.account(), work);
		last.run();
	})),

	SUSPENDED_WHILE_HELD((test, work, last) -> test.inTransaction((status) -> {
		test.ledger().add(test.account(), work);
		test.inTransaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED, (none) -> last.run());
	})),

	HANDLE_CLOSED_IN_IT((test, work, last) -> test.inTransaction((status) -> {
		LockHandle handle = test.app().bean(LockOperations.class).acquire(LockRequest.of(test.key()));
		test.ledger().add(test.account(), work);
		handle.close();
		last.run();
	}));

	private final Call call;

	Way(Call call) {
		this.call = call;
	}

	/** Work runs right after the change, and last at the end of all transactions. */
	void run(TransactionTests test, Runnable work, Runnable last) {
		this.call.run(test, work, last);
	}

	/** What the outermost transaction does not undo. */
	long committedBefore() {
		return (this == NEW_IN_THE_CALLERS) ? 1 : 0;
	}

	private interface Call {

		void run(TransactionTests test, Runnable work, Runnable last);

	}

}
