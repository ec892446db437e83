package io.mongolock.test.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * What was recorded on one kind of real server.
 */
enum Recording {

	STANDALONE_4_4("mongodb-4.4-standalone.json"),

	REPLICA_SET_4_4("mongodb-4.4-replica-set.json"),

	SHARDED_4_4("mongodb-4.4-sharded.json"),

	REPLICA_SET_5_0("mongodb-5.0-replica-set.json"),

	REPLICA_SET_6_0("mongodb-6.0-replica-set.json");

	private final String file;

	Recording(String file) {
		this.file = file;
	}

	String file() {
		return this.file;
	}

	boolean isReplicaSet() {
		return this.file.endsWith("replica-set.json");
	}

	/**
	 * The embedded server that comes nearest.
	 */
	EmbeddedMongo.Builder embedded() {
		EmbeddedMongo.Builder builder = EmbeddedMongo.builder();
		if (this.file.contains("4.4")) {
			builder.upsertRace(UpsertRace.CLIENT_ERROR);
		}
		return (this != STANDALONE_4_4) ? builder.replicaSet() : builder;
	}

	/**
	 * All statements, whether they were recorded on this kind of server or not.
	 */
	static List<BsonDocument> statements() {
		return BsonArray.parse(read("statements.json")).stream().map(BsonValue::asDocument).toList();
	}

	/**
	 * The statements that were recorded, in their order.
	 */
	List<RecordedCase> cases() {
		Map<String, BsonDocument> answers = BsonDocument.parse(read(this.file))
			.getArray("cases")
			.stream()
			.map(BsonValue::asDocument)
			.collect(Collectors.toMap((answer) -> answer.getString("name").getValue(), Function.identity()));
		return statements().stream()
			.filter((statement) -> answers.containsKey(statement.getString("name").getValue()))
			.map((statement) -> new RecordedCase(statement, answers.get(statement.getString("name").getValue())))
			.toList();
	}

	/**
	 * The file of the events of a change stream, by step.
	 */
	String changeStreamFile() {
		return this.file.replace("replica-set", "change-stream");
	}

	/**
	 * The events of a change stream, by step.
	 */
	List<BsonDocument> changeStream() {
		return BsonDocument.parse(read(changeStreamFile()))
			.getArray("steps")
			.stream()
			.map(BsonValue::asDocument)
			.toList();
	}

	/**
	 * All scenarios of transactions, recorded or not.
	 */
	static List<BsonDocument> transactions() {
		return BsonArray.parse(read("transactions.json")).stream().map(BsonValue::asDocument).toList();
	}

	String transactionsFile() {
		return this.file.replace("replica-set", "transactions");
	}

	/**
	 * What the scenarios of transactions were answered.
	 */
	List<BsonDocument> transactionAnswers() {
		return BsonDocument.parse(read(transactionsFile()))
			.getArray("scenarios")
			.stream()
			.map(BsonValue::asDocument)
			.toList();
	}

	private static String read(String file) {
		try (InputStream in = Recording.class.getResourceAsStream("/real-server/" + file)) {
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
