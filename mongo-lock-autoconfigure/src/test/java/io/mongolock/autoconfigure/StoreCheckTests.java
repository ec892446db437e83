package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Collation;
import com.mongodb.client.model.CollationStrength;
import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.spi.LockExtension;
import io.mongolock.spi.LockStartupException;
import io.mongolock.store.mongo.LockLocation;
import io.mongolock.store.mongo.TtlIndexInitializer;
import io.mongolock.store.mongo.TtlIndexWatch;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Tests for {@link StoreCheck}.
 */
class StoreCheckTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(AutoConfigurations
		.of(MongoAutoConfiguration.class, DataMongoAutoConfiguration.class, MongoLockAutoConfiguration.class));

	@ParameterizedTest
	@EnumSource
	void aServerThatDoesNotExecuteTheStatementsIsRefusedAtTheStart(TtlIndexInitializer.Mode mode) {
		MongoServer other = new MongoServer(new MemoryBackend());
		try {
			at(other.bindAndGetConnectionString() + "/shop").withPropertyValues("mongo-lock.ttl-index.mode=" + mode)
				.run((context) -> {
					LockStartupException refusal = refusal(context);
					assertThat(refusal.getProblem()).contains("does not execute the statements", "(MongoDB 5.0.0)",
							"cannot be cast");
					assertThat(refusal.getAction()).contains("MongoDB 4.4 or later", "mongo-lock.mongo-template",
							"a view or a time series cannot keep locks");
				});
		}
		finally {
			other.shutdownNow();
		}
	}

	@Test
	void theCheckWritesNothing() {
		try (EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();
				MongoClient client = MongoClients.create(server.connectionString())) {
			at(server.connectionString() + "/shop").run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(client.getDatabase("shop").getCollection("locks").countDocuments()).isZero();
			});
		}
	}

	@Test
	void theIndexesOfTheLocksAreListedOnce() {
		List<String> sent = new CopyOnWriteArrayList<>();
		CommandListener log = new CommandListener() {

			@Override
			public void commandStarted(CommandStartedEvent event) {
				sent.add(event.getCommandName());
			}

		};
		try (EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start()) {
			at(server.connectionString() + "/shop")
				.withBean(MongoClientSettingsBuilderCustomizer.class,
						() -> (settings) -> settings.addCommandListener(log))
				.run((context) -> {
					assertThat(context).hasNotFailed();
					assertThat(sent).containsOnlyOnce("listIndexes");
				});
		}
	}

	@Test
	void anyCollectionWithACollationIsRefused() {
		LockLocation locks = BDDMockito.mock();
		LockLocation sequences = BDDMockito.mock();
		StoreCheck check = new StoreCheck(locks, () -> false, () -> List.of(sequences));
		assertThat(check.getAsBoolean()).isTrue();
		for (LockLocation collated : List.of(locks, sequences)) {
			BDDMockito.given(collated.namespace()).willReturn("shop.collated");
			BDDMockito.given(collated.collation(ArgumentMatchers.any())).willReturn(Optional.of("de, strength 1"));
			assertThatExceptionOfType(LockStartupException.class).isThrownBy(check::getAsBoolean)
				.withMessageContaining("The collection shop.collated has a collation (de, strength 1)");
			BDDMockito.given(collated.collation(ArgumentMatchers.any())).willReturn(Optional.empty());
		}
	}

	@Test
	void whenAnyCollectionIsCappedThenItIsRefused() {
		LockLocation locks = BDDMockito.mock();
		LockLocation runs = BDDMockito.mock();
		for (LockLocation capped : List.of(locks, runs)) {
			StoreCheck check = new StoreCheck(locks, () -> true, () -> List.of(runs));
			BDDMockito.given(capped.namespace()).willReturn("shop.capped");
			BDDMockito.given(capped.isCapped(ArgumentMatchers.any())).willReturn(true);
			assertThatExceptionOfType(LockStartupException.class).isThrownBy(check::getAsBoolean)
				.withMessageContaining("The collection shop.capped is capped");
			BDDMockito.given(capped.isCapped(ArgumentMatchers.any())).willReturn(false);
			assertThat(check.getAsBoolean()).isTrue();
		}
	}

	@Test
	void whenNoCollectionIsCappedThenTheServerIsAskedOnce() {
		LockLocation locks = BDDMockito.mock();
		StoreCheck check = new StoreCheck(locks, () -> true, List::of);
		assertThat(check.getAsBoolean()).isTrue();
		assertThat(check.getAsBoolean()).isTrue();
		BDDMockito.then(locks).should().isCapped(ArgumentMatchers.any());
	}

	@Test
	void laterLooksAreAtTheDatabaseThatTheStartHadInWhateverThread() {
		Thread starting = Thread.currentThread();
		try (EmbeddedMongo server = EmbeddedMongo.start()) {
			String uri = server.connectionString() + "/shop";
			at(uri).withPropertyValues("mongo-lock.ttl-index.mode=none")
				.withBean(LockExtension.class, () -> new LockExtension() {

					@Override
					public Set<String> collections() {
						return Set.of("sequences");
					}

				})
				.withBean(MongoDatabaseFactory.class, () -> new SimpleMongoClientDatabaseFactory(uri) {

					@Override
					public MongoDatabase getMongoDatabase() {
						assertThat(Thread.currentThread()).as("knows its tenant").isSameAs(starting);
						return super.getMongoDatabase();
					}

				})
				.run((context) -> {
					TtlIndexWatch watch = context.getBean(TtlIndexWatch.class);
					watch.stop();
					assertThat(CompletableFuture.runAsync(watch::start)).succeedsWithin(Duration.ofSeconds(10));
				});
		}
	}

	@Test
	void aCheckWithoutAnAnswerReturnsFalse() {
		LockLocation locks = BDDMockito.mock();
		StoreCheck check = new StoreCheck(locks, () -> false, List::of);
		BDDMockito.given(locks.refusedStatement(ArgumentMatchers.any()))
			.willThrow(new LockStoreException("", LockStoreException.Outcome.UNKNOWN, "no answer", null));
		assertThat(check.getAsBoolean()).isFalse();
	}

	@Test
	void whenTheCheckBesideTheStartSucceedsThenTheStartDoesNotAskAgain() {
		LockLocation locks = BDDMockito.mock();
		List<Thread> askedBy = new CopyOnWriteArrayList<>();
		CountDownLatch waitedFor = new CountDownLatch(1);
		BDDMockito.given(locks.refusedStatement(ArgumentMatchers.any())).willAnswer((call) -> {
			askedBy.add(Thread.currentThread());
			waitedFor.await();
			return Optional.empty();
		});
		StoreCheck check = new StoreCheck(locks, () -> {
			waitedFor.countDown();
			return true;
		}, List::of);
		check.begin();
		assertThat(check.getAsBoolean()).isTrue();
		assertThat(askedBy).singleElement().isNotEqualTo(Thread.currentThread()).matches(Thread::isDaemon);
		assertThat(check.getAsBoolean()).as("later").isTrue();
		assertThat(askedBy).hasSize(2).contains(Thread.currentThread());
	}

	@Test
	void aStartThatIsInterruptedAsItWaitsAsksItselfAndStaysInterrupted() {
		LockLocation locks = BDDMockito.mock();
		Thread start = Thread.currentThread();
		CountDownLatch end = new CountDownLatch(1);
		BDDMockito.given(locks.refusedStatement(ArgumentMatchers.any())).willAnswer((call) -> {
			if (Thread.currentThread() != start) {
				end.await();
			}
			return Optional.empty();
		});
		StoreCheck check = new StoreCheck(locks, () -> true, List::of);
		check.begin();
		start.interrupt();
		assertThat(check.getAsBoolean()).isTrue();
		assertThat(Thread.interrupted()).isTrue();
		end.countDown();
	}

	@Test
	void whenTheCheckBesideTheStartIsRefusedThenTheStartIsRefused() {
		LockLocation locks = BDDMockito.mock();
		BDDMockito.given(locks.refusedStatement(ArgumentMatchers.any())).willReturn(Optional.of("no locks here"));
		StoreCheck check = new StoreCheck(locks, () -> true, List::of);
		check.begin();
		assertThatExceptionOfType(LockStartupException.class).isThrownBy(check::getAsBoolean)
			.withMessageContaining("no locks here");
	}

	@Test
	void whenARefusalBesideTheStartIsNotRepeatedThenTheStartGoesOn() {
		LockLocation locks = BDDMockito.mock();
		BDDMockito.given(locks.refusedStatement(ArgumentMatchers.any()))
			.willReturn(Optional.of("this is a view"))
			.willReturn(Optional.empty());
		StoreCheck check = new StoreCheck(locks, () -> true, List::of);
		check.begin();
		assertThat(check.getAsBoolean()).isTrue();
	}

	@Test
	void whenTheCheckBesideTheStartHasNoAnswerThenTheStartAsksAgain() {
		LockLocation locks = BDDMockito.mock();
		BDDMockito.given(locks.refusedStatement(ArgumentMatchers.any()))
			.willThrow(new LockStoreException("", LockStoreException.Outcome.UNKNOWN, "no answer", null))
			.willReturn(Optional.of("no locks here"));
		StoreCheck check = new StoreCheck(locks, () -> true, List::of);
		check.begin();
		assertThatExceptionOfType(LockStartupException.class).isThrownBy(check::getAsBoolean)
			.withMessageContaining("no locks here");
	}

	@Test
	@Tag("real-server")
	void aCollectionWithACollationIsRefusedAtTheStart() {
		assumeThat(SuiteServer.get().uri()).as(SuiteServer.get().reason()).isPresent();
		String uri = SuiteServer.get().uri().orElseThrow();
		try (MongoClient client = MongoClients.create(uri)) {
			create(client);
			ApplicationContextRunner collated = at(uri).withPropertyValues("spring.mongodb.database=mongo_lock_test",
					"mongo-lock.collection=collated");
			collated.withPropertyValues("mongo-lock.ttl-index.mode=none").run((context) -> {
				LockStartupException refusal = refusal(context);
				assertThat(refusal.getProblem()).contains("mongo_lock_test.collated", "(en, strength 2)",
						"would count as equal");
				assertThat(refusal.getAction()).contains("mongo-lock.collection", "drop the collection");
			});
			collated.run((context) -> assertThat(refusal(context).getProblem()).contains("mongo_lock_test.collated"));
			client.getDatabase("mongo_lock_test").getCollection("collated").drop();
			collated.run((context) -> {
				LockOperations locks = context.getBean(LockOperations.class);
				try (LockHandle lower = locks.acquire(LockRequest.of("a"));
						LockHandle upper = locks.acquire(LockRequest.of("A"))) {
					assertThat(lower.isHeld() && upper.isHeld()).isTrue();
				}
				assertThat(client.getDatabase("mongo_lock_test")
					.getCollection("collated", BsonDocument.class)
					.countDocuments()).isEqualTo(2);
			});
			client.getDatabase("mongo_lock_test").getCollection("collated").drop();
		}
	}

	@Test
	@Tag("real-server")
	void theCopyOfACollectionWithACollationHasNone() {
		assumeThat(SuiteServer.get().uri()).as(SuiteServer.get().reason()).isPresent();
		String uri = SuiteServer.get().uri().orElseThrow();
		try (MongoClient client = MongoClients.create(uri)) {
			MongoCollection<Document> numbers = create(client);
			numbers.insertOne(new Document("_id", "invoice").append("value", 7L));
			AtomicReference<String> collection = new AtomicReference<>("collated");
			ApplicationContextRunner module = at(uri)
				.withPropertyValues("spring.mongodb.database=mongo_lock_test", "mongo-lock.collection=uncollated")
				.withBean(LockExtension.class, () -> new LockExtension() {

					@Override
					public Set<String> collections() {
						return Set.of(collection.get());
					}

				});
			module.run((context) -> assertThat(refusal(context).getAction()).contains("aggregate([{$out:"));
			numbers.aggregate(List.of(new Document("$out", "copied"))).toCollection();
			collection.set("copied");
			module.run((context) -> assertThat(context).hasNotFailed());
			assertThat(client.getDatabase("mongo_lock_test").getCollection("copied").find())
				.containsExactly(new Document("_id", "invoice").append("value", 7L));
			for (String made : List.of("collated", "copied", "uncollated")) {
				client.getDatabase("mongo_lock_test").getCollection(made).drop();
			}
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Tag("real-server")
	void whenTheLocksAreInACappedCollectionThenTheStartIsRefused(boolean empty) {
		assumeThat(SuiteServer.get().uri()).as(SuiteServer.get().reason()).isPresent();
		String uri = SuiteServer.get().uri().orElseThrow();
		try (MongoClient client = MongoClients.create(uri)) {
			MongoDatabase database = client.getDatabase("mongo_lock_test");
			database.getCollection("capped").drop();
			database.createCollection("capped", new CreateCollectionOptions().capped(true).sizeInBytes(100_000));
			if (!empty) {
				database.getCollection("capped").insertOne(new Document("_id", "order:42"));
			}
			ApplicationContextRunner capped = at(uri).withPropertyValues("spring.mongodb.database=mongo_lock_test",
					"mongo-lock.collection=capped", "mongo-lock.ttl-index.mode=none");
			capped.run((context) -> {
				assertThat(refusal(context).getProblem()).contains("mongo_lock_test.capped is capped");
				assertThat(refusal(context).getAction()).contains("mongo-lock.collection", "drop the collection");
			});
			database.getCollection("capped").drop();
			capped.run((context) -> assertThat(context).hasNotFailed());
			database.createCollection("capped");
			capped.run((context) -> assertThat(context).hasNotFailed());
			database.getCollection("capped").drop();
		}
	}

	private static MongoCollection<Document> create(MongoClient client) {
		client.getDatabase("mongo_lock_test").getCollection("collated").drop();
		client.getDatabase("mongo_lock_test")
			.createCollection("collated", new CreateCollectionOptions()
				.collation(Collation.builder().locale("en").collationStrength(CollationStrength.SECONDARY).build()));
		return client.getDatabase("mongo_lock_test").getCollection("collated");
	}

	private ApplicationContextRunner at(String uri) {
		return this.runner.withPropertyValues("spring.mongodb.uri=" + uri);
	}

	private static LockStartupException refusal(AssertableApplicationContext context) {
		Throwable failure = context.getStartupFailure();
		while (failure != null && !(failure instanceof LockStartupException)) {
			failure = failure.getCause();
		}
		assertThat(failure).isNotNull();
		return (LockStartupException) failure;
	}

}
