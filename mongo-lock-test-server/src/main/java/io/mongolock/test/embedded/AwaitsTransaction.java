package io.mongolock.test.embedded;

/**
 * Says that a statement has met data that an open transaction has written or used. The
 * statement can go on once the transaction has ended. Not an error of the server, so that
 * no code takes it for the answer.
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
