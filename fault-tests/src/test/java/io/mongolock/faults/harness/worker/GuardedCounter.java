package io.mongolock.faults.harness.worker;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOptions;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * Counters that lose updates unless a lock guards them: read here, added to here, and
 * written back. Thread-safe, as far as such a counter can be.
 */
public final class GuardedCounter {

	private final MongoCollection<Document> counters;

	public GuardedCounter(MongoClient client, String database) {
		this.counters = client.getDatabase(database).getCollection("counters").withWriteConcern(WriteConcern.MAJORITY);
	}

	public long get(String name) {
		@Nullable Document counter = this.counters.find(Filters.eq(name)).first();
		return (counter != null) ? counter.getLong("n") : 0;
	}

	public void set(String name, long value) {
		this.counters.replaceOne(Filters.eq(name), new Document("_id", name).append("n", value),
				new ReplaceOptions().upsert(true));
	}

}
