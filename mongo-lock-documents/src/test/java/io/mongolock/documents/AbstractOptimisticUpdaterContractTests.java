package io.mongolock.documents;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.result.InsertOneResult;
import com.mongodb.client.result.UpdateResult;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.BDDMockito;
import org.mockito.Mockito;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.domain.Persistable;
import org.springframework.data.domain.Sort.Direction;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.index.Index;
import org.springframework.data.mongodb.core.mapping.Field;
import org.springframework.data.mongodb.core.mapping.FieldType;
import org.springframework.data.mongodb.core.mapping.MongoId;
import org.springframework.data.mongodb.core.mapping.Unwrapped;
import org.springframework.data.mongodb.core.mapping.Unwrapped.OnEmpty;
import org.springframework.data.mongodb.core.mapping.event.AfterConvertCallback;
import org.springframework.data.mongodb.core.mapping.event.AfterLoadEvent;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.util.backoff.FixedBackOff;

import io.mongolock.data.FencedWrites;
import io.mongolock.spi.LockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What {@link OptimisticUpdater} promises on every kind of server.
 */
abstract class AbstractOptimisticUpdaterContractTests extends AbstractMongoTests {

	private final AtomicInteger calls = new AtomicInteger();

	@Test
	void aChangeIsSavedWithTheNextVersion() {
		MongoTemplate template = template();
		template.insert(new Counter("a", 1, null));
		assertThat(updater(1).update(Counter.class, "a", Counter::next)).contains(new Counter("a", 2, 1L));
		assertThat(template.findById("a", Counter.class)).isEqualTo(new Counter("a", 2, 1L));
		assertThat(raw("counter", "a")).containsEntry("n", 2);
	}

	@Test
	void anAbsentDocumentIsEmptyAndNotCreated() {
		assertThat(updater(1).update(Counter.class, "a", Counter::next)).isEmpty();
		assertThat(template().count(new Query(), Counter.class)).isZero();
	}

	@Test
	void anAbsentDocumentIsMadeAndChanged() {
		OptimisticUpdater updater = updater(1);
		for (int i = 1; i <= 2; i++) {
			assertThat(updater.updateOrCreate(Counter.class, "a", () -> new Counter(null, 0, null), Counter::next))
				.isEqualTo(new Counter("a", i, i - 1L));
		}
	}

	@Test
	void aDocumentThatIsDeletedBeforeTheLookIsMadeInTheNextAttempt() {
		MongoTemplate deleting = new MongoTemplate(template().getMongoDatabaseFactory()) {

			@Override
			public <T> T execute(String collection, CollectionCallback<T> action) {
				try {
					return super.execute(collection, action);
				}
				catch (DuplicateKeyException ex) {
					getCollection(collection).deleteMany(new Document());
					throw ex;
				}
			}

		};
		AtomicInteger made = new AtomicInteger();
		Counter saved = OptimisticUpdater.of(deleting, new FixedBackOff(1, 1), context())
			.updateOrCreate(Counter.class, "a", () -> {
				if (made.getAndIncrement() == 0) {
					template().insert(new Counter("a", 7, null));
				}
				return new Counter(null, 0, null);
			}, Counter::next);
		assertThat(saved).isEqualTo(new Counter("a", 1, 0L));
		assertThat(made).hasValue(2);
	}

	@Test
	void theLockAndTheFenceStayAndWhatIsNotWrittenGoes() {
		template().insert(new Labelled("a", "label", List.of("x"), null));
		Document others = Document.parse("{$set: {lock: {holders: [{token: 't'}]}, extra: 1}}")
			.append("$max", new Document("fence", 7L));
		template().getCollection("labelled").updateOne(new Document("_id", "a"), others);
		Labelled saved = updater(1).update(Labelled.class, "a", (one) -> {
			template().getCollection("labelled")
				.updateOne(new Document("_id", "a"), Document.parse("{$set: {'lock.holders.0.renewedAt': 1}}"));
			return new Labelled("a", null, one.tags(), one.version());
		}).orElseThrow();
		assertThat(saved.version()).isOne();
		assertThat(raw("labelled", "a")).doesNotContainKeys("label", "extra")
			.containsEntry("tags", List.of("x"))
			.containsEntry("fence", 7L)
			.containsEntry("lock", Document.parse("{holders: [{token: 't', renewedAt: 1}]}"));
	}

