package io.mongolock.data;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import org.bson.BsonDocument;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.FindAndReplaceOptions;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.ReplaceOptions;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockOperations;
import io.mongolock.spi.LockExtension;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link Sequences} and {@link Sequence} in an application.
 */
class SequenceConfigurationTests {

	private static EmbeddedMongo server;

	private final ApplicationContextRunner bare = DataContexts.bare();

	private final SentCommands commands = new SentCommands();

	private final ApplicationContextRunner runner = DataContexts.on(server)
		.withBean(MongoClientSettingsBuilderCustomizer.class,
				() -> (settings) -> settings.addCommandListener(this.commands));

	@BeforeAll
	static void start() {
		server = EmbeddedMongo.start();
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	@AfterEach
	void drop() {
		this.runner.run((context) -> context.getBean(MongoTemplate.class).getDb().drop());
	}

	@Test
	void numbersAreThereWithoutAnySettings() {
		this.runner.run((context) -> {
			assertThat(context.getBean(Sequences.class).next("invoice")).isEqualTo(1);
			assertThat(context.getBean(MongoTemplate.class).getCollection("sequences").find().first())
				.isEqualTo(new Document("_id", "invoice").append("value", 1L));
		});
	}

	@Test
	void settingsAreThoseOfTheName() {
		this.runner
			.withPropertyValues("mongo-lock.sequences.invoice.block=50", "mongo-lock.sequences.invoice.start=1000",
					"mongo-lock.sequence-collection=numbers", "mongo-lock.key-prefix=app:")
			.run((context) -> {
				Sequences sequences = context.getBean(Sequences.class);
				assertThat(sequences.next("invoice", 2)).isEqualTo(new SequenceRange(1000, 1001));
				assertThat(sequences.next("other")).isEqualTo(1);
				assertThat(context.getBean(MongoTemplate.class).getCollection("numbers").find())
					.containsExactlyInAnyOrder(new Document("_id", "app:invoice").append("value", 1049L),
							new Document("_id", "app:other").append("value", 1L));
			});
	}

	@Test
	void whenADocumentIsFoundAndReplacedThenItsNumberIsFilledButNotByAReplace() {
		this.runner.run((context) -> {
			MongoTemplate template = context.getBean(MongoTemplate.class);
			template.findAndReplace(new Query(Criteria.where("id").is("a")), new Order(0, "a"),
					FindAndReplaceOptions.options().upsert());
			template.replace(new Query(Criteria.where("id").is("b")), new Order(0, "b"),
					ReplaceOptions.replaceOptions().upsert());
			assertThat(template.findAll(Order.class)).containsExactlyInAnyOrder(new Order(1, "a"), new Order(0, "b"));
			assertThat(context.getBean(Sequences.class).next("order")).as("one was wasted").isEqualTo(3);
		});
	}

	@Test
	void theirCollectionIsLookedAtWhereEntitiesHaveNumbers() {
		this.runner.withPropertyValues("mongo-lock.sequence-collection=numbers").run((context) -> {
			LockExtension extension = context.getBean(LockExtension.class);
			assertThat(extension.collections()).isEmpty();
			context.getBean(MongoTemplate.class).save(new Order(0, "a"));
			assertThat(extension.collections()).containsExactly("numbers");
		});
	}

	@Test
	void theirCollectionIsLookedAtWhereABeanAsksForThem() {
		this.runner.run((context) -> {
			assertThat(context.getBean(LockExtension.class).collections()).isEmpty();
			assertThat(context.getBean(Sequences.class)).isNotNull();
			assertThat(context.getBean(LockExtension.class).collections()).containsExactly("sequences");
		});
		this.runner.withBean(Sequences.class, () -> mock()).run((context) -> {
			context.getBean(MongoTemplate.class).save(new Order(0, "a"));
			assertThat(context.getBean(LockExtension.class).collections()).as("they are elsewhere").isEmpty();
		});
	}

	@ParameterizedTest
	@CsvSource({ "sequences.invoice.block, 0, must be at least 1", "sequences.invoice.start, -5, must be at least 1",
			"sequence-collection, locks, is the collection of the locks",
			"sequence-collection, ' ', must not be blank" })
	void wrongSettingsAreRefusedByName(String property, String value, String reason) {
		this.runner.withPropertyValues("mongo-lock." + property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (ex) -> {
					assertThat(ex.getName()).isEqualTo("mongo-lock." + property);
					assertThat(ex.getReason()).contains(reason);
				}));
	}

