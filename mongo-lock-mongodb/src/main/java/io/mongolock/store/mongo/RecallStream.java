package io.mongolock.store.mongo;

import java.util.List;

import org.bson.BsonDocument;

import io.mongolock.store.KeySpace;
import io.mongolock.store.LeaseId;
import io.mongolock.store.RecallListener;

/**
 * The change stream of recalls. Releases have another stream: a client with idle leases
 * need not hear of every release, and a waiting client need not hear of every recall.
 */
final class RecallStream extends FollowedStream {

	static final String THREAD_NAME = "mongo-lock-recalls";

	private static final List<BsonDocument> PIPELINE = new LockStatements().recalls();

	private final RecallListener listener;

	RecallStream(ChangeStreams streams, KeySpace keys, RecallListener listener) {
		super(streams, PIPELINE, keys);
		this.listener = listener;
	}

	@Override
	void report(String key, BsonDocument event) {
		this.listener.recalled(new LeaseId(key, event.getString(LockDocument.RECALLED).getValue()));
	}

	@Override
	void missed() {
		this.listener.missed();
	}

}
