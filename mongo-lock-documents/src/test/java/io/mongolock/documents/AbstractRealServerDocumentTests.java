package io.mongolock.documents;

import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import org.bson.BsonDocument;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockSettings;
import io.mongolock.store.mongo.CurrentTransaction;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.server.GivenServer;
import io.mongolock.test.server.SuiteServer;
import io.mongolock.test.server.TestOutput;

import static org.awaitility.Awaitility.await;

/**
 * Locked documents on a replica set, which transactions need: on the real one, or on an
 * embedded one if there is none.
 */
@Tag("real-server")
abstract class AbstractRealServerDocumentTests extends AbstractMongoTests {

	static final LockSettings OFTEN_RENEWED = LockSettings.builder()
		.ttl(Duration.ofSeconds(20))
		.renewInterval(Duration.ofMillis(200))
		.build();

	static final LockSettings SELDOM_RENEWED = LockSettings.builder().ttl(Duration.ofMinutes(30)).build();

	MongoTemplate template;

	DocumentLocksFixture here;

	DocumentLocksFixture there;

	TransactionTemplate transactions;

	private @Nullable EmbeddedMongo embedded;

	@Override
	String uri() {
		return SuiteServer.get().uri().orElseGet(() -> {
			if (this.embedded == null) {
				this.embedded = EmbeddedMongo.builder().replicaSet().start();
			}
			return this.embedded.connectionString();
		});
	}

	@AfterAll
	void stopEmbedded() {
		if (this.embedded != null) {
			this.embedded.close();
		}
	}

	@BeforeEach
	void begin() {
		this.template = template();
		boolean set = this.template.executeCommand(new Document("hello", 1)).containsKey("setName");
		if (!set) {
			String reason = "Skipped transactions of locked documents, which need a replica set: name one with "
					+ GivenServer.NAME;
			TestOutput.say(reason);
			Assumptions.abort(reason);
		}
		GenericApplicationContext context = new GenericApplicationContext();
		DocumentLocksFixture.guardPlainSaves(context, this.template, () -> this.here);
		this.here = new DocumentLocksFixture("here", this.template, context);
		this.template.setApplicationContext(context);
		this.there = new DocumentLocksFixture("there", template(), new GenericApplicationContext());
		MongoTransactionManager manager = new MongoTransactionManager(this.template.getMongoDatabaseFactory());
		manager.addListener(this.here.transactions());
		this.transactions = new TransactionTemplate(manager);
		this.template.insert(new Post("p1", "draft", null));
		this.template.insert(new Post("p2", "draft", null));
		this.template.insert(new Post("p3", "draft", null));
	}

	@AfterEach
	void end() {
		if (this.here != null) {
			this.here.close();
			this.there.close();
		}
	}

	void killSession() {
		BsonDocument session = CurrentTransaction.session(this.template)
			.orElseThrow()
			.getServerSession()
			.getIdentifier();
		template().executeCommand(new Document("killSessions", List.of(session)));
	}

	static void afterCommit(Runnable work) {
		afterCommit(Ordered.LOWEST_PRECEDENCE, work);
	}

	static void afterCommit(int order, Runnable work) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public int getOrder() {
				return order;
			}

			@Override
			public void afterCommit() {
				work.run();
			}

		});
	}

	void plainSave(String id) {
		this.template.save(this.template.findById(id, Post.class));
	}

	void write(String id, String text) {
		this.template.updateFirst(Query.query(Criteria.where("_id").is(id)), Update.update("text", text), Post.class);
	}

	LockedDocument<Post> lockElsewhere(String id) {
		return CompletableFuture.supplyAsync(() -> this.here.documents().lock(Post.class, id, OFTEN_RENEWED)).join();
	}

	void save(LockedDocument<Post> locked, String text) {
		locked.save(new Post(locked.entity().id(), text, locked.entity().version()));
	}

	void keep(LockedDocument<Post> locked, String text) {
		locked.saveAndKeep(new Post(locked.entity().id(), text, locked.entity().version()));
	}

	// Two of them, so that one which was due when this began is over
	void awaitRenewals(String id) {
		for (int i = 0; i < 2; i++) {
			Date before = renewedAt(id);
			await().until(() -> renewedAt(id).after(before));
		}
	}

	private Date renewedAt(String id) {
		return template().findById(id, Document.class, "post")
			.get("lock", Document.class)
			.getList("holders", Document.class)
			.get(0)
			.getDate("renewedAt");
	}

	String text(String id) {
		return template().findById(id, Post.class).text();
	}

	TransactionTemplate within(int propagation) {
		TransactionTemplate within = new TransactionTemplate(
				Objects.requireNonNull(this.transactions.getTransactionManager()));
		within.setPropagationBehavior(propagation);
		return within;
	}

	record Post(@Id String id, String text, @Version @Nullable Long version) {

	}

	static class Sheet {

		@Id
		String id;

		@Version
		@Nullable Long version;

		Sheet(String id) {
			this.id = id;
		}

	}

	@LockGuarded
	record Guarded(@Id String id, String text, @Version @Nullable Long version) {

	}

}
