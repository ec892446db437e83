package io.mongolock.benchmarks.compare;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * The two commands of an uncontended lock of this library, sent bare: what cannot be had
 * for less. Excludes nobody.
 */
final class BareCommands implements Competitor {

	private final Map<String, BsonDocument> recorded = new ConcurrentHashMap<>();

	private final MongoClient client;

	private final MongoCollection<BsonDocument> locks;

	private final List<BsonDocument> claim;

	private final FindOneAndUpdateOptions options;

	private final BsonDocument release;

	BareCommands(String uri) {
		recordOne(uri);
		this.client = new CommandCount((command) -> {
		}).connect(uri);
		this.locks = this.client.getDatabase(CommandCount.DATABASE).getCollection("locks", BsonDocument.class);
		BsonDocument claimed = this.recorded.getOrDefault("findAndModify", new BsonDocument());
		this.claim = claimed.getArray("update").stream().map(BsonValue::asDocument).toList();
		this.options = new FindOneAndUpdateOptions().upsert(true)
			.returnDocument(ReturnDocument.AFTER)
			.projection(claimed.getDocument("fields"));
		this.release = this.recorded.getOrDefault("update", new BsonDocument())
			.getArray("updates")
			.get(0)
			.asDocument()
			.getDocument("u");
	}

	private void recordOne(String uri) {
		CommandCount commands = new CommandCount(
				(command) -> this.recorded.put(command.getFirstKey(), BsonDocument.parse(command.toJson())));
		try (MongoLock lock = new MongoLock(uri, commands)) {
			lock.lock("recorded").unlock();
		}
	}

	@Override
	public Held lock(String key) {
		BsonDocument filter = new BsonDocument("_id", new BsonString(key));
		this.locks.withWriteConcern(WriteConcern.MAJORITY).findOneAndUpdate(filter, this.claim, this.options);
		return () -> this.locks.withWriteConcern(WriteConcern.W1).updateOne(filter, this.release);
	}

	@Override
	public long requests() {
		return -1;
	}

	@Override
	public void close() {
		this.client.close();
	}

}
