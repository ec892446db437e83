package io.mongolock.test.embedded;

import java.util.function.Supplier;

import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * One session of a client. Its last number belongs either to a transaction, or to a
 * write, which runs only once even if a driver sends it several times. A write that wrote
 * nothing is not remembered and runs again. Thread-safe.
 */
final class Session {

	private final Transactions transactions;

	private long lastNumber = -1;

	private @Nullable Document lastReply;

	private @Nullable Transaction transaction;

	private Last last = Last.WRITE;

	Session(Transactions transactions) {
		this.transactions = transactions;
	}

	synchronized Document write(long number, Supplier<WriteReply> write) {
		checkNotOlder(number);
		if (number == this.lastNumber && this.last != Last.WRITE) {
			throw ServerErrors.incompleteTransactionHistory(
					"The number " + number + " belongs to a transaction, not to a retryable write");
		}
		if (number == this.lastNumber && this.lastReply != null) {
			return this.lastReply.clone();
		}
		advance(number, Last.WRITE);
		WriteReply reply = write.get();
		if (reply.wrote()) {
			this.lastReply = reply.remembered().clone();
		}
		return reply.document();
	}

	synchronized Transaction begin(long number, Supplier<Transaction> begin) {
		checkNotOlder(number);
		if (number == this.lastNumber) {
			throw ServerErrors.conflictingOperation("Transaction " + number + " has been started already");
		}
		advance(number, Last.TRANSACTION);
		this.transaction = begin.get();
		this.transactions.begun(this.transaction);
		return this.transaction;
	}

	synchronized Transaction transaction(long number) {
		checkNotOlder(number);
		if (number == this.lastNumber && this.last == Last.COMMITTED) {
			throw ServerErrors.transactionCommitted("Transaction " + number + " has been committed");
		}
		if (number > this.lastNumber || this.transaction == null) {
			throw TransientError.noSuchTransaction(number);
		}
		return this.transaction;
	}

	synchronized void commit(long number) {
		if (number != this.lastNumber || this.last != Last.COMMITTED) {
			Transaction committed = transaction(number);
			this.transaction = null;
			this.last = Last.COMMITTED;
			this.transactions.commit(committed);
		}
	}

	/**
	 * End the transaction that is open, if there is one, as if it had never been.
	 */
	synchronized void abort() {
		if (this.transaction != null) {
			this.transaction.forget();
			this.transactions.abort(this.transaction);
			this.transaction = null;
			this.last = Last.ABORTED;
		}
	}

	/**
	 * End a transaction that has taken too long.
	 * @param late the transaction
	 * @return whether it was still open
	 */
	synchronized boolean abortIf(Transaction late) {
		boolean open = this.transaction == late;
		if (open) {
			abort();
		}
		return open;
	}

	private void checkNotOlder(long number) {
		if (number < this.lastNumber) {
			throw ServerErrors.transactionTooOld("Transaction number " + number + " is prohibited because a newer one, "
					+ this.lastNumber + ", has started in this session");
		}
	}

	private void advance(long number, Last kind) {
		abort();
		this.lastNumber = number;
		this.lastReply = null;
		this.last = kind;
	}

	/**
	 * The use of the last number.
	 */
	private enum Last {

		WRITE, TRANSACTION, COMMITTED, ABORTED

	}

}
