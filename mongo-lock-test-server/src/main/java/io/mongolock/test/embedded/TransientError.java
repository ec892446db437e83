package io.mongolock.test.embedded;

import de.bwaldvogel.mongo.exception.MongoServerError;

/**
 * An error that ends a whole transaction, even in the middle of many writes. Its label
 * tells drivers that the transaction may be tried again.
 */
@SuppressWarnings("serial")
final class TransientError extends RuntimeException {

	static final String LABEL = "TransientTransactionError";

	private final MongoServerError error;

	private TransientError(MongoServerError error) {
		super(error);
		this.error = error;
	}

	static TransientError writeConflict() {
		return of(112, "WriteConflict", "WriteConflict error: this operation conflicted with another operation."
				+ " Please retry your operation or multi-document transaction.");
	}

	static TransientError snapshotUnavailable(String namespace) {
		return of(246, "SnapshotUnavailable",
				"Unable to read from a snapshot: " + namespace + " was created or dropped after it was taken");
	}

	static TransientError noSuchTransaction(long number) {
		return of(251, "NoSuchTransaction", "Transaction " + number + " is not in progress: it was never started, has"
				+ " been aborted, or its session was killed");
	}

	private static TransientError of(int code, String name, String message) {
		return new TransientError(new MongoServerError(code, name, message));
	}

	MongoServerError error() {
		return this.error;
	}

}
