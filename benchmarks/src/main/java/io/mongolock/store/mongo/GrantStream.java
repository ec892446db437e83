package io.mongolock.store.mongo;

import java.util.List;
import java.util.function.BiConsumer;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;

import io.mongolock.store.KeySpace;

/**
 * The change stream of the grants that one client gets from releases of others.
 */
final class GrantStream extends FollowedStream {

	private static final String FENCE = "fence";

	private final BiConsumer<String, Long> listener;

	/**
	 * Create a stream.
	 * @param client what the tokens of the client begin with
	 * @param listener given the token and the fence
	 */
	GrantStream(ChangeStreams streams, KeySpace keys, String client, BiConsumer<String, Long> listener) {
		super(streams, pipeline(client), keys);
		this.listener = listener;
	}

	private static List<BsonDocument> pipeline(String client) {
		String updated = "updateDescription.updatedFields.";
		BsonDocument own = new BsonDocument("$gte", new BsonString(client)).append("$lt", new BsonString(client + "~"));
		BsonDocument replaced = new BsonDocument("operationType", new BsonString("replace"))
			.append("fullDocument." + GrantingRelease.GRANTED, own);
		BsonDocument ended = new BsonDocument("operationType", new BsonDocument("$in",
				new BsonArray(List.of(new BsonString("delete"), new BsonString("invalidate")))));
		BsonDocument any = Statements.operator("$or", new BsonDocument(updated + GrantingRelease.GRANTED, own),
				replaced, ended);
		BsonDocument shown = new BsonDocument(KEY, new BsonInt32(1))
			.append(GrantingRelease.GRANTED, either(updated + GrantingRelease.GRANTED, GrantingRelease.GRANTED))
			.append(FENCE, either(updated + FENCE, FENCE));
		return List.of(new BsonDocument("$changeStream", new BsonDocument()), new BsonDocument("$match", any),
				new BsonDocument("$project", shown));
	}

	private static BsonDocument either(String updated, String field) {
		return Statements.operator("$ifNull", new BsonString("$" + updated), new BsonString("$fullDocument." + field));
	}

	@Override
	void report(String key, BsonDocument event) {
		if (event.get(GrantingRelease.GRANTED) instanceof BsonString token) {
			this.listener.accept(token.getValue(), event.getNumber(FENCE).longValue());
		}
	}

	@Override
	void missed() {
		// A refresh or a look would show the grant
	}

}