	@Test
	void whenTheFieldOfTheLockIsItsOwnThenItIsSaved() {
		MongoTemplate template = template();
		template.insert(new Door("d", "latch", new Frame(1), null));
		template.insert(new Barn("b", new Bar("open"), null));
		updater(1).update(Door.class, "d", (door) -> new Door("d", "bolt", door.frame(), door.version()));
		assertThat(raw("door", "d")).containsEntry("lock", "bolt");
		updater(1).update(Door.class, "d", (door) -> new Door("d", null, door.frame(), door.version()));
		assertThat(raw("door", "d")).doesNotContainKey("lock");
		updater(1).update(Barn.class, "b", (barn) -> new Barn("b", new Bar("shut"), barn.version()));
		assertThat(raw("barn", "b")).containsEntry("lock", "shut");
	}

	@Test
	void aDefaultThatIsNotStoredIsSavedWithTheNextChange() {
		template().getCollection("mutable").insertOne(new Document("_id", "m").append("version", 1L));
		OptimisticUpdater updater = updater(1);
		updater.update(Mutable.class, "m", (one) -> one);
		assertThat(raw("mutable", "m")).as("no change is no write").doesNotContainKey("t");
		updater.update(Mutable.class, "m", (one) -> {
			one.bytes[0] = 9;
			return one;
		});
		assertThat(raw("mutable", "m")).containsEntry("t", List.of("a")).containsEntry("date", new Date(1));
	}

	@Test
	void aFieldThatACallbackMovesIsSavedWithTheNextChange() {
		MongoTemplate template = template();
		template.getCollection("person")
			.insertOne(new Document("_id", "p").append("fullName", "Ann").append("version", 1L));
		GenericApplicationContext context = new GenericApplicationContext();
		context.registerBean(Moving.class);
		context.refresh();
		template.setApplicationContext(context);
		context.addApplicationListener(
				(ApplicationListener<AfterLoadEvent<?>>) (event) -> event.getDocument().put("loaded", true));
		OptimisticUpdater updater = OptimisticUpdater.of(template, new FixedBackOff(1, 0), context);
		updater.update(Person.class, "p", (person) -> person);
		assertThat(raw("person", "p")).as("no change is no write").containsEntry("version", 1L);
		updater.update(Person.class, "p", (person) -> {
			person.name += "a";
			return person;
		});
		assertThat(raw("person", "p")).doesNotContainKey("fullName")
			.containsEntry("name", "Anna")
			.containsEntry("loaded", true);
	}

