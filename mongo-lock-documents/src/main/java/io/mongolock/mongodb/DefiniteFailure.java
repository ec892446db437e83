package io.mongolock.mongodb;

import java.util.Set;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoServerUnavailableException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteException;
import org.bson.BSONException;
import org.bson.BsonInt32;
import org.bson.codecs.configuration.CodecConfigurationException;

/**
 * Says of a write that failed whether it certainly was not made, and will not be: what is
 * not named here may have been.
 */
final class DefiniteFailure {

	private static final String RETRYABLE_WRITE = "RetryableWriteError";

	private static final String NO_WRITES = "NoWritesPerformed";

	/**
	 * An earlier attempt of the driver was executed, but the server cannot repeat its
	 * answer.
	 */
	private static final Set<Integer> ANSWERS_LOST = Set.of(5637601, 5637602);

	private DefiniteFailure() {
	}

	/**
	 * Look for such a failure.
	 * @param failure what a statement of the template failed with
	 * @return whether nothing was written
	 */
	static boolean is(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof MongoException answer) {
				return isRefused(answer) || isUnsent(answer);
			}
			if (cause instanceof BSONException || cause instanceof CodecConfigurationException) {
				return true;
			}
		}
		return false;
	}

	private static boolean isRefused(MongoException answer) {
		boolean retried = answer.hasErrorLabel(RETRYABLE_WRITE) || ANSWERS_LOST.contains(answer.getCode())
				|| answer instanceof MongoNotPrimaryException || answer instanceof MongoNodeIsRecoveringException
				|| answer instanceof MongoExecutionTimeoutException;
		return !retried && (answer instanceof MongoWriteException
				|| answer instanceof MongoCommandException command && isUnexecuted(command));
	}

	// A write concern error may look the same, after the write was made
	private static boolean isUnexecuted(MongoCommandException answer) {
		return answer.getResponse().getNumber("ok", new BsonInt32(1)).intValue() == 0;
	}

	private static boolean isUnsent(MongoException answer) {
		boolean timedOut = answer instanceof MongoTimeoutException
				&& !(answer instanceof MongoOperationTimeoutException);
		return timedOut || answer instanceof MongoSocketOpenException || answer instanceof MongoSecurityException
				|| answer instanceof MongoConnectionPoolClearedException
				|| answer instanceof MongoServerUnavailableException || answer.hasErrorLabel(NO_WRITES);
	}

}