	@Test
	void theyAreTakenOutsideOfTheTransactionOfTheirDatabase() {
		this.runner.run((context) -> {
			TransactionTemplate transaction = new TransactionTemplate(
					new MongoTransactionManager(context.getBean(MongoDatabaseFactory.class)));
			transaction.executeWithoutResult((status) -> {
				status.setRollbackOnly();
				assertThat(context.getBean(Sequences.class).next("invoice")).isEqualTo(1);
			});
			assertThat(this.commands.last()).doesNotContainKeys("autocommit", "startTransaction")
				.containsKey("writeConcern");
			assertThat(context.getBean(Sequences.class).next("invoice")).isEqualTo(2);
		});
	}

	@Test
	void switchedOffLocksLeaveNumbersOn() {
		this.runner.withPropertyValues("mongo-lock.enabled=false").run((context) -> {
			assertThat(context.getBean(Sequences.class).next("invoice")).isEqualTo(1);
			assertThat(context.getBean(MongoTemplate.class).save(new Order(0, "a")).number()).isEqualTo(1);
		});
	}

	@Test
	void theUsersOwnWin() {
		this.runner.withBean("mine", Sequences.class, () -> new FixedSequences(7))
			.run((context) -> assertThat(context.getBean(MongoTemplate.class).save(new Order(0, "a")).number())
				.isEqualTo(7));
	}

	@Test
	void withoutSpringDataThereAreNone() {
		this.bare.withClassLoader(new FilteredClassLoader(MongoTemplate.class))
			.withPropertyValues("mongo-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockOperations.class)
				.doesNotHaveBean(Sequences.class));
	}

	@Test
	void anIdThatIsUnsetIsFilledBeforeTheDocumentIsConverted() {
		this.runner.run(withTemplate((template) -> {
			Invoice first = template.save(new Invoice());
			Invoice second = template.insert(new Invoice());
			assertThat(first.id).isEqualTo(1L);
			assertThat(second.id).isEqualTo(2L);
			assertThat(template.findById(1L, Document.class, "invoice")).containsEntry("_id", 1L);
			Invoice mine = new Invoice();
			mine.id = 77L;
			assertThat(template.save(mine).id).isEqualTo(77L);
			assertThat(template.save(first).id).as("saved again").isEqualTo(1L);
			assertThat(template.count(new Query(), Invoice.class)).isEqualTo(3);
		}));
	}

