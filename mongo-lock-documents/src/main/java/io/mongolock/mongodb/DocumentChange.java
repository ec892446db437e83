package io.mongolock.mongodb;

import java.nio.ByteBuffer;
import java.util.Set;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.jspecify.annotations.Nullable;

/**
 * The change that a save makes to a document: it sets what is written otherwise than
 * before, removes what is not written any more, and keeps all that was never written by
 * it, such as the document's lock, its fence, and fields that nobody maps.
 */
final class DocumentChange {

	private static final BsonDocumentCodec CODEC = new BsonDocumentCodec();

	private DocumentChange() {
	}

	/**
	 * Compare two states of an entity, as they are written.
	 * @param before the state that was loaded
	 * @param after the state to save
	 * @param kept fields that are none of the entity's
	 * @return a classic update, empty if nothing changes
	 */
	static Document between(BsonDocument before, BsonDocument after, Set<String> kept) {
		Document change = new Document();
		after.forEach((name, value) -> {
			if (!kept.contains(name) && !same(before.get(name), value)) {
				part(change, "$set").put(name, value);
			}
		});
		before.keySet().forEach((name) -> {
			if (!kept.contains(name) && !after.containsKey(name)) {
				part(change, "$unset").put(name, "");
			}
		});
		return change;
	}

	private static Document part(Document change, String operator) {
		return (Document) change.computeIfAbsent(operator, (name) -> new Document());
	}

	// As bytes: documents are equal in whichever order their fields are
	static boolean same(@Nullable BsonValue before, @Nullable BsonValue after) {
		return before != null && after != null && bytes(before).equals(bytes(after));
	}

	private static ByteBuffer bytes(BsonValue value) {
		return new RawBsonDocument(new BsonDocument("value", value), CODEC).getByteBuffer().asNIO();
	}

}
