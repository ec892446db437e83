package io.mongolock.store.mongo;

import java.time.Duration;

import com.mongodb.MongoException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.data.mongodb.core.MongoTemplate;

/**
 * Says what a failed statement of the application's template has done, where Spring
 * Data's exception does not.
 */
public final class TemplateFailures {

	private TemplateFailures() {
	}

	/**
	 * Say of a conflict that the transaction may be done again: Spring Data takes some
	 * for violations of integrity.
	 * @param failure what a statement failed with
	 * @param what what it was to write
	 * @return the conflict, or the failure itself if it is something else
	 */
	public static RuntimeException conflict(RuntimeException failure, String what) {
		MongoException conflict = findConflict(failure);
		return (conflict != null) ? new ConcurrencyFailureException("The " + what
				+ ((StoreFailures.isRolledBack(conflict))
						? " was not written. The transaction is over, because another client wrote the same data, or "
								+ "because the server failed ("
						: " may have been written, and a commit of this transaction would keep that write. The "
								+ "connection failed (")
				+ conflict.getMessage()
				+ "). Do the whole transaction again, for example by Spring's @Retryable(predicate = "
				+ "RetriedConflicts.class) outside of @Transactional", failure) : failure;
	}

	/**
	 * The failure that ended a transaction, which may be done again.
	 * @param failure what was thrown
	 * @return what MongoDB calls transient, or {@code null}
	 */
	public static @Nullable MongoException findConflict(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof MongoException exception
					&& exception.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL)) {
				return exception;
			}
		}
		return null;
	}

	/**
	 * Say of a write that it may have been made: MongoDB has not answered in time, or its
	 * answer was lost.
	 * @param failure what the write failed with
	 * @param what what it was to write
	 * @param template what sent it
	 * @param limit how long the statement may take
	 * @return one that says so; in a transaction a {@link #conflict}, or the failure
	 * itself if nothing was written
	 */
	public static RuntimeException ofWrite(RuntimeException failure, String what, MongoTemplate template,
			Duration limit) {
		return (StoreFailures.isUnwritten(failure) || CurrentTransaction.session(template).isPresent())
				? conflict(failure, what)
				: unknown(failure, what, limit, "Read the document before you write it again");
	}

	/**
	 * Say that a write may have been made.
	 * @param failure what the write failed with
	 * @param what what it was to write
	 * @param limit how long the statement may take
	 * @param next what to do next
	 * @return the exception
	 */
	public static RuntimeException unknown(RuntimeException failure, String what, Duration limit, String next) {
		return new DataAccessResourceFailureException("The " + what
				+ " may have been written, or may be written later, because MongoDB has not answered (the limit is "
				+ limit.toMillis() + " ms). " + next, failure);
	}

}
