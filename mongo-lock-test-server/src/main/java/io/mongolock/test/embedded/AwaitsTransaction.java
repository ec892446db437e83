package io.mongolock.test.embedded;

/**
 * Says that a statement has met what an open transaction has written or used, and can go
 * on once that has ended. No error, so that nothing takes it for the answer.
 */
@SuppressWarnings("serial")
final class AwaitsTransaction extends RuntimeException {

	private final transient Transactions transactions;

	AwaitsTransaction(Transactions transactions) {
		super("A transaction has to end first", null, false, false);
		this.transactions = transactions;
	}

	Transactions transactions() {
		return this.transactions;
	}

}
