package io.mongolock.store.mongo;

import java.util.List;

import org.bson.BsonDocument;

import io.mongolock.store.KeySpace;
import io.mongolock.store.ReleaseListener;

/**
 * The change stream of what frees a place in a lock.
 */
final class ReleaseStream extends FollowedStream {

	static final String THREAD_NAME = "mongo-lock-stream";

	private static final List<BsonDocument> PIPELINE = new LockStatements().releases();

	private static final BsonDocument NOTHING = new BsonDocument();

	private final ReleaseListener listener;

	ReleaseStream(ChangeStreams streams, KeySpace keys, ReleaseListener listener) {
		super(streams, PIPELINE, keys);
		this.listener = listener;
	}

	@Override
	void report(String key, BsonDocument event) {
		if (!isGrant(event)) {
			this.listener.released(key);
		}
	}

	@Override
	void missed() {
		this.listener.missed();
	}

	// Within the millisecond of another change a grant leaves the date as it is, and so
	// passes for a release on the server
	private static boolean isGrant(BsonDocument event) {
		return event.getDocument("updateDescription", NOTHING)
			.getDocument("updatedFields", NOTHING)
			.containsKey("fence");
	}

}
