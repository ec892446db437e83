package io.mongolock.test.embedded;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import de.bwaldvogel.mongo.backend.Missing;
import de.bwaldvogel.mongo.bson.BinData;
import de.bwaldvogel.mongo.bson.BsonJavaScript;
import de.bwaldvogel.mongo.bson.BsonRegularExpression;
import de.bwaldvogel.mongo.bson.BsonTimestamp;
import de.bwaldvogel.mongo.bson.Decimal128;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.bson.LegacyUUID;
import de.bwaldvogel.mongo.bson.MaxKey;
import de.bwaldvogel.mongo.bson.MinKey;
import de.bwaldvogel.mongo.bson.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * The BSON type of a value, with the name that {@code $type} gives it and its place in
 * the order of types.
 */
enum ValueType {

	MIN_KEY("minKey", -1),

	MISSING("missing", 0),

	NULL("null", 5),

	INT("int", 10),

	LONG("long", 10),

	DOUBLE("double", 10),

	DECIMAL("decimal", 10),

	STRING("string", 15),

	OBJECT("object", 20),

	ARRAY("array", 25),

	BINARY("binData", 30),

	OBJECT_ID("objectId", 35),

	BOOL("bool", 40),

	DATE("date", 45),

	TIMESTAMP("timestamp", 47),

	REGEX("regex", 50),

	JAVASCRIPT("javascript", 60),

	MAX_KEY("maxKey", 127);

	private final String alias;

	private final int order;

	ValueType(String alias, int order) {
		this.alias = alias;
		this.order = order;
	}

	String alias() {
		return this.alias;
	}

	int order() {
		return this.order;
	}

	static ValueType of(@Nullable Object value) {
		if (value == null) {
			return NULL;
		}
		if (value instanceof Number) {
			return ofNumber(value);
		}
		if (value instanceof String) {
			return STRING;
		}
		if (value instanceof Document) {
			return OBJECT;
		}
		if (value instanceof List) {
			return ARRAY;
		}
		if (value instanceof Instant) {
			return DATE;
		}
		if (value instanceof Boolean) {
			return BOOL;
		}
		if (value instanceof Missing) {
			return MISSING;
		}
		return ofRareValue(value);
	}

	private static ValueType ofNumber(Object value) {
		if (value instanceof Integer) {
			return INT;
		}
		if (value instanceof Long) {
			return LONG;
		}
		return (value instanceof Decimal128) ? DECIMAL : DOUBLE;
	}

	private static ValueType ofRareValue(Object value) {
		if (value instanceof ObjectId) {
			return OBJECT_ID;
		}
		if (value instanceof BinData || value instanceof UUID || value instanceof LegacyUUID) {
			return BINARY;
		}
		if (value instanceof BsonTimestamp) {
			return TIMESTAMP;
		}
		if (value instanceof BsonRegularExpression) {
			return REGEX;
		}
		if (value instanceof BsonJavaScript) {
			return JAVASCRIPT;
		}
		if (value instanceof MinKey) {
			return MIN_KEY;
		}
		if (value instanceof MaxKey) {
			return MAX_KEY;
		}
		throw new IllegalArgumentException("No BSON type is known for a value of " + value.getClass());
	}

}
