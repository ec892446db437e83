package io.mongolock.store.mongo;

import java.util.ArrayList;
import java.util.List;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;

/**
 * Builds parts of statements.
 */
abstract class Statements {

	private static final BsonDocumentCodec CODEC = new BsonDocumentCodec();

	static BsonDocument operator(String name, BsonValue... operands) {
		return document(name, new BsonArray(new ArrayList<>(List.of(operands))));
	}

	static BsonDocument document(String name, BsonValue value) {
		return new BsonDocument(name, value);
	}

	static BsonDocument document(String name, BsonValue value, String name2, BsonValue value2) {
		return new BsonDocument(name, value).append(name2, value2);
	}

	static BsonDocument let(BsonDocument variables, BsonDocument in) {
		return document("$let", document("vars", variables, "in", in));
	}

	/**
	 * The entries of an array that meet a condition, which calls each entry {@code $$e}.
	 */
	static BsonDocument filter(BsonValue input, BsonDocument condition) {
		return document("$filter", document("input", input, "as", string("e")).append("cond", condition));
	}

	static BsonDocument literal(BsonValue value) {
		// Otherwise a caller's string that begins with a dollar would name a field
		return document("$literal", value);
	}

	static BsonArray array(BsonValue... values) {
		return new BsonArray(List.of(values));
	}

	static BsonDocument encoded(BsonDocument document) {
		return new RawBsonDocument(document, CODEC);
	}

	static BsonString string(String value) {
		return new BsonString(value);
	}

	static BsonInt64 number(long value) {
		return new BsonInt64(value);
	}

}
