package io.mongolock.store.mongo;

import java.nio.channels.ClosedByInterruptException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoIncompatibleDriverException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoServerException;
import com.mongodb.MongoServerUnavailableException;
import com.mongodb.MongoSocketException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.BSONException;
import org.bson.BsonInt32;
import org.bson.codecs.configuration.CodecConfigurationException;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.LeaseId;
import io.mongolock.store.RenewalAnswer;

/**
 * Decides by the failure of a request what the request has done and whether it may be
 * sent again. Turns the failure into a {@link LockStoreException} with a message and
 * advice for the caller. If in doubt, the outcome of a write is unknown. The opposite
 * mistake would leave a lock taken that no client holds, or two clients that both believe
 * they hold it.
 */
public final class StoreFailures {

	static final int DUPLICATE_KEY = 11000;

	private static final Log logger = LogFactory.getLog(StoreFailures.class);

	private static final int UNAUTHORIZED = 13;

	private static final int AUTHENTICATION_FAILED = 18;

	private static final int ILLEGAL_OPERATION = 20;

	private static final int DOCUMENT_VALIDATION_FAILURE = 121;

	private static final int USER_WRITES_BLOCKED = 371;

	private static final int MAX_TIME_EXPIRED = 50;

	/**
	 * The server has read the request and will not execute it: BadValue, FailedToParse,
	 * TypeMismatch, IllegalOperation, CommandNotFound, ImmutableField, InvalidOptions,
	 * CommandNotSupported, DocumentValidationFailure, CommandNotSupportedOnView,
	 * InvalidPipelineOperator, QueryFeatureNotAllowed, NotImplemented, APIVersionError,
	 * APIStrictError, ConversionFailure, UserWritesBlocked.
	 */
	private static final Set<Integer> REFUSALS = Set.of(2, UNAUTHORIZED, AUTHENTICATION_FAILED, 9, 14,
			ILLEGAL_OPERATION, 59, 66, 72, 115, DOCUMENT_VALIDATION_FAILURE, 166, 168, 224, 238, 241, 322, 323,
			USER_WRITES_BLOCKED);

	/**
	 * An earlier attempt of the driver was executed, but the server cannot repeat its
	 * answer.
	 */
	private static final Set<Integer> ANSWERS_LOST = Set.of(5637601, 5637602);

	/**
	 * An attempt ended before the server checked the outcome of an earlier one:
	 * LockTimeout, LockBusy, FailedToSatisfyReadPreference, InterruptedDueToOverload, an
	 * error of Atlas, Interrupted.
	 */
	private static final Set<Integer> CUT_SHORT = Set.of(24, 46, 133, 473, 8000, 11601);

	/**
	 * The errors of a server that does not know the request: FailedToParse,
	 * CommandNotFound, InvalidOptions, CommandNotSupported, InvalidPipelineOperator,
	 * QueryFeatureNotAllowed, NotImplemented, APIVersionError, APIStrictError, and an
	 * unknown variable or stage of a pipeline.
	 */
	private static final Set<Integer> UNKNOWN_TO_OLD_SERVERS = Set.of(9, 59, 72, 115, 168, 224, 238, 322, 323, 17276,
			40324);

	/**
	 * Errors that depend on the user or on the moment: Unauthorized,
	 * AuthenticationFailed, MaxTimeMSExpired, UserWritesBlocked.
	 */
	private static final Set<Integer> OF_THE_MOMENT = Set.of(UNAUTHORIZED, AUTHENTICATION_FAILED, MAX_TIME_EXPIRED,
			USER_WRITES_BLOCKED);

	/**
	 * The server is not the primary any more, is shutting down, or has lost another
	 * server: HostUnreachable, HostNotFound, NetworkTimeout, ShutdownInProgress,
	 * PrimarySteppedDown, ExceededTimeLimit, SocketException, NotWritablePrimary,
	 * InterruptedAtShutdown, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk,
	 * NotPrimaryOrSecondary.
	 */
	private static final Set<Integer> SERVER_GONE = Set.of(6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435,
			13436);

	private StoreFailures() {
	}

