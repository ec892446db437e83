package io.mongolock.documents;

import java.time.Duration;
import java.util.List;

import com.mongodb.client.MongoClient;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.Document;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.documents.store.DocumentLockStore;
import io.mongolock.spi.StoreClient;
import io.mongolock.store.Claims;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockFilter;
import io.mongolock.store.LockStore;
import io.mongolock.store.mongo.CommandLog;
import io.mongolock.store.mongo.SentStatements;
import io.mongolock.store.mongo.TestTemplates;
import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * Each statement on documents of the application has been recorded on a real server, in
 * its very shape.
 */
class DocumentStatementsTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();

	private final CommandLog log = new CommandLog();

	@AutoClose
	private final MongoClient client = this.log.connect(this.server.connectionString());

	private final MongoTemplate template = TestTemplates.template(this.client);

	private final DocumentLockStore documents = new DocumentLockStore(this.template, "lock", "locks",
			LockClock.system());

	@Test
	void thoseOfLocksInDocuments() {
		this.documents.register("locks", "version");
		insertPage();
		SentStatements.askEverything(this.documents, "locks:k");
		this.documents.load(new LeaseId("locks:k", "t"), TIMEOUT);
		this.documents.list("locks", TIMEOUT);
		for (String prefix : new String[] { "locks:", "locks:k" }) {
			for (String after : new String[] { "", "locks:a" }) {
				this.documents.list(prefix, after, 10, TIMEOUT);
				this.documents.list(new LockFilter(prefix, "none", Duration.ZERO), after, 10, 10, TIMEOUT);
			}
		}
		SentStatements.assertAllRecorded(this.log);
		this.log.clear();
		new DocumentLockStore(this.template, "lock", "locks", LockClock.system())
			.acquire(Claims.first(Claims.on("locks:k")), TIMEOUT);
		SentStatements.assertAllRecorded(this.log);
	}

	@Test
	void thoseThatWriteALockedDocumentAndReleaseIt() {
		insertPage();
		LockTemplate client = client(this.documents);
		try (GenericApplicationContext context = context()) {
			DocumentLockOperations operations = new DocumentLocks(this.template, this.documents,
					new StoreClient(this.documents, client, (key) -> 0, client::broken), () -> client,
					LockClock.system(), TIMEOUT, new DocumentTransactions(), context);
			for (String title : new String[] { "new", null }) {
				LockedDocument<Page> locked = operations.lock(Page.class, "k");
				locked.save(new Page("k", title, locked.entity().version()));
			}
			LockedDocument<Page> locked = operations.lock(Page.class, "k");
			locked.saveAndKeep(new Page("k", "kept", locked.entity().version()));
			locked.delete();
			SentStatements.assertAllRecorded(this.log);
			insertPage();
			LockTicket ticket = operations.lock(Page.class, "k").ticket();
			operations.resume(Page.class, "k", ticket);
			operations.renew(Page.class, "k", ticket);
			operations.release(Page.class, "k", ticket);
			operations.find(Page.class, "k");
			operations.list(Page.class);
		}
		finally {
			client.stop(Duration.ofSeconds(5));
		}
		SentStatements.assertAllRecorded(this.log);
	}

	private void insertPage() {
		this.template.insert(new Page("k", "draft", null));
		this.log.clear();
	}

	private static GenericApplicationContext context() {
		GenericApplicationContext context = new GenericApplicationContext();
		context.refresh();
		return context;
	}

	private static LockTemplate client(LockStore store) {
		return new LockTemplate(store,
				new ClientOptions(ConfiguredSettings.NONE, new LockOwner("app", "1", "host", 1, ""), LockClock.system(),
						List.of())
					.withLeakDetection(LeakDetection.OFF)
					.withHandOver(new HandOver(Duration.ZERO, 0)));
	}

	/**
	 * A document of the application.
	 */
	@Document("locks")
	record Page(@Id String id, String title, @Version Long version) {

	}

}
