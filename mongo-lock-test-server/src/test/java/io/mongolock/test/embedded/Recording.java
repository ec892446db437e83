package io.mongolock.test.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * What was recorded on one kind of real server.
 */
enum Recording {

	STANDALONE_4_4("mongodb-4.4-standalone.json"),

	REPLICA_SET_4_4("mongodb-4.4-replica-set.json"),

	SHARDED_4_4("mongodb-4.4-sharded.json"),

	REPLICA_SET_5_0("mongodb-5.0-replica-set.json");

	private final String file;

	Recording(String file) {
		this.file = file;
	}

	String file() {
		return this.file;
	}

	/**
	 * The embedded server that comes nearest.
	 */
	EmbeddedMongo.Builder embedded() {
		EmbeddedMongo.Builder builder = EmbeddedMongo.builder();
		if (this != REPLICA_SET_5_0) {
			builder.upsertRace(UpsertRace.CLIENT_ERROR);
		}
		return (this != STANDALONE_4_4) ? builder.replicaSet() : builder;
	}

	List<RecordedCase> cases() {
		return read(this.file).getArray("cases")
			.stream()
			.map(BsonValue::asDocument)
			.map((json) -> new RecordedCase(json.getString("name").getValue(), json))
			.toList();
	}

	/**
	 * The events of a change stream, by step.
	 */
	BsonDocument changeStream() {
		return read((this == REPLICA_SET_5_0) ? "mongodb-5.0-change-stream.json" : "mongodb-4.4-change-stream.json");
	}

	private static BsonDocument read(String file) {
		try (InputStream in = Recording.class.getResourceAsStream("/real-server/" + file)) {
			return BsonDocument.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
