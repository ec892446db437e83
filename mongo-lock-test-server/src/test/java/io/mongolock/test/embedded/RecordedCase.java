package io.mongolock.test.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * One statement with what a real server answered and how it left the documents.
 *
 * @param name says what is tried
 * @param json the whole case as recorded
 */
record RecordedCase(String name, BsonDocument json) {

	/**
	 * Read the cases recorded on a standalone server or on a replica set.
	 */
	static List<RecordedCase> read(boolean replicaSet) {
		String file = "/real-server/mongodb-4.4-" + (replicaSet ? "replica-set" : "standalone") + ".json";
		try (InputStream in = RecordedCase.class.getResourceAsStream(file)) {
			BsonDocument all = BsonDocument.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
			return all.getArray("cases")
				.stream()
				.map(BsonValue::asDocument)
				.map((json) -> new RecordedCase(json.getString("name").getValue(), json))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	boolean ttlIndexBefore() {
		return this.json.getBoolean("ttlIndexBefore").getValue();
	}

	List<BsonDocument> before(long now) {
		return this.json.getArray("before")
			.stream()
			.map((document) -> RelativeTimes.resolve(document, now).asDocument())
			.toList();
	}

	BsonDocument command() {
		return this.json.getDocument("command");
	}

	boolean fails() {
		return this.json.containsKey("error");
	}

	BsonDocument error() {
		return this.json.getDocument("error");
	}

	BsonDocument reply() {
		return this.json.getDocument("reply");
	}

	BsonValue after() {
		return this.json.getArray("after");
	}

}
