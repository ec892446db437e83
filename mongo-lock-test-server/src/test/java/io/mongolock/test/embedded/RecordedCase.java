package io.mongolock.test.embedded;

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
