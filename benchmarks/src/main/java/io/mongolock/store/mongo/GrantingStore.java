package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.function.BiConsumer;

import com.mongodb.WriteConcern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockClock;
import io.mongolock.store.KeySpace;
import io.mongolock.store.LeaseId;
import io.mongolock.store.ReleaseAnswer;
import io.mongolock.store.ReleaseWatch;

/**
 * What a store would need whose releases are the grants: the requests beside those of
 * {@link MongoLockStore}, by the same way to the server.
 */
public final class GrantingStore {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private final LockStatements statements = new LockStatements();

	private final LockCollection locks;

	private final LeaseRequests leases;

	private final GrantingRelease releases;

	private final ChangeStreams streams;

	/**
	 * Create a store.
	 * @param length how long the lease lasts that a release grants
	 */
	public GrantingStore(MongoOperations template, String collection, Duration length) {
		this.locks = new LockCollection(template, collection);
		this.leases = new LeaseRequests(this.locks, this.statements, BsonString::new);
		this.releases = new GrantingRelease(length);
		this.streams = new ChangeStreams(this.locks, TIMEOUT.multipliedBy(2), "the benchmark hears of nothing",
				LockClock.system());
	}

	/**
	 * End a lease, and give the lock to the first in the queue.
	 */
	public ReleaseAnswer release(LeaseId lease, WriteConcern concern) {
		StoreRequest request = StoreRequest.write("release lock", lease.key(), TIMEOUT);
		BsonDocument statement = new BsonDocument("findAndModify", new BsonString(this.locks.name()))
			.append("query", this.leases.byId(lease.key()))
			.append("update", new BsonArray(this.releases.of(lease.leaseToken())))
			.append("fields", this.statements.whetherAwaited())
			.append("writeConcern", concern.asDocument());
		RepeatedCommand command = new RepeatedCommand(StoreFailures::mayNextClaimSucceed, request.timeoutMillis());
		BsonDocument answer = this.locks.execute(request,
				() -> command.send((left) -> this.locks.run(statement, left)));
		BsonDocument before = (answer.get("value") instanceof BsonDocument lock) ? lock : new BsonDocument();
		return new ReleaseAnswer(new LockDocument(before).mentions(lease.leaseToken()),
				before.get("queue") instanceof BsonArray queue && !queue.isEmpty());
	}

	/**
	 * Give a lease another length, confirmed by the majority.
	 * @return whether it was there
	 */
	public boolean lengthen(LeaseId lease, Duration ttl) {
		StoreRequest request = StoreRequest.write("renew lock", lease.key(), TIMEOUT);
		BsonDocument filter = this.leases.held(lease);
		return this.locks.execute(request, WriteConcern.MAJORITY,
				(locks) -> locks.updateOne(filter, this.statements.expiry(ttl)).getMatchedCount() != 0);
	}

	/**
	 * Watch what one client is granted by releases of others.
	 * @param client what its tokens begin with
	 * @param listener given token and fence
	 */
	public ReleaseWatch watchGrants(String client, BiConsumer<String, Long> listener) {
		return new GrantStream(this.streams, new KeySpace(""), client, listener).start("benchmark-grants");
	}

}
