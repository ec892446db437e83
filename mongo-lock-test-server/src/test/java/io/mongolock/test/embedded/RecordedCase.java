package io.mongolock.test.embedded;

import java.util.List;
import java.util.stream.Stream;

import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * One statement with what a real server answered and how it left the documents.
 *
 * @param statement what is tried, and on which documents
 * @param answer what came of it, empty if that is to be recorded
 */
record RecordedCase(BsonDocument statement, BsonDocument answer) {

	String name() {
		return this.statement.getString("name").getValue();
	}

	boolean ttlIndexBefore() {
		return this.statement.getBoolean("ttlIndexBefore", BsonBoolean.FALSE).getValue();
	}

	List<BsonDocument> before(long now) {
		return this.statement.getArray("before", new BsonArray())
			.stream()
			.map((document) -> RelativeTimes.resolve(document, now).asDocument())
			.toList();
	}

	/**
	 * The statements of one session: those that come first, whose answers are not
	 * recorded, and the command itself.
	 */
	List<BsonDocument> commands() {
		return Stream.concat(this.statement.getArray("first", new BsonArray()).stream(), Stream.of(command()))
			.map(BsonValue::asDocument)
			.toList();
	}

	BsonDocument command() {
		return this.statement.getDocument("command");
	}

	/**
	 * Which fields of the reply count, all if empty.
	 */
	List<String> keeps() {
		return this.statement.getArray("keeps", new BsonArray())
			.stream()
			.map(BsonValue::asString)
			.map(BsonString::getValue)
			.toList();
	}

	boolean fails() {
		return this.answer.containsKey("error");
	}

	BsonDocument error() {
		return this.answer.getDocument("error");
	}

	BsonDocument reply() {
		return this.answer.getDocument("reply");
	}

	BsonArray after() {
		return this.answer.getArray("after");
	}

}
