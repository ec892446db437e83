package io.mongolock.store.mongo;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import javax.security.sasl.SaslException;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoClientException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoConnectionPoolClearedException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoNodeIsRecoveringException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoSocketOpenException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.MongoSocketWriteException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.MongoWriteException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcernResult;
import com.mongodb.WriteError;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.bulk.WriteConcernError;
import com.mongodb.connection.ClusterId;
import com.mongodb.connection.ServerId;
import org.bson.BsonDocument;
import org.bson.BsonMaximumSizeExceededException;
import org.bson.codecs.configuration.CodecConfigurationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.TransactionSystemException;

import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.store.LeaseId;
import io.mongolock.store.RenewalAnswer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link StoreFailures}.
 */
class StoreFailuresTests {

	@ParameterizedTest
	@MethodSource
	void refusedAndUnsentRequestsAreUnwritten(RuntimeException failure) {
		assertThat(StoreFailures.isUnwritten(failure)).isTrue();
		assertThat(StoreFailures.isUnwritten(new DataAccessResourceFailureException("translated", failure))).isTrue();
	}

	static Stream<RuntimeException> refusedAndUnsentRequestsAreUnwritten() {
		return Stream.of(refusal(11000), refusal(121), answer("{ok: 0, code: 13}"),
				labelled(new MongoException("no attempt was made"), "NoWritesPerformed"),
				new MongoTimeoutException("no server"), new CodecConfigurationException("no codec"),
				new BsonMaximumSizeExceededException("too large"));
	}

	@ParameterizedTest
	@MethodSource
	void requestsThatMayHaveBeenExecutedAreNotUnwritten(RuntimeException failure) {
		assertThat(StoreFailures.isUnwritten(failure)).isFalse();
		assertThat(StoreFailures.isUnwritten(new DataAccessResourceFailureException("translated", failure))).isFalse();
	}

	static Stream<RuntimeException> requestsThatMayHaveBeenExecutedAreNotUnwritten() {
		return Stream.of(refusal(5637601), answer("{ok: 1, code: 64}"),
				labelled(answer("{ok: 0, code: 189}"), "RetryableWriteError"), answer("{ok: 0, code: 11601}"),
				answer("{ok: 0, code: 24}"), answer("{ok: 0, code: 133}"), labelled(refusal(91), "RetryableWriteError"),
				new MongoNotPrimaryException(BsonDocument.parse("{ok: 0, code: 10107}"), SERVER),
				new MongoOperationTimeoutException("in time"),
				new MongoSocketReadException("no answer", SERVER, new IllegalStateException()),
				new IllegalStateException("of any other kind"));
	}

	@Test
	void aTransactionIsRolledBackIfTheServerSaysSoAndNotIfItsAnswerWasLost() {
		MongoException refused = labelled(answer("{ok: 0, code: 251}"), "TransientTransactionError");
		assertThat(StoreFailures.isRolledBack(new TransactionSystemException("not committed", refused))).isTrue();
		assertThat(StoreFailures
			.isRolledBack(labelled(new MongoSocketReadException("gone", SERVER), "TransientTransactionError")))
			.isFalse();
		assertThat(StoreFailures.isRolledBack(labelled(answer("{ok: 0, code: 91}"), "UnknownTransactionCommitResult")))
			.isFalse();
	}

	private static MongoWriteException refusal(int code) {
		return new MongoWriteException(new WriteError(code, "refused", new BsonDocument()), SERVER, Set.of());
	}

	private static MongoCommandException answer(String response) {
		return new MongoCommandException(BsonDocument.parse(response), SERVER);
	}

	private static MongoException labelled(MongoException failure, String label) {
		failure.addLabel(label);
		return failure;
	}

	private static final ServerAddress SERVER = new ServerAddress("db.example", 27017);

	private static final StoreRequest WRITE = StoreRequest.write("renew lock", "key", Duration.ofMillis(500));

	private static final StoreRequest READ = StoreRequest.read("look at lock", "key", Duration.ofMillis(500));

