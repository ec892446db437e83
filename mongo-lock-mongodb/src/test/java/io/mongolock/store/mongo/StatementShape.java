package io.mongolock.store.mongo;

import java.util.List;
import java.util.Set;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * The form that two commands share if they differ in nothing but data: texts, numbers,
 * how many locks they name, and what the driver adds.
 */
final class StatementShape {

	/**
	 * Fields that the driver adds, and those of an answer that are not of the statement.
	 */
	private static final Set<String> ADDED = Set.of("$db", "lsid", "$clusterTime", "$readPreference", "txnNumber",
			"writeConcern", "maxTimeMS", "ordered", "batchSize");

	private static final BsonString TEXT = new BsonString("…");

	private static final BsonInt32 NUMBER = new BsonInt32(0);

	private StatementShape() {
	}

	static BsonDocument of(BsonDocument command) {
		BsonDocument shape = new BsonDocument();
		command.keySet()
			.stream()
			.filter((name) -> !ADDED.contains(name))
			.forEach((name) -> shape.append(name, name.equals("getMore") ? NUMBER : of(command.get(name))));
		return shape;
	}

	private static BsonValue of(BsonValue value) {
		if (value instanceof BsonDocument document) {
			BsonDocument shape = new BsonDocument();
			document.forEach((name, field) -> shape.append(name, name.equals("$literal") ? TEXT : of(field)));
			return shape;
		}
		if (value instanceof BsonArray array) {
			List<BsonValue> shapes = array.stream().map(StatementShape::of).toList();
			// As many updates, or ids, as there are locks
			return new BsonArray((shapes.stream().distinct().count() == 1) ? shapes.subList(0, 1) : shapes);
		}
		if (value instanceof BsonString text) {
			return (text.getValue().startsWith("$")) ? text : TEXT;
		}
		return value.isNumber() ? NUMBER : value;
	}

}
