package io.mongolock.documents;

import java.time.Duration;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.store.mongo.StoreFailures;

/**
 * Says that a write may have been done: MongoDB has not answered in time, or its answer
 * was lost.
 */
final class UnknownWrite {

	private UnknownWrite() {
	}

	/**
	 * A failure as it is to be thrown.
	 * @param failure what a write failed with
	 * @param what what it was to write
	 * @param template what sent it
	 * @param limit how long the statement may take
	 * @return one that says so; in a transaction what {@link TransactionConflict} has, or
	 * the failure itself if nothing was written
	 */
	static RuntimeException explained(RuntimeException failure, String what, MongoTemplate template, Duration limit) {
		return (StoreFailures.isUnwritten(failure) || DocumentTransaction.sessionOf(template).isPresent())
				? TransactionConflict.explained(failure, what)
				: of(failure, what, limit, "Read the document before you write it again");
	}

	/**
	 * Say so.
	 * @param failure what a write failed with
	 * @param what what it was to write
	 * @param limit how long the statement may take
	 * @param next what to do next
	 * @return the exception
	 */
	static RuntimeException of(RuntimeException failure, String what, Duration limit, String next) {
		return new DataAccessResourceFailureException(
				"The " + what + " may have been written, or may be written later: "
						+ "MongoDB has not answered (limit: " + limit.toMillis() + " ms). " + next,
				failure);
	}

}
