package io.mongolock.mongodb;

import java.util.Set;
import java.util.stream.Stream;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteError;
import org.bson.BsonDocument;
import org.bson.BsonMaximumSizeExceededException;
import org.bson.codecs.configuration.CodecConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DataAccessResourceFailureException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DefiniteFailure}.
 */
class DefiniteFailureTests {

	private static final ServerAddress SERVER = new ServerAddress();

	@ParameterizedTest
	@MethodSource
	void whatTheServerHasRefusedOrWasNotSentIsNotWritten(RuntimeException failure) {
		assertThat(DefiniteFailure.is(failure)).isTrue();
		assertThat(DefiniteFailure.is(new DataAccessResourceFailureException("translated", failure))).isTrue();
	}

	static Stream<RuntimeException> whatTheServerHasRefusedOrWasNotSentIsNotWritten() {
		return Stream.of(refusal(11000), refusal(121), answer("{ok: 0, code: 13}"),
				labelled(new MongoException("no attempt was made"), "NoWritesPerformed"),
				new MongoTimeoutException("no server"), new CodecConfigurationException("no codec"),
				new BsonMaximumSizeExceededException("too large"));
	}

	@ParameterizedTest
	@MethodSource
	void whatMayHaveBeenExecutedMayBeWritten(RuntimeException failure) {
		assertThat(DefiniteFailure.is(failure)).isFalse();
		assertThat(DefiniteFailure.is(new DataAccessResourceFailureException("translated", failure))).isFalse();
	}

	static Stream<RuntimeException> whatMayHaveBeenExecutedMayBeWritten() {
		return Stream.of(refusal(5637601), answer("{ok: 1, code: 64}"),
				labelled(answer("{ok: 0, code: 11601}"), "RetryableWriteError"),
				labelled(refusal(91), "RetryableWriteError"),
				new MongoNotPrimaryException(BsonDocument.parse("{ok: 0, code: 10107}"), SERVER),
				new MongoOperationTimeoutException("in time"),
				new MongoSocketReadException("no answer", SERVER, new IllegalStateException()),
				new IllegalStateException("of any other kind"));
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

}