	@Test
	void anIdThatIsAConditionIsRefused() {
		template().insert(new Counter("victim", 1, null));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> updater(1).update(Counter.class, Map.of("$gt", "t"), Counter::next))
			.withMessageContaining("is not a valid id of a document");
		assertThat(template().findById("victim", Counter.class).n()).isOne();
	}

	@Test
	void anIdThatReadsAsAnObjectIdMayBeStoredAsAText() {
		String id = "65a1b2c3d4e5f60718293a4b";
		template().insert(new Texted(id, 1, null));
		assertThat(raw("texted", id)).containsEntry("n", 1);
		assertThat(updater(1).update(Texted.class, id, (one) -> new Texted(id, 2, one.version()))).isPresent();
		assertThat(raw("texted", id)).containsEntry("n", 2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "W1", "UNACKNOWLEDGED" })
	void writesAreConfirmedByTheMajorityEvenIfTheTemplateAsksForLess(String template) {
		List<BsonDocument> writes = new CopyOnWriteArrayList<>();
		try (MongoClient client = listenedTo(writes, "insert", "update")) {
			updateOrCreateTwice(client, WriteConcern.valueOf(template), context());
		}
		assertThat(writes).hasSize(2)
			.allSatisfy((write) -> assertThat(write.getDocument("writeConcern"))
				.isEqualTo(WriteConcern.MAJORITY.asDocument()));
	}

	@Test
	void whenApplicationLimitsStatementsThenEachHasThatLimit() {
		LockEnvironment environment = Mockito.mock();
		BDDMockito.given(environment.operationTimeout()).willReturn(Duration.ofMinutes(10));
		GenericApplicationContext settings = new GenericApplicationContext();
		settings.registerBean(LockEnvironment.class, () -> environment);
		settings.refresh();
		Map.of(context(), 3_000L, settings, 600_000L).forEach((context, limit) -> {
			List<BsonDocument> statements = new CopyOnWriteArrayList<>();
			try (MongoClient client = listenedTo(statements, "find", "insert", "update")) {
				updateOrCreateTwice(client, WriteConcern.W1, context);
			}
			assertThat(statements).hasSize(4)
				.allSatisfy((statement) -> assertThat(statement.getNumber("maxTimeMS").longValue()).isBetween(limit / 2,
						limit));
		});
	}

	@Test
	void whenAnswerToAWriteIsLostThenItSaysSoAndDoesNotTryAgain() {
		MongoTemplate losing = new MongoTemplate(template().getMongoDatabaseFactory()) {

			@Override
			public <T> T execute(String collection, CollectionCallback<T> action) {
				T answer = super.execute(collection, action);
				if (answer instanceof UpdateResult || answer instanceof InsertOneResult) {
					throw new DataAccessResourceFailureException("lost");
				}
				return answer;
			}

		};
		OptimisticUpdater updater = OptimisticUpdater.of(losing, new FixedBackOff(1, 5), context());
		for (int n = 1; n <= 2; n++) {
			assertThatExceptionOfType(DataAccessResourceFailureException.class).isThrownBy(
					() -> updater.updateOrCreate(Counter.class, "a", () -> new Counter(null, 0, null), Counter::next))
				.withMessage("The Counter 'a' may have been written, or may be written later, because MongoDB has not "
						+ "answered (the limit is 3000 ms). Read the document before you write it again")
				.withCauseInstanceOf(DataAccessResourceFailureException.class);
			assertThat(template().findById("a", Counter.class)).isEqualTo(new Counter("a", n, n - 1L));
		}
	}

	private static void updateOrCreateTwice(MongoClient client, WriteConcern concern, ApplicationContext context) {
		MongoTemplate template = new MongoTemplate(client, "mongo_lock_data_test");
		template.setWriteConcern(concern);
		OptimisticUpdater updater = OptimisticUpdater.of(template, new FixedBackOff(1, 0), context);
		template.getCollection("counter").deleteMany(new Document());
		for (int i = 1; i <= 2; i++) {
			updater.updateOrCreate(Counter.class, "a", () -> new Counter(null, 0, null), Counter::next);
		}
	}

	@Test
	void aConcurrentChangeIsNotLost() {
		MongoTemplate template = template();
		template.insert(new Counter("a", 1, null));
		Optional<Counter> saved = updater(3).update(Counter.class, "a", (counter) -> {
			if (this.calls.incrementAndGet() < 3) {
				interfere(template);
			}
			return counter.next();
		});
		assertThat(saved).contains(new Counter("a", 22, 3L));
		assertThat(this.calls).hasValue(3);
	}

	@Test
	void afterTheLastAttemptSpringsExceptionSaysHowManyThereWere() {
		MongoTemplate template = template();
		template.insert(new Counter("a", 1, null));
		assertThatExceptionOfType(OptimisticLockingFailureException.class)
			.isThrownBy(() -> updater(3).update(Counter.class, "a", (counter) -> {
				this.calls.incrementAndGet();
				interfere(template);
				return counter.next();
			}))
			.withMessageContaining(
					"Could not update Counter 'a', because other writers were faster in each of 3 attempts")
			.withMessageContaining("mongo-lock.optimistic.max-attempts")
			.withCauseInstanceOf(OptimisticLockingFailureException.class);
		assertThat(this.calls).hasValue(3);
		assertThat(template.findById("a", Counter.class).n()).isEqualTo(31);
	}

	@Test
	void anObjectThatCouldNotBeWrittenCannotBeSavedOverAConcurrentChange() {
		MongoTemplate template = template();
		template.insert(new Mutable("a"));
		AtomicReference<Mutable> changed = new AtomicReference<>();
		assertThatExceptionOfType(OptimisticLockingFailureException.class)
			.isThrownBy(() -> updater(1).update(Mutable.class, "a", (mine) -> {
				Mutable theirs = Objects.requireNonNull(template.findById("a", Mutable.class));
				theirs.texts.add("theirs");
				template.save(theirs);
				changed.set(mine);
				mine.texts.add("mine");
				return mine;
			}));
		assertThatExceptionOfType(OptimisticLockingFailureException.class)
			.isThrownBy(() -> template.save(changed.get()));
		assertThat(template.findById("a", Mutable.class).texts).containsExactly("a", "theirs");
	}

	@Test
	void anExceptionOfTheChangeEndsItAtOnceEvenIfItIsOfThatKind() {
		MongoTemplate template = template();
		template.insert(new Counter("a", 1, null));
		for (RuntimeException mine : List.of(new IllegalStateException("mine"),
				new OptimisticLockingFailureException("mine"), new DuplicateKeyException("mine"))) {
			this.calls.set(0);
			assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> updater(5).update(Counter.class, "a", (counter) -> {
					this.calls.incrementAndGet();
					throw mine;
				}))
				.isSameAs(mine);
			assertThat(this.calls).hasValue(1);
		}
		assertThat(template.findById("a", Counter.class)).isEqualTo(new Counter("a", 1, 0L));
	}

	@Test
	void anErrorOfTheChangeIsNotWrapped() {
		template().insert(new Counter("a", 1, null));
		AssertionError mine = new AssertionError("mine");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> updater(5).update(Counter.class, "a", (counter) -> {
				throw mine;
			}))
			.isSameAs(mine);
	}

	@Test
	void noChangeIsNoWrite() {
		MongoTemplate template = template();
		template.insert(new Counter("a", 1, null));
		assertThat(updater(1).update(Counter.class, "a", (counter) -> new Counter("a", 1, counter.version())))
			.contains(new Counter("a", 1, 0L));
		template.insert(new Mutable("m"));
		assertThat(updater(1).update(Mutable.class, "m", (one) -> one).orElseThrow().version).isEqualTo(1);
		assertThat(raw("mutable", "m")).containsEntry("version", 1L);
	}

	@Test
	void changesInPlaceAreSavedAlsoInDatesAndArrays() {
		template().insert(new Mutable("m"));
		OptimisticUpdater updater = updater(1);
		assertThat(updater.update(Mutable.class, "m", (one) -> {
			one.bytes[0] = 9;
			return one;
		}).orElseThrow().version).isEqualTo(2);
		assertThat(updater.update(Mutable.class, "m", (one) -> {
			one.date.setTime(7);
			return one;
		}).orElseThrow().version).isEqualTo(3);
		assertThat(updater.update(Mutable.class, "m", (one) -> {
			one.texts.add("b");
			return one;
		}).orElseThrow().version).isEqualTo(4);
		Mutable stored = template().findById("m", Mutable.class);
		assertThat(stored.bytes).containsExactly(9, 2);
		assertThat(stored.date).hasTime(7);
		assertThat(stored.texts).containsExactly("a", "b");
	}

	@Test
	void aSubtypeStaysOneInTheCollectionOfTheTypeThatWasAskedFor() {
		MongoTemplate template = template();
		template.insert(new Special("s", 1), template.getCollectionName(Base.class));
		Base saved = updater(1).update(Base.class, "s", (base) -> {
			base.n++;
			return base;
		}).orElseThrow();
		assertThat(saved).isInstanceOfSatisfying(Special.class, (special) -> assertThat(special.n).isEqualTo(2));
		assertThat(raw("base", "s")).containsEntry("_class", Special.class.getName()).containsEntry("n", 2);
		assertThat(template.getCollectionNames()).doesNotContain("special");
	}

	@Test
	void aTypeWithoutVersionIsRefusedAtTheCallWithWhatToAdd() {
		assertThatIllegalArgumentException().isThrownBy(() -> updater(1).update(Plain.class, "a", (plain) -> plain))
			.withMessageContaining("Plain can be neither locked nor updated optimistically")
			.withMessageContaining("@Version Long version");
	}

	@Test
	void whenAnEntitySaysThatItIsNewThenItIsUpdatedAllTheSame() {
		template().insert(new Imported("i", 1, null));
		assertThat(updater(1).update(Imported.class, "i", (one) -> new Imported("i", 2, one.version())))
			.hasValueSatisfying((saved) -> assertThat(saved.version()).isOne());
		assertThat(raw("imported", "i")).containsEntry("n", 2);
	}

	@Test
	void whenTheOperationsAreNoTemplateThenTheyAreRefused() {
		MongoOperations others = Mockito.mock();
		for (ThrowingCallable made : List.<ThrowingCallable>of(
				() -> OptimisticUpdater.of(others, new FixedBackOff(1, 0), context()),
				() -> FencedWrites.unguarded(others))) {
			assertThatIllegalArgumentException().isThrownBy(made).withMessageContaining("must be a MongoTemplate");
		}
	}

	@Test
	void aStoredDocumentWithoutVersionIsRefusedWithTheWayOut() {
		template().getCollection("counter").insertOne(new Document("_id", "a").append("n", 1));
		assertThatIllegalStateException().isThrownBy(() -> updater(3).update(Counter.class, "a", Counter::next))
			.withMessageContaining("The stored Counter 'a' has no version")
			.withMessageContaining("Set 'version' to 1 in all documents without a version in the collection 'counter'");
	}

	@Test
	void aChangeThatKeepsNotIdAndVersionIsRefusedAndNothingIsWritten() {
		MongoTemplate template = template();
		template.insert(new Counter("a", 1, null));
		for (Counter wrong : List.of(new Counter("b", 2, 0L), new Counter("a", 2, null), new Counter("a", 2, 1L))) {
			assertThatIllegalStateException().isThrownBy(() -> updater(3).update(Counter.class, "a", (any) -> wrong))
				.withMessageContaining("Counter 'a' was not updated, because the change function got id a in version "
						+ "0, but returned id");
		}
		assertThatIllegalStateException().isThrownBy(() -> updater(3).update(Counter.class, "a", (any) -> null))
			.withMessageContaining("returned null");
		assertThat(template.findAll(Counter.class)).containsExactly(new Counter("a", 1, 0L));
	}

	@Test
	void aFactoryThatMakesAnotherIdIsRefused() {
		assertThatIllegalStateException()
			.isThrownBy(
					() -> updater(3).updateOrCreate(Counter.class, "a", () -> new Counter("b", 0, null), Counter::next))
			.withMessageContaining("made a document with the id b");
	}

	@Test
	void aFactoryNeedNotKnowAnIdThatIsPrimitiveEither() {
		OptimisticUpdater updater = updater(1);
		assertThat(updater.updateOrCreate(Numbered.class, 7L, () -> new Numbered(0, 1, null), UnaryOperator.identity()))
			.isEqualTo(new Numbered(7, 1, 0L));
		assertThatIllegalStateException()
			.isThrownBy(() -> updater.updateOrCreate(Numbered.class, 8L, () -> new Numbered(9, 1, null),
					UnaryOperator.identity()))
			.withMessageContaining("made a document with the id 9");
	}

	@Test
	void whenAnotherInsertsFirstThenUpdateOrCreateChangesThatDocument() {
		MongoTemplate template = template();
		Counter saved = updater(2).updateOrCreate(Counter.class, "a", () -> {
			template.insert(new Counter("a", 10, null));
			return new Counter(null, 0, null);
		}, Counter::next);
		assertThat(saved).isEqualTo(new Counter("a", 11, 1L));
	}

	@Test
	void aDocumentIsReadFromThePrimaryAlsoWhereOtherReadsGoToASecondary() {
		template().insert(new Counter("a", 1, null));
		List<BsonDocument> reads = new CopyOnWriteArrayList<>();
		try (MongoClient client = listenedTo(reads, "find")) {
			MongoTemplate template = new MongoTemplate(client, "mongo_lock_data_test");
			template.setReadPreference(ReadPreference.secondaryPreferred());
			template.findById("a", Counter.class);
			OptimisticUpdater updater = OptimisticUpdater.of(template, new FixedBackOff(1, 0), context());
			assertThat(updater.update(Counter.class, "a", Counter::next)).isPresent();
		}
		BsonDocument primary = new BsonDocument();
		assertThat(reads).extracting((read) -> read.getDocument("$readPreference", primary).getString("mode", null))
			.satisfiesExactly((own) -> assertThat(own).isEqualTo(new BsonString("secondaryPreferred")),
					(load) -> assertThat(load).isNotEqualTo(new BsonString("secondaryPreferred")));
	}

	@Test
	void anotherUniqueIndexIsNoRace() {
		MongoTemplate template = template();
		template.indexOps(Counter.class).createIndex(new Index("n", Direction.ASC).unique());
		template.insert(new Counter("b", 1, null));
		assertThatExceptionOfType(DuplicateKeyException.class)
			.isThrownBy(() -> updater(5).updateOrCreate(Counter.class, "a", () -> {
				this.calls.incrementAndGet();
				return new Counter(null, 0, null);
			}, Counter::next));
		assertThat(this.calls).hasValue(1);
	}

	@Test
	void aThreadThatIsInterruptedWhileItWaitsStopsTryingAndStaysInterrupted() {
		MongoTemplate template = template();
		template.insert(new Counter("a", 1, null));
		OptimisticUpdater updater = OptimisticUpdater.of(template, new FixedBackOff(600000, 999), context());
		Thread caller = Thread.currentThread();
		Thread other = new Thread(() -> {
			while (caller.getState() != Thread.State.TIMED_WAITING || !this.calls.compareAndSet(1, 2)) {
				Thread.onSpinWait();
			}
			caller.interrupt();
		});
		assertThatExceptionOfType(OptimisticLockingFailureException.class)
			.isThrownBy(() -> updater.update(Counter.class, "a", (counter) -> {
				interfere(template);
				this.calls.incrementAndGet();
				other.start();
				return counter.next();
			}))
			.withMessageContaining("the thread was interrupted");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void noIncrementOfManyThreadsIsLost() throws Exception {
		MongoTemplate template = template();
		OptimisticUpdater updater = OptimisticUpdater.of(template, new FixedBackOff(5, 999), context());
		int threads = 16;
		int increments = 25;
		ExecutorService pool = Executors.newFixedThreadPool(threads);
		try {
			List<Future<?>> all = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				all.add(pool.submit(() -> {
					for (int j = 0; j < increments; j++) {
						updater.updateOrCreate(Counter.class, "a", () -> new Counter(null, 0, null), (counter) -> {
							this.calls.incrementAndGet();
							return counter.next();
						});
					}
				}));
			}
			for (Future<?> one : all) {
				one.get();
			}
		}
		finally {
			pool.shutdownNow();
		}
		assertThat(template.findById("a", Counter.class).n()).isEqualTo(threads * increments);
		assertThat(this.calls).as("somebody was faster now and then").hasValueGreaterThan(threads * increments);
	}

	private MongoClient listenedTo(List<BsonDocument> commands, String... names) {
		return MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(uri()))
			.addCommandListener(new CommandListener() {

				@Override
				public void commandStarted(CommandStartedEvent event) {
					if (List.of(names).contains(event.getCommandName())) {
						commands.add(event.getCommand().clone());
					}
				}

			})
			.build());
	}

	private static void interfere(MongoTemplate template) {
		template.updateFirst(Query.query(Criteria.where("id").is("a")), new Update().inc("n", 10), Counter.class);
	}

	private Document raw(String collection, String id) {
		return Objects.requireNonNull(template().getCollection(collection).find(new Document("_id", id)).first());
	}

	private OptimisticUpdater updater(int attempts) {
		this.calls.set(0);
		return OptimisticUpdater.of(template(), new FixedBackOff(1, attempts - 1), context());
	}

	record Counter(@Id @Nullable String id, int n, @Version @Nullable Long version) {

		Counter next() {
			return new Counter(this.id, this.n + 1, this.version);
		}

	}

	record Imported(@Id String id, int n, @Version @Nullable Long version) implements Persistable<String> {

		@Override
		public String getId() {
			return this.id;
		}

		@Override
		public boolean isNew() {
			return true;
		}

	}

	record Labelled(@Id String id, @Nullable String label, List<String> tags, @Version @Nullable Long version) {

	}

	static class Mutable {

		@Id
		String id;

		byte[] bytes = { 1, 2 };

		Date date = new Date(1);

		@Field("t")
		List<String> texts = new ArrayList<>(List.of("a"));

		@Version
		long version;

		Mutable(String id) {
			this.id = id;
		}

	}

	static class Base {

		@Id
		String id;

		int n;

		@Version
		@Nullable Long version;

		Base(String id, int n) {
			this.id = id;
			this.n = n;
		}

	}

	static class Special extends Base {

		Special(String id, int n) {
			super(id, n);
		}

	}

	record Numbered(@Id long id, int n, @Version @Nullable Long version) {

	}

	record Door(@Id String id, @Nullable String lock, @Unwrapped(onEmpty = OnEmpty.USE_NULL) Frame frame,
			@Version @Nullable Long version) {

	}

	record Frame(int width) {

	}

	record Barn(@Id String id, @Unwrapped(onEmpty = OnEmpty.USE_NULL) Bar bar, @Version @Nullable Long version) {

	}

	record Bar(String lock) {

	}

	record Texted(@MongoId(FieldType.STRING) String id, int n, @Version @Nullable Long version) {

	}

	static class Person {

		@Id
		String id;

		@Nullable String fullName;

		@Nullable String name;

		@Nullable Boolean loaded;

		@Version
		@Nullable Long version;

	}

	static class Moving implements AfterConvertCallback<Person> {

		@Override
		public Person onAfterConvert(Person person, Document document, String collection) {
			if (person.fullName != null) {
				person.name = person.fullName;
				person.fullName = null;
			}
			return person;
		}

	}

	record Plain(@Id String id) {

	}

}
