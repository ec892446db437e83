package io.mongolock.store.mongo;

import java.util.List;

import org.bson.BsonDocument;

import io.mongolock.store.KeySpace;
import io.mongolock.store.ReleaseListener;

/**
 * The change stream of events that free a place in a lock.
 */
final class ReleaseStream extends FollowedStream {

	static final String THREAD_NAME = "mongo-lock-stream";

	/** The field of an event with the fence, if the fence was written. */
	static final String FENCE = "fence";

	private static final List<BsonDocument> PIPELINE = new LockStatements().releases();

	private final ReleaseListener listener;

	ReleaseStream(ChangeStreams streams, KeySpace keys, ReleaseListener listener) {
		super(streams, PIPELINE, keys);
		this.listener = listener;
	}

	@Override
	void report(String key, BsonDocument event) {
		// A grant within the millisecond of another change leaves the date unchanged, so
		// the server takes it for a release
		if (!event.containsKey(FENCE)) {
			this.listener.released(key);
		}
	}

	@Override
	void missed() {
		this.listener.missed();
	}

}