	/**
	 * The failure of a request whose answer does not have the format of our locks.
	 */
	static LockStoreException unreadable(StoreRequest request, Outcome outcome, String collection,
			RuntimeException ex) {
		return new LockStoreException(request.key(), outcome,
				"Could not " + request + " in the collection '" + collection + "': " + ex.getMessage(), ex);
	}

	/**
	 * The failure of a request, for the caller. Keeps the thread interrupted if an
	 * interrupt ended the request.
	 * @param thrown the exception, translated by Spring or not
	 */
	static LockStoreException explain(StoreRequest request, String collection, RuntimeException thrown) {
		Throwable failure = nativeFailure(thrown);
		if (isInterrupt(failure)) {
			Thread.currentThread().interrupt();
		}
		Outcome outcome = outcome(failure);
		if (outcome == Outcome.UNKNOWN && !request.write()) {
			outcome = Outcome.NOT_EXECUTED;
		}
		String message = "Could not " + request + within(request, failure) + ", " + meaning(outcome) + ": "
				+ DriverMessage.of(failure)
				+ ((outcome == Outcome.REFUSED) ? advice(request, failure, collection) : "");
		logger.debug(message, thrown);
		return new LockStoreException(request.key(), outcome, message, thrown);
	}

	/**
	 * Whether another claim created the document first.
	 */
	static boolean isDuplicateKey(RuntimeException thrown) {
		return nativeFailure(thrown) instanceof MongoException failure && failure.getCode() == DUPLICATE_KEY;
	}

	/**
	 * Whether the same claim may succeed if it is sent again at once. It may because a
	 * race for a new document is over, or because the driver looks for another primary or
	 * opens another connection.
	 */
	static boolean mayNextClaimSucceed(RuntimeException thrown) {
		Throwable failure = nativeFailure(thrown);
		return isDuplicateKey(thrown) || !isInterrupt(failure) && isServerGone(failure)
				|| failure instanceof MongoSecurityException && isServerGone(failure.getCause());
	}

	private static boolean isServerGone(@Nullable Throwable failure) {
		return failure instanceof MongoSocketException || failure instanceof MongoConnectionPoolClearedException
				|| failure instanceof MongoException exception && SERVER_GONE.contains(exception.getCode());
	}

	/**
	 * Whether a failed request may have been executed, or may still be.
	 */
	static boolean isUnknown(RuntimeException thrown) {
		return outcome(nativeFailure(thrown)) == Outcome.UNKNOWN;
	}

	/**
	 * Whether a failed write of one document was certainly not made, and will not be made
	 * late.
	 * @param thrown the exception of a template
	 */
	public static boolean isUnwritten(Throwable thrown) {
		Throwable failure = nativeFailure(thrown);
		return outcome(failure) != Outcome.UNKNOWN || isError(failure)
				|| (!(failure instanceof MongoException) && isUnencoded(thrown));
	}