	@AfterEach
	void clearInterrupt() {
		Thread.interrupted();
	}

	static Stream<Arguments> failures() {
		MongoException notWritten = command(11600, "InterruptedAtShutdown");
		notWritten.addLabel("NoWritesPerformed");
		MongoSocketReadException afterSending = new MongoSocketReadException("reset", SERVER, new IOException());
		return Stream.of(Arguments.of(Outcome.NOT_EXECUTED, new MongoTimeoutException("no server")),
				Arguments.of(Outcome.NOT_EXECUTED,
						new MongoOperationTimeoutException("Timed out while waiting for a server that matches x")),
				Arguments.of(Outcome.NOT_EXECUTED,
						new MongoOperationTimeoutException("Timed out after 5 ms while waiting for a connection to x")),
				Arguments.of(Outcome.NOT_EXECUTED, new MongoSocketOpenException("refused", SERVER, new IOException())),
				Arguments.of(Outcome.NOT_EXECUTED, signIn(afterSending)),
				Arguments.of(Outcome.NOT_EXECUTED,
						signIn(new MongoNodeIsRecoveringException(response(11600, "InterruptedAtShutdown"), SERVER))),
				Arguments.of(Outcome.NOT_EXECUTED,
						signIn(new MongoNotPrimaryException(response(13435, "NotPrimaryNoSecondaryOk"), SERVER))),
				Arguments.of(Outcome.NOT_EXECUTED, signIn(new MongoOperationTimeoutException("too late"))),
				// An attempt before this one, of which the driver says nothing, may have
				// run
				Arguments.of(Outcome.UNKNOWN,
						new MongoNotPrimaryException(response(10107, "NotWritablePrimary"), SERVER)),
				Arguments.of(Outcome.NOT_EXECUTED, notWritten),
				Arguments.of(Outcome.NOT_EXECUTED, command(11000, "DuplicateKey")),
				Arguments.of(Outcome.NOT_EXECUTED, new IllegalStateException("state should be: open")),
				Arguments.of(Outcome.REFUSED, command(13, "Unauthorized")),
				Arguments.of(Outcome.REFUSED, command(18, "AuthenticationFailed")),
				Arguments.of(Outcome.REFUSED, signIn(command(18, "AuthenticationFailed"))),
				Arguments.of(Outcome.REFUSED, signIn(new SaslException("the server's signature is wrong"))),
				Arguments.of(Outcome.REFUSED, command(59, "CommandNotFound")),
				Arguments.of(Outcome.REFUSED, command(115, "CommandNotSupported")),
				Arguments.of(Outcome.REFUSED, command(2, "BadValue")),
				Arguments.of(Outcome.REFUSED, command(28651, "Location28651")),
				Arguments.of(Outcome.REFUSED, command(371, "UserWritesBlocked")),
				Arguments.of(Outcome.REFUSED,
						new MongoWriteException(new WriteError(371, "User writes blocked", new BsonDocument()), SERVER,
								Set.of())),
				Arguments.of(Outcome.REFUSED,
						new MongoClientException("retryable writes", command(20, "IllegalOperation"))),
				Arguments.of(Outcome.REFUSED,
						new MongoWriteException(new WriteError(2, "not an array", new BsonDocument()), SERVER,
								Set.of())),
				Arguments.of(Outcome.UNKNOWN,
						new MongoOperationTimeoutException("Operation exceeded the timeout limit",
								new MongoSocketReadTimeoutException("x", SERVER, new IOException()))),
				Arguments.of(Outcome.UNKNOWN,
						new MongoOperationTimeoutException("Retry attempt exceeded the timeout limit.",
								new MongoNotPrimaryException(response(10107, "NotWritablePrimary"), SERVER))),
				Arguments.of(Outcome.UNKNOWN,
						new MongoOperationTimeoutException("The operation exceeded the timeout limit.")),
				Arguments.of(Outcome.UNKNOWN, new MongoExecutionTimeoutException(50, "MaxTimeMSExpired")),
				Arguments.of(Outcome.UNKNOWN, afterSending),
				Arguments.of(Outcome.UNKNOWN, new MongoSocketWriteException("pipe", SERVER, new IOException())),
				Arguments.of(Outcome.UNKNOWN, concern(64, "WriteConcernFailed")),
				Arguments.of(Outcome.UNKNOWN, concern(13, "Unauthorized")),
				Arguments.of(Outcome.UNKNOWN,
						new MongoNotPrimaryException(BsonDocument.parse("{code: 10107, errmsg: 'stepped down'}"),
								SERVER)),
				Arguments.of(Outcome.UNKNOWN,
						new MongoNodeIsRecoveringException(response(189, "PrimarySteppedDown"), SERVER)),
				Arguments.of(Outcome.UNKNOWN, command(50, "MaxTimeMSExpired")),
				Arguments.of(Outcome.UNKNOWN, command(4711, "SomethingNew")),
				// The writes of an earlier attempt are not known any more
				Arguments.of(Outcome.UNKNOWN, command(217, "IncompleteTransactionHistory")),
				Arguments.of(Outcome.UNKNOWN, command(5637601, "Location5637601")),
				Arguments.of(Outcome.UNKNOWN, command(5637602, "Location5637602")),
				Arguments.of(Outcome.UNKNOWN, new MongoInterruptedException("x", new InterruptedException())),
				Arguments.of(Outcome.UNKNOWN, new IllegalArgumentException("what is that")));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void aFailureOfAWriteSaysItsOutcome(Outcome outcome, RuntimeException failure) {
		LockStoreException explained = StoreFailures.explain(WRITE, "locks", failure);
		assertThat(explained.getOutcome()).isEqualTo(outcome);
		assertThat(explained).message().as("it may become part of a sentence").doesNotEndWith(".");
	}

	@ParameterizedTest
	@MethodSource("failures")
	void aTranslationBySpringHidesNothing(Outcome outcome, RuntimeException failure) {
		RuntimeException translated = new DataAccessResourceFailureException("translated", failure);
		if (failure instanceof MongoException) {
			assertThat(StoreFailures.explain(WRITE, "locks", translated).getOutcome()).isEqualTo(outcome);
		}
	}

	@ParameterizedTest
	@MethodSource("failures")
	void aFailureOfAReadIsNeverUnknown(Outcome outcome, RuntimeException failure) {
		assertThat(StoreFailures.explain(READ, "locks", failure).getOutcome())
			.isEqualTo((outcome != Outcome.UNKNOWN) ? outcome : Outcome.NOT_EXECUTED);
	}

	static Stream<Arguments> nextClaims() {
		MongoSocketReadException broken = new MongoSocketReadException("reset", SERVER, new IOException());
		return Stream.of(Arguments.of(true, command(11000, "DuplicateKey")), Arguments.of(true, broken),
				Arguments.of(true, signIn(broken)),
				Arguments.of(true, new MongoNotPrimaryException(response(10107, "NotWritablePrimary"), SERVER)),
				Arguments.of(true, new MongoNodeIsRecoveringException(response(11602, "Interrupted"), SERVER)),
				Arguments.of(true, new MongoException(91, "the write was not confirmed")),
				Arguments.of(true,
						new MongoConnectionPoolClearedException(new ServerId(new ClusterId(), SERVER), null)),
				Arguments.of(false, signIn(command(18, "AuthenticationFailed"))),
				Arguments.of(false, new MongoSocketReadException("x", SERVER, new ClosedByInterruptException())),
				Arguments.of(false, new MongoException(64, "the write was not confirmed")),
				Arguments.of(false, new MongoTimeoutException("no server")), Arguments.of(false, command(13, "No")));
	}

	@ParameterizedTest
	@MethodSource("nextClaims")
	void aClaimIsAskedAgainAtOnceWhereAnotherServerOrConnectionMayAnswer(boolean again, RuntimeException failure) {
		assertThat(StoreFailures.mayNextClaimSucceed(failure)).isEqualTo(again);
	}

	@Test
	void theMessageNamesOperationKeyTimeoutAndTheWordsOfTheServer() {
		RuntimeException translated = new DataAccessResourceFailureException("translated",
				command(4711, "SomethingNew"));
		LockStoreException failure = StoreFailures.explain(WRITE, "locks", translated);
		assertThat(failure)
			.hasMessageStartingWith(
					"Could not renew lock 'key', but the request may have been executed, or may be executed later: "
							+ "error 4711: 'the")
			.hasMessageContaining("the words of the server")
			.hasCause(translated);
		assertThat(failure.getKey()).isEqualTo("key");
	}

	@Test
	void ofTheClusterEachServerIsSaidWithItsTroubleAndTheRestIsInTheCause() {
		MongoTimeoutException driver = new MongoTimeoutException("Timed out while waiting for a server that matches "
				+ "WritableServerSelector. Client view of cluster state is {type=REPLICA_SET, servers=["
				+ "{address=db1:27017, type=UNKNOWN, state=CONNECTING, exception={com.mongodb.MongoSocketOpenException: "
				+ "Exception opening socket}, caused by {java.net.ConnectException: Connection refused}}, "
				+ "{address=db2:27017, type=REPLICA_SET_SECONDARY, TagSet{[]}, roundTripTime=0.4 ms, state=CONNECTED}]");
		LockStoreException failure = StoreFailures.explain(WRITE, "locks",
				new DataAccessResourceFailureException("translated", driver));
		assertThat(failure).hasMessage(
				"Could not renew lock 'key' within 500 ms, and nothing was executed: Timed out while waiting for "
						+ "a server that matches WritableServerSelector: db1:27017 UNKNOWN (ConnectException: Connection "
						+ "refused), db2:27017 REPLICA_SET_SECONDARY")
			.hasRootCause(driver);
	}

	@Test
	void troubleWithASocketNamesKindAndServer() {
		assertThat(StoreFailures.explain(WRITE, "locks",
				new MongoOperationTimeoutException("Too late",
						new MongoSocketReadTimeoutException("x", SERVER, new IOException()))))
			.hasMessageEndingWith(": Too late (MongoSocketReadTimeoutException, db.example:27017)");
	}

	@Test
	void aPausedConnectionPoolIsNamedByTheAddressOfItsServer() {
		ServerId server = new ServerId(new ClusterId("shop"), SERVER);
		assertThat(StoreFailures.explain(WRITE, "locks", new MongoConnectionPoolClearedException(server, null)))
			.hasMessageContaining(": Connection pool for db.example:27017 is paused")
			.message()
			.doesNotContain("ServerId");
	}

	@Test
	void theRawAnswerOfTheServerIsInTheCauseOnly() {
		assertThat(StoreFailures.explain(WRITE, "locks", command(4711, "SomethingNew"))).message()
			.contains("the words of the server", "db.example:27017")
			.doesNotContain("full response", "codeName");
	}

	@Test
	void commandsThatAServerCannotExecuteAreBeyondIt() {
		assertThat(List.of(command(9, "FailedToParse"), command(40324, "Location40324"), command(-1, "UnknownError"),
				new MongoClientException("retryable writes", command(20, "IllegalOperation"))))
			.allMatch(StoreFailures::isBeyondServer);
	}

	@Test
	void failuresThatDependOnTheCallerOrTheMomentAreNotBeyondAServer() {
		assertThat(List.of(command(13, "Unauthorized"), command(371, "UserWritesBlocked"),
				command(50, "MaxTimeMSExpired"), command(10107, "NotWritablePrimary"),
				new MongoTimeoutException("no server"), new IllegalStateException("state should be: open")))
			.noneMatch(StoreFailures::isBeyondServer);
	}

	@Test
	void aRefusalNamesTheWayOut() {
		assertThat(StoreFailures.explain(WRITE, "my_locks", command(13, "Unauthorized")))
			.hasMessageContaining("privileges find, insert and update on the collection 'my_locks'");
		assertThat(StoreFailures.explain(WRITE, "locks", command(40324, "Location40324")))
			.hasMessageContaining("MongoDB 4.4 or later");
		assertThat(StoreFailures.explain(WRITE, "locks",
				new MongoSecurityException(null, "sign in", command(18, "AuthenticationFailed"))))
			.hasMessageContaining("Check the user, the password");
		assertThat(StoreFailures.explain(WRITE, "locks",
				new MongoClientException("retryable writes", command(20, "IllegalOperation"))))
			.hasMessageContaining("retryWrites=false");
	}

	@Test
	void aServerWhoseWritesAreBlockedNamesTheCommandThatLiftsThat() {
		MongoCommandException blocked = new MongoCommandException(BsonDocument
			.parse("{ok: 0, code: 371, codeName: 'UserWritesBlocked', errmsg: 'Plan executor error during "
					+ "findAndModify :: caused by :: User writes blocked'}"),
				SERVER);
		assertThat(StoreFailures.explain(WRITE, "locks", blocked)).hasMessage(
				"Could not renew lock 'key', because the request was refused: error 371: 'Plan executor error during "
						+ "findAndModify :: caused by :: User writes blocked' on server db.example:27017. The server "
						+ "blocks the writes of users. To lift the block, run db.adminCommand({setUserWriteBlockMode: 1, "
						+ "global: false})");
	}

	@Test
	void anIndexThatMayNotBeCreatedNeedsOtherRights() {
		StoreRequest index = StoreRequest.read(StoreRequest.INDEX, "touchedAt", Duration.ofMillis(500));
		assertThat(StoreFailures.explain(index, "locks", command(13, "Unauthorized"))).message()
			.contains("privileges listIndexes and createIndex on the collection 'locks'")
			.doesNotContain("insert");
	}

	@Test
	void aBrokenDocumentIsNotAnOldServer() {
		for (int code : new int[] { 2, 14, 28651 }) {
			assertThat(StoreFailures.explain(WRITE, "locks", command(code, (code < 100) ? "TypeMismatch" : "Location")))
				.message()
				.contains("only this library may write this document")
				.doesNotContain("4.4");
		}
	}

	@Test
	void aWarningIsShortAndHasNothingOfTheCommandInIt() {
		String said = "not authorized on shop to execute command { update: \\\"locks\\\", updates: [ { q: { holders.token: "
				+ "\\\"secret\\\" } } ], " + "x".repeat(3000) + " }";
		LockStoreException refused = StoreFailures.explain(WRITE, "locks", new MongoCommandException(
				BsonDocument.parse("{ok: 0, code: 13, codeName: 'Unauthorized', errmsg: \"" + said + "\"}"), SERVER));
		assertThat(refused).hasMessage(
				"Could not renew lock 'key', because the request was refused: error 13: 'not authorized on shop "
						+ "to execute command update' on server db.example:27017. The user needs the privileges find, "
						+ "insert and update on the collection 'locks', for example by the role readWrite");
		MongoException notPrimary = new MongoNotPrimaryException(
				BsonDocument.parse("{ok: 0, code: 10107, errmsg: \"" + said + "\"}"), SERVER);
		MongoWriteException broken = new MongoWriteException(
				new WriteError(2, "y".repeat(3000) + " in document {token: \"secret\"}", new BsonDocument()), SERVER,
				Set.of());
		RuntimeException cut = new IllegalStateException("Cannot write {token: \"secret\", " + "x".repeat(3000) + "}");
		for (RuntimeException failure : List.of(notPrimary, broken, new IllegalStateException(said), cut)) {
			assertThat(StoreFailures.explain(WRITE, "locks", failure)).message()
				.doesNotContain("secret")
				.hasSizeLessThan(400);
		}
	}

	@Test
	void anInterruptIsKept() {
		StoreFailures.explain(READ, "locks", new DataAccessResourceFailureException("translated",
				new MongoInterruptedException("x", new InterruptedException())));
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	@Test
	void otherFailuresDoNotInterrupt() {
		StoreFailures.explain(READ, "locks", command(13, "Unauthorized"));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void renewalsOfABatchCountIfOnlySingleOnesFailed() {
		List<LeaseId> leases = Stream.of("a", "b", "c").map((key) -> new LeaseId(key, "token")).toList();
		BulkWriteResult result = BulkWriteResult.acknowledged(0, 2, 0, 2, List.of(), List.of());
		BulkWriteError error = new BulkWriteError(2, "bad", new BsonDocument(), 1);
		WriteConcernError concern = new WriteConcernError(64, "WriteConcernFailed", "waited", new BsonDocument());
		RenewalAnswer some = some(leases, new MongoBulkWriteException(result, List.of(error), null, SERVER, Set.of()));
		assertThat(some.failed()).containsExactly(leases.get(1));
		assertThat(some.found()).isEqualTo(2);
		assertThat(some.failure()).extracting(LockStoreException::getOutcome).isEqualTo(Outcome.REFUSED);
		for (RuntimeException all : List.of(
				new MongoBulkWriteException(result, List.of(error), concern, SERVER, Set.of()),
				new MongoBulkWriteException(result, List.of(), concern, SERVER, Set.of()),
				command(13, "Unauthorized"))) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> some(leases, all));
		}
	}

	@Test
	void aRefusalIsNamedWithItsReasonAndWithoutStoredValues() {
		BsonDocument details = BsonDocument.parse("{considered: 'secret'}");
		MongoWriteException one = new MongoWriteException(new WriteError(121, "Document failed validation", details),
				SERVER, Set.of());
		assertThat(StoreFailures.explain(WRITE, "my_locks", one)).hasMessage(
				"Could not renew lock 'key', because the request was refused: error 121: 'Document failed validation' "
						+ "on server db.example:27017. The validator of the collection 'my_locks' has to accept the writes "
						+ "of this library. You can change the validator with collMod");
		String key = "E11000 duplicate key error collection: db.my_locks index: t dup key: { holders.token: \"secret\" }";
		MongoBulkWriteException many = new MongoBulkWriteException(
				BulkWriteResult.acknowledged(0, 0, 0, 0, List.of(), List.of()),
				List.of(new BulkWriteError(11000, key, details, 0), new BulkWriteError(121, "x", details, 1)), null,
				SERVER, Set.of());
		assertThat(StoreFailures.explain(WRITE, "my_locks", many))
			.hasMessageEndingWith(": error 11000: 'E11000 duplicate key error collection: db.my_locks index: t' "
					+ "on server db.example:27017, and 1 more");
		assertThat(StoreFailures.explain(WRITE, "my_locks",
				new MongoCommandException(BsonDocument.parse("{ok: 0, code: 11000, errmsg: '" + key + "'}"), SERVER)))
			.message()
			.doesNotContain("secret");
	}

	private static RenewalAnswer some(List<LeaseId> leases, RuntimeException failure) {
		return StoreFailures.ofSome(leases, StoreFailures.explain(WRITE, "locks", failure));
	}

	private static MongoSecurityException signIn(Exception cause) {
		return new MongoSecurityException(null, "sign in", cause);
	}

	private static MongoCommandException command(int code, String name) {
		return new MongoCommandException(response(code, name), SERVER);
	}

	private static BsonDocument response(int code, String name) {
		return BsonDocument
			.parse("{ok: 0, code: " + code + ", codeName: '" + name + "', errmsg: 'the words of the server'}");
	}

	private static MongoWriteConcernException concern(int code, String name) {
		return new MongoWriteConcernException(new WriteConcernError(code, name, "waited", new BsonDocument()),
				WriteConcernResult.acknowledged(1, true, null), SERVER, Set.of());
	}

}
