package io.mongolock.documents;

import com.mongodb.MongoException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;

import io.mongolock.store.mongo.StoreFailures;

/**
 * Says what Spring Data takes for a violation of integrity: a transaction that MongoDB
 * ended, and that may be done again.
 */
final class TransactionConflict {

	private TransactionConflict() {
	}

	/**
	 * A failure as it is to be thrown.
	 * @param failure what a statement failed with
	 * @param what what it was to write
	 * @return the conflict, or the failure itself if it is something else
	 */
	static RuntimeException explained(RuntimeException failure, String what) {
		MongoException conflict = find(failure);
		return (conflict != null) ? new ConcurrencyFailureException("The " + what
				+ ((StoreFailures.isRolledBack(conflict))
						? " was not written: the transaction is over, because another client wrote the same data, or "
								+ "because the server failed ("
						: " may have been written, and a commit of this transaction would keep that write: the "
								+ "connection failed (")
				+ conflict.getMessage()
				+ "). Do the whole transaction again, for example by Spring's @Retryable(predicate = "
				+ "RetriedConflicts.class) outside of @Transactional", failure) : failure;
	}

	static @Nullable MongoException find(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof MongoException exception
					&& exception.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)) {
				return exception;
			}
		}
		return null;
	}

}
