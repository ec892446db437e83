package io.mongolock.store.mongo;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;

import com.mongodb.MongoCommandException;
import com.mongodb.ServerAddress;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the client makes of answers that only servers give that could not be had: from
 * their documentation, until they are recorded.
 */
class DocumentedAnswersTests {

	private static final StoreRequest WRITE = StoreRequest.write("renew lock", "key", Duration.ofMillis(500));

	static List<BsonDocument> answers() throws IOException {
		return BsonArray
			.parse(Files.readString(RecordedCommands.STATEMENTS.resolveSibling("from-the-documentation.json")))
			.stream()
			.map(BsonValue::asDocument)
			.toList();
	}

	@ParameterizedTest
	@MethodSource("answers")
	void anAnswerIsNeitherTakenForMoreThanItSaysNorForASignOfAnotherServer(BsonDocument answer) {
		MongoCommandException failure = new MongoCommandException(answer.getDocument("answer"),
				new ServerAddress("db.example", 27017));
		assertThat(StoreFailures.explain(WRITE, "locks", failure).getOutcome().name())
			.isEqualTo(answer.getString("outcome").getValue());
		assertThat(StoreFailures.isUnwritten(failure)).isEqualTo(answer.getBoolean("unwritten").getValue());
		assertThat(StoreFailures.isBeyondServer(failure)).as("which would end the start").isFalse();
		assertThat(StoreFailures.isShutOut(failure)).isFalse();
	}

}
