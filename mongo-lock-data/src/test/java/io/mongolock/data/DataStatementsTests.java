package io.mongolock.data;

import java.time.Duration;
import java.util.List;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.Document;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.data.store.SequenceStore;
import io.mongolock.store.LeaseId;
import io.mongolock.store.mongo.CommandLog;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.SentStatements;
import io.mongolock.store.mongo.TestTemplates;
import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * Each statement has been recorded on a real server, in its very shape.
 */
class DataStatementsTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();

	private final CommandLog log = new CommandLog();

	@AutoClose
	private final MongoClient client = this.log.connect(this.server.connectionString());

	private final MongoTemplate template = TestTemplates.template(this.client);

	private final MongoLockStore locks = new MongoLockStore(this.template, "locks", "");

	@Test
	void thoseOfSequences() {
		SequenceStore sequences = new SequenceStore(this.template, "locks", "", TIMEOUT);
		sequences.take("invoice", 50);
		sequences.raise("invoice", 1000);
		SentStatements.assertAllRecorded(this.log);
	}

	@Test
	void thoseOfGuardedWrites() {
		this.template.insert(new Page("k", "draft", null));
		FencedWrites writes = FencedWrites.of(this.template, this.locks);
		LockTemplate client = new LockTemplate(this.locks,
				new ClientOptions(ConfiguredSettings.NONE, new LockOwner("app", "1", "host", 1, ""), LockClock.system(),
						List.of())
					.withLeakDetection(LeakDetection.OFF)
					.withHandOver(new HandOver(Duration.ZERO, 0)));
		try (LockHandle lock = client.acquire(LockRequest.of("a"))) {
			this.log.clear();
			for (String id : new String[] { "k", "none" }) {
				writes.update(lock, Query.query(Criteria.where("id").is(id)), new Update().set("title", "new"),
						Page.class);
			}
		}
		finally {
			client.stop(Duration.ofSeconds(5));
		}
		try (ClientSession session = this.client.startSession()) {
			this.locks.touch(new LeaseId("k", "t"), session);
		}
		SentStatements.assertAllRecorded(this.log);
	}

	/**
	 * A document of the application.
	 */
	@Document("locks")
	record Page(@Id String id, String title, @Version Long version) {

	}

}