	/**
	 * Whether the server says that it has undone a transaction, so that its commit will
	 * never take effect.
	 * @param thrown the exception of the commit, or of a statement in the transaction
	 * @return {@code false} also if an answer was lost, although the driver calls this
	 * transient, too
	 */
	public static boolean isRolledBack(Throwable thrown) {
		return causes(thrown).anyMatch((cause) -> cause instanceof MongoServerException answer
				&& answer.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL));
	}

	// Any error in the server's answer, except those after which the driver repeats the
	// request
	private static boolean isError(Throwable failure) {
		boolean error = failure instanceof MongoWriteException
				|| failure instanceof MongoCommandException command && isUnexecuted(command);
		return error && failure instanceof MongoException answer && !answer.hasErrorLabel("RetryableWriteError")
				&& !isServerGone(answer) && !ANSWERS_LOST.contains(answer.getCode())
				&& !CUT_SHORT.contains(answer.getCode());
	}

	private static boolean isUnencoded(Throwable thrown) {
		return causes(thrown)
			.anyMatch((cause) -> cause instanceof BSONException || cause instanceof CodecConfigurationException);
	}

	/**
	 * Whether the server has refused a request, so that it will execute the request
	 * neither now nor later.
	 */
	static boolean isRefused(RuntimeException thrown) {
		return isRefused(nativeFailure(thrown));
	}

	/**
	 * Whether the server or the driver refuses all requests of this application, because
	 * it cannot sign in or speaks another version of the protocol.
	 */
	static boolean isShutOut(RuntimeException thrown) {
		Throwable failure = nativeFailure(thrown);
		return isRefused(failure) && (failure instanceof MongoSecurityException
				|| failure instanceof MongoIncompatibleDriverException || code(failure) == AUTHENTICATION_FAILED);
	}

	/**
	 * Whether the server has answered with an error, but can serve other requests.
	 */
	static boolean isAnswered(RuntimeException thrown) {
		Throwable failure = nativeFailure(thrown);
		return failure instanceof MongoCommandException && !isServerGone(failure);
	}

	/**
	 * Whether the server has answered that it does not support the request. An error
	 * because of the user or of the server's state does not count.
	 */
	static boolean isBeyondServer(RuntimeException thrown) {
		Throwable failure = nativeFailure(thrown);
		boolean answered = failure instanceof MongoCommandException command && isUnexecuted(command)
				|| failure instanceof MongoBulkWriteException bulk && !bulk.getWriteErrors().isEmpty()
				|| lacksRetryableWrites(failure);
		int code = code(failure);
		return answered && !SERVER_GONE.contains(code) && !CUT_SHORT.contains(code) && !OF_THE_MOMENT.contains(code)
				&& !((MongoException) failure).hasErrorLabel("RetryableError");
	}

	/**
	 * Whether the user lacks a privilege.
	 */
	static boolean isUnauthorized(RuntimeException thrown) {
		return nativeFailure(thrown) instanceof MongoException failure && failure.getCode() == UNAUTHORIZED;
	}

	private static Outcome outcome(Throwable failure) {
		if (isRefused(failure)) {
			return Outcome.REFUSED;
		}
		return (isNotExecuted(failure)) ? Outcome.NOT_EXECUTED : Outcome.UNKNOWN;
	}

	private static boolean isRefused(Throwable failure) {
		if (failure instanceof MongoSecurityException) {
			return areCredentialsRefused(failure.getCause());
		}
		if (failure instanceof MongoIncompatibleDriverException) {
			return true;
		}
		if (failure instanceof MongoCommandException command) {
			return isUnexecuted(command) && isRefusal(command.getErrorCode(), command.getErrorCodeName());
		}
		if (failure instanceof MongoWriteException write) {
			return isRefusal(write.getCode(), "");
		}
		if (failure instanceof MongoBulkWriteException bulk) {
			return bulk.getWriteConcernError() == null && !bulk.getWriteErrors().isEmpty()
					&& bulk.getWriteErrors().stream().allMatch((error) -> isRefusal(error.getCode(), ""));
		}
		return lacksRetryableWrites(failure);
	}

	// Signing in also fails without a connection, or while the server starts or shuts
	// down. Only other failures mean wrong credentials
	private static boolean areCredentialsRefused(@Nullable Throwable cause) {
		return !(cause instanceof MongoException) || cause instanceof MongoCommandException
				&& !(cause instanceof MongoNotPrimaryException || cause instanceof MongoNodeIsRecoveringException);
	}

	private static boolean isNotExecuted(Throwable failure) {
		if (failure instanceof MongoOperationTimeoutException timeout) {
			return endedBeforeSending(timeout);
		}
		if (failure instanceof MongoCommandException command && isUnexecuted(command)
				&& command.getErrorCode() == DUPLICATE_KEY) {
			return true;
		}
		return failure instanceof MongoTimeoutException || failure instanceof MongoSocketOpenException
				|| failure instanceof MongoSecurityException || failure instanceof MongoConnectionPoolClearedException
				|| failure instanceof MongoServerUnavailableException || isClosedClient(failure)
				|| failure instanceof MongoException exception && exception.hasErrorLabel("NoWritesPerformed");
	}

	private static boolean endedBeforeSending(MongoOperationTimeoutException timeout) {
		// The driver found no server, or got no connection, in time. It reports this only
		// if no earlier attempt got further. The exception has no type of its own
		String message = String.valueOf(timeout.getMessage());
		return message.startsWith("Timed out while waiting for a server")
				|| (message.startsWith("Timed out after ") && message.contains("while waiting for a connection"));
	}

	private static boolean isUnexecuted(MongoCommandException failure) {
		// A write concern error may look the same, although the write was made
		return failure.getResponse().getNumber("ok", new BsonInt32(1)).intValue() == 0;
	}

	private static boolean isRefusal(int code, String codeName) {
		// A code without a name, only with a number, comes from an expression or a parser
		return REFUSALS.contains(code) || (codeName.startsWith("Location") && !ANSWERS_LOST.contains(code));
	}

	private static boolean lacksRetryableWrites(Throwable failure) {
		return failure.getCause() instanceof MongoCommandException command
				&& command.getErrorCode() == ILLEGAL_OPERATION;
	}

	private static boolean isClosedClient(Throwable failure) {
		return failure instanceof IllegalStateException && "state should be: open".equals(failure.getMessage());
	}

	static boolean isInterrupt(Throwable failure) {
		Throwable cause = failure.getCause();
		return failure instanceof MongoInterruptedException || cause instanceof InterruptedException
				|| cause instanceof ClosedByInterruptException;
	}

	private static String meaning(Outcome outcome) {
		return switch (outcome) {
			case NOT_EXECUTED -> "and nothing was executed";
			case UNKNOWN -> "but the request may have been executed, or may be executed later";
			case REFUSED -> "because the request was refused";
		};
	}

	/**
	 * The timeout of a request, if the timeout ended it.
	 * @return words for a message, or an empty text
	 */
	static String within(StoreRequest request, Throwable failure) {
		boolean timedOut = failure instanceof MongoTimeoutException || failure instanceof MongoExecutionTimeoutException
				|| code(failure) == MAX_TIME_EXPIRED;
		return (timedOut && !request.timeout().isZero()) ? " within " + request.timeoutMillis() + " ms" : "";
	}

	private static String advice(StoreRequest request, Throwable failure, String collection) {
		int code = code(failure);
		if (failure instanceof MongoSecurityException || code == AUTHENTICATION_FAILED) {
			return ". Check the user, the password and the authentication database of the connection";
		}
		if (code == UNAUTHORIZED) {
			return ". The user needs the privileges " + request.privileges() + " on the collection '" + collection
					+ "', for example by the role readWrite";
		}
		if (lacksRetryableWrites(failure)) {
			return ". Set retryWrites=false in the connection string";
		}
		if (code == DOCUMENT_VALIDATION_FAILURE) {
			return ". The validator of the collection '" + collection
					+ "' has to accept the writes of this library. You can change the validator with collMod";
		}
		if (code == USER_WRITES_BLOCKED) {
			return ". The server blocks the writes of users. To lift the block, run "
					+ "db.adminCommand({setUserWriteBlockMode: 1, global: false})";
		}
		return (failure instanceof MongoIncompatibleDriverException || UNKNOWN_TO_OLD_SERVERS.contains(code))
				? ". Locks need MongoDB 4.4 or later"
				: ". Check the document with this key, because only this library may write this document";
	}

	private static int code(Throwable failure) {
		if (failure instanceof MongoBulkWriteException bulk && !bulk.getWriteErrors().isEmpty()) {
			return bulk.getWriteErrors().get(0).getCode();
		}
		return (failure instanceof MongoException exception) ? exception.getCode() : -1;
	}

	static Throwable nativeFailure(Throwable thrown) {
		return causes(thrown)
			.filter((cause) -> cause instanceof MongoException || cause instanceof IllegalStateException)
			.findFirst()
			.orElse(thrown);
	}

	/**
	 * The failure, its cause, the cause of that cause, and so on.
	 */
	static Stream<Throwable> causes(Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause);
	}

	/**
	 * The failure of several renewals. It may concern only some, because the server
	 * executes each statement of a request independently.
	 * @return the renewals that failed
	 * @throws LockStoreException the failure, if we cannot know which renewals failed
	 */
	static RenewalAnswer ofSome(List<LeaseId> leases, LockStoreException failure) {
		if (nativeFailure(failure) instanceof MongoBulkWriteException bulk && bulk.getWriteConcernError() == null
				&& !bulk.getWriteErrors().isEmpty()) {
			Set<LeaseId> failed = bulk.getWriteErrors()
				.stream()
				.map((error) -> leases.get(error.getIndex()))
				.collect(Collectors.toSet());
			return new RenewalAnswer(bulk.getWriteResult().getMatchedCount(), failed, failure);
		}
		throw failure;
	}

}