	@Test
	void aSequenceThatIsBehindTheDataReplacesNothing() {
		this.runner.run(withTemplate((template) -> {
			template.insert(new Document("_id", 1L).append("text", "imported"), "invoice");
			template.insert(new Document("_id", 1L).append("text", "imported"), "unversioned");
			assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> template.save(new Invoice()));
			assertThatIllegalStateException().isThrownBy(() -> template.save(new Unversioned(0, "new")))
				.withMessageContaining("Unversioned.id (long), which is the id, needs an entity with a version");
			assertThat(template.findById(1L, Document.class, "invoice")).containsEntry("text", "imported");
			assertThat(template.findById(1L, Document.class, "unversioned")).containsEntry("text", "imported");
		}));
	}

	@Test
	void fieldsOfRecordsAndImmutableDocumentsAreFilledInWhatSaveReturns() {
		this.runner.run(withTemplate((template) -> {
			assertThat(template.save(new Order(0, "a")).number()).isEqualTo(1);
			assertThat(template.insertAll(List.of(new Order(0, "b"), new Order(9, "c"), new Order(0, "d"))))
				.extracting(Order::number)
				.containsExactly(2L, 9L, 3L);
			Ticket ticket = template.save(new Ticket(null, 0));
			assertThat(ticket.id).isNotNull();
			assertThat(ticket.number).isEqualTo(1);
			Versioned versioned = template.save(new Versioned(null, null));
			assertThat(versioned).isEqualTo(new Versioned(1, 0L));
			assertThat(template.save(versioned)).isEqualTo(new Versioned(1, 1L));
		}));
	}

	@Test
	void documentsWithoutNumbersAreLeftAlone() {
		this.runner.withBean("mine", Sequences.class, () -> {
			throw new IllegalStateException("not needed");
		}, (definition) -> definition.setLazyInit(true)).run(withTemplate((template) -> {
			template.save(new Plain("a"));
			template.save(new Document("_id", "b"), "plain");
			assertThat(template.getCollection("plain").countDocuments()).isEqualTo(2);
		}));
	}

	@Test
	void aNumberThatDoesNotFitIsAnErrorAndNothingIsSaved() {
		this.runner.withBean("mine", Sequences.class, () -> new FixedSequences(1L + Integer.MAX_VALUE))
			.run(withTemplate((template) -> {
				assertThatExceptionOfType(DataIntegrityViolationException.class)
					.isThrownBy(() -> template.save(new Ticket(null, 0)))
					.withMessageContaining("Number 2147483648 of sequence 'ticket' does not fit into Ticket.number");
				assertThat(template.getCollection("ticket").countDocuments()).isZero();
			}));
	}

	@Test
	void aFieldThatCannotBeFilledIsRefusedAtTheFirstSaveAndAtTheStartIfItIsKnownThen() {
		this.runner.run(withTemplate(
				(template) -> assertThatIllegalStateException().isThrownBy(() -> template.save(new Wrong("a", null)))
					.withMessageContaining("@Sequence cannot fill Wrong.number (String)")));
		MongoMappingContext mapping = new MongoMappingContext();
		mapping.getPersistentEntity(Wrong.class);
		this.runner.withBean(MongoMappingContext.class, () -> mapping)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("@Sequence cannot fill Wrong.number (String)"));
	}

	@Test
	void aTemplateOfTheUsersOwnIsCalledBackToo() {
		this.runner.withUserConfiguration(OwnTemplateConfiguration.class).run((context) -> {
			assertThat(context).hasSingleBean(MongoTemplate.class).hasBean("mongoLockSequenceCallback");
			assertThat(context.getBean(MongoTemplate.class).save(new Order(0, "a")).number()).isEqualTo(1);
		});
	}

	private static ContextConsumer<AssertableApplicationContext> withTemplate(Consumer<MongoTemplate> test) {
		return (context) -> test.accept(context.getBean(MongoTemplate.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnTemplateConfiguration {

		@Bean
		MongoTemplate mine(MongoDatabaseFactory factory) {
			return new MongoTemplate(factory);
		}

	}

	static class Invoice {

		@Id
		@Sequence("invoice")
		@Nullable Long id;

		@Version
		@Nullable Long version;

	}

	record Unversioned(@Id @Sequence("unversioned") long id, String text) {

	}

	record Order(@Sequence("order") long number, @Id String id) {

	}

	record Versioned(@Id @Sequence("versioned") @Nullable Integer id, @Version @Nullable Long version) {

	}

	static final class Ticket {

		@Id
		final @Nullable String id;

		@Sequence("ticket")
		final int number;

		Ticket(@Nullable String id, int number) {
			this.id = id;
			this.number = number;
		}

		Ticket withId(String id) {
			return new Ticket(id, this.number);
		}

		Ticket withNumber(int number) {
			return new Ticket(this.id, number);
		}

	}

	record Plain(@Id String id) {

	}

	record Wrong(@Id String id, @Sequence("wrong") @Nullable String number) {

	}

	private record FixedSequences(long number) implements Sequences {

		@Override
		public long next(String name) {
			return this.number;
		}

		@Override
		public SequenceRange next(String name, int count) {
			return new SequenceRange(this.number, this.number + count - 1);
		}

		@Override
		public void raiseTo(String name, long number) {
		}

	}

	private static final class SentCommands implements CommandListener {

		private final List<BsonDocument> commands = new CopyOnWriteArrayList<>();

		@Override
		public void commandStarted(CommandStartedEvent event) {
			if (event.getCommandName().equals("findAndModify")) {
				this.commands.add(event.getCommand().clone());
			}
		}

		private BsonDocument last() {
			return this.commands.get(this.commands.size() - 1);
		}

	}

}
