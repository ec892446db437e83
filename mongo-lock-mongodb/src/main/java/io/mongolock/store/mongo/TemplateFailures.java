package io.mongolock.store.mongo;

import java.time.Duration;

import com.mongodb.MongoException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.data.mongodb.core.MongoTemplate;

/**
 * Explains the effect of a failed statement of the application's template if Spring
 * Data's exception does not.
 */
public final class TemplateFailures {

	private TemplateFailures() {
	}

	/**
	 * Turn a conflict into an exception that allows a retry of the transaction, because
	 * Spring Data reports some conflicts as violations of integrity.
	 * @param failure the failure of a statement
	 * @param what the object of the write, for the message
	 * @return the exception, or the failure itself if it is no conflict
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
	 * The failure that ended a transaction if the transaction may be done again.
	 * @param failure the exception that was thrown
	 * @return the cause that MongoDB calls transient, or {@code null}
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
	 * Turn a failure into an exception for a write that may have been made, because
	 * MongoDB has not answered in time, its answer was lost, or the thread was
	 * interrupted.
	 * @param failure the failure of the write
	 * @param what the object of the write, for the message
	 * @param template the template that sent the write
	 * @param limit how long the statement may take
	 * @return the exception. In a transaction, or if nothing was written, the result of
	 * {@link #conflict}
	 */
	public static RuntimeException ofWrite(RuntimeException failure, String what, MongoTemplate template,
			Duration limit) {
		return (StoreFailures.isUnwritten(failure) || CurrentTransaction.session(template).isPresent())
				? conflict(failure, what)
				: unknown(failure, what, limit, "Read the document before you write it again");
	}

	/**
	 * Make an exception for a write that may have been made.
	 * @param failure the failure of the write
	 * @param what the object of the write, for the message
	 * @param limit how long the statement may take
	 * @param next advice for the caller
	 * @return the exception
	 */
	public static RuntimeException unknown(RuntimeException failure, String what, Duration limit, String next) {
		String why = (StoreFailures.isInterrupt(StoreFailures.nativeFailure(failure)))
				? "the thread was interrupted during the write"
				: "MongoDB has not answered (the limit is " + limit.toMillis() + " ms)";
		return new DataAccessResourceFailureException(
				"The " + what + " may have been written, or may be written later, because " + why + ". " + next,
				failure);
	}

}
