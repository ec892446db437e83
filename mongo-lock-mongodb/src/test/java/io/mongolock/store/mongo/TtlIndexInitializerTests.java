package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoNotPrimaryException;
import com.mongodb.MongoSecurityException;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.IndexOptions;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Answers;
import org.mockito.ArgumentMatchers;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.DbCallback;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link TtlIndexInitializer}.
 */
@ExtendWith(OutputCaptureExtension.class)
class TtlIndexInitializerTests {

	private static final String CREATE = "db.getCollection(\"locks\").createIndex({touchedAt: 1}, {expireAfterSeconds: 604800})";

	private static final Duration HOUR = Duration.ofHours(1);

	private static EmbeddedMongo server;

	private static MongoClient client;

	@BeforeAll
	static void start() {
		server = EmbeddedMongo.start();
		client = MongoClients.create(server.connectionString());
	}

	@AfterAll
	static void stop() {
		client.close();
		server.close();
	}

	@AfterEach
	void drop() {
		locks().drop();
	}

	@Test
	void theIndexIsCreated(CapturedOutput output) {
		initialize(TtlIndexInitializer.Mode.CREATE);
		assertThat(indexes()).anySatisfy((index) -> {
			assertThat(index.get("key")).isEqualTo(new Document("touchedAt", 1));
			assertThat(((Number) index.get("expireAfterSeconds")).longValue()).isEqualTo(604_800);
		});
		assertThat(output).doesNotContain("WARN");
	}

	@ParameterizedTest
	@EnumSource(value = TtlIndexInitializer.Mode.class, mode = Mode.EXCLUDE, names = "NONE")
	void theSameIndexIsLeftAlone(TtlIndexInitializer.Mode mode, CapturedOutput output) {
		locks().createIndex(new Document("touchedAt", 1),
				new IndexOptions().name("mine").expireAfter(604_800L, TimeUnit.SECONDS));
		initialize(mode);
		assertThat(indexes()).hasSize(2);
		assertThat(output).doesNotContain("WARN");
	}

	@ParameterizedTest
	@EnumSource(value = TtlIndexInitializer.Mode.class, mode = Mode.EXCLUDE, names = "NONE")
	void anotherRetentionIsReportedOnceWithTheCommandThatChangesIt(TtlIndexInitializer.Mode mode,
			CapturedOutput output) {
		locks().createIndex(new Document("touchedAt", 1),
				new IndexOptions().name("mine").expireAfter(60L, TimeUnit.SECONDS));
		initialize(mode);
		assertThat(output).containsOnlyOnce("WARN")
			.contains("exists as 'mine' with expireAfterSeconds 60 instead of 604800")
			.contains("db.runCommand({collMod: \"locks\", index: {name: \"mine\", expireAfterSeconds: 604800}})");
	}

	@Test
	void anIndexThatRemovesSoonerThanSetIsNoDangerAsLongAsLeasesEndBefore(CapturedOutput output) {
		locks().createIndex(new Document("touchedAt", 1), new IndexOptions().expireAfter(7200L, TimeUnit.SECONDS));
		initialize(TtlIndexInitializer.Mode.CREATE);
		assertThat(output).containsOnlyOnce("WARN")
			.contains("Locks work, but documents of unused keys are removed sooner than set")
			.contains("Set mongo-lock.ttl-index.retention to the same value in all applications")
			.doesNotContain("Locks work without this index", "urgent");
	}

	@Test
	void anIndexThatRemovesLaterThanSetKeepsDocumentsOfUnusedKeys(CapturedOutput output) {
		locks().createIndex(new Document("touchedAt", 1), new IndexOptions().expireAfter(700_000L, TimeUnit.SECONDS));
		initialize(TtlIndexInitializer.Mode.CREATE);
		assertThat(output).containsOnlyOnce("WARN")
			.contains("Locks work, but documents of unused keys stay longer than set")
			.contains("Set mongo-lock.ttl-index.retention to the same value in all applications")
			.doesNotContain("Locks work without this index", "urgent");
	}

	@Test
	void anIndexThatRemovesWhatIsHeldIsUrgent(CapturedOutput output) {
		locks().createIndex(new Document("touchedAt", 1), new IndexOptions().expireAfter(7199L, TimeUnit.SECONDS));
		initialize(TtlIndexInitializer.Mode.CREATE);
		assertThat(output).containsOnlyOnce("WARN")
			.contains("with expireAfterSeconds 7199 instead of 604800. This is urgent: "
					+ "MongoDB may delete locks while they are held")
			.contains("expireAfterSeconds must be at least 7200, which is twice the longest ttl or min-hold")
			.contains("db.runCommand({collMod: \"locks\", index: {name: \"touchedAt_1\", expireAfterSeconds: 604800}})")
			.contains("mongo-lock.ttl-index.retention to the same value")
			.doesNotContain("Locks work");
	}

	@Test
	void anIndexOfSomeDocumentsThatRemovesWhatIsHeldIsUrgentAsWell(CapturedOutput output) {
		locks().createIndex(new Document("touchedAt", 1),
				new IndexOptions().sparse(true).expireAfter(60L, TimeUnit.SECONDS));
		initialize(TtlIndexInitializer.Mode.CREATE);
		assertThat(output).containsOnlyOnce("WARN")
			.contains("has the option sparse. This is urgent: MongoDB may delete locks while they are held")
			.contains("db.getCollection(\"locks\").dropIndex(\"touchedAt_1\"); " + CREATE);
	}

	@Test
	void aLongerLeaseThatIsDeclaredLaterMakesTheSameIndexUrgent(CapturedOutput output) {
		locks().createIndex(new Document("touchedAt", 1), new IndexOptions().expireAfter(7200L, TimeUnit.SECONDS));
		AtomicReference<Duration> longest = new AtomicReference<>(Duration.ofSeconds(30));
		TtlIndexInitializer index = new TtlIndexInitializer(TestTemplates.template(client), "locks",
				TtlIndexInitializer.Mode.CREATE, Duration.ofDays(7), longest::get);
		index.initialize();
		assertThat(output).doesNotContain("urgent");
		longest.set(Duration.ofHours(2));
		index.initialize();
		index.initialize();
		assertThat(output).containsOnlyOnce("This is urgent").contains("must be at least 14400");
	}

	@Test
	void anIndexThatRemovesNothingIsReportedWithTheCommandsThatReplaceIt(CapturedOutput output) {
		locks().createIndex(new Document("touchedAt", 1));
		initialize(TtlIndexInitializer.Mode.CREATE);
		assertThat(output).containsOnlyOnce("WARN")
			.contains("removes no documents, because it has no expireAfterSeconds")
			.contains("db.getCollection(\"locks\").dropIndex(\"touchedAt_1\"); " + CREATE);
	}

	@Test
	void anotherIndexThatRemovesWhatIsHeldIsReportedOnceUntilItIsDropped(CapturedOutput output) {
		locks().createIndex(new Document("touchedAt", -1), new IndexOptions().expireAfter(60L, TimeUnit.SECONDS));
		locks().createIndex(new Document("holders.renewedAt", 1),
				new IndexOptions().expireAfter(700_000L, TimeUnit.SECONDS));
		TtlIndexInitializer index = new TtlIndexInitializer(TestTemplates.template(client), "locks",
				TtlIndexInitializer.Mode.CREATE, Duration.ofDays(7), () -> Duration.ofSeconds(30 * 60));
		index.initialize();
		index.initialize();
		assertThat(output)
			.containsOnlyOnce(
					"The TTL index on {\"touchedAt\": -1} of the lock collection 'locks' does not belong to this "
							+ "library. This is urgent: MongoDB may delete locks while they are held. Run in mongosh: "
							+ "db.getCollection(\"locks\").dropIndex(\"touchedAt_-1\")")
			.containsOnlyOnce("dropIndex(\"holders.renewedAt_1\")");
		locks().dropIndex("holders.renewedAt_1");
		index.initialize();
		assertThat(output).containsOnlyOnce("dropIndex(\"touchedAt_-1\")");
	}

	@Test
	void anotherIndexThatRemovesNothingThatIsHeldIsLeftAlone(CapturedOutput output) {
		locks().createIndex(new Document("touchedAt", -1), new IndexOptions().expireAfter(7200L, TimeUnit.SECONDS));
		locks().createIndex(new Document("fence", 1));
		initialize(TtlIndexInitializer.Mode.CREATE);
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void anIndexOnMoreFieldsIsAnother(CapturedOutput output) {
		locks().createIndex(new Document("touchedAt", 1).append("fence", 1));
		initialize(TtlIndexInitializer.Mode.VALIDATE);
		assertThat(output).containsOnlyOnce("WARN").contains("is missing");
	}

	@Test
	void aMissingIndexIsReportedButNotCreatedWhenValidating(CapturedOutput output) {
		initialize(TtlIndexInitializer.Mode.VALIDATE);
		assertThat(indexes()).hasSizeLessThan(2);
		assertThat(output).containsOnlyOnce("WARN").contains("is missing").contains(CREATE);
	}

	@ParameterizedTest
	@EnumSource(value = TtlIndexInitializer.Mode.class, mode = Mode.EXCLUDE, names = "NONE")
	void missingRightsAreReportedAndNotThrown(TtlIndexInitializer.Mode mode, CapturedOutput output) {
		failing(mode, command("{ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'not authorized on db'}"))
			.initialize();
		assertThat(output).containsOnlyOnce("WARN").contains("not authorized on db").contains(CREATE);
	}

	@Test
	void credentialsThatAreRefusedConcernAllLocks(CapturedOutput output) {
		TtlIndexInitializer index = failing(new MongoSecurityException(null, "Exception authenticating",
				command("{ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.'}")));
		assertThat(index.initialize()).as("no account is to be locked by many tries").isTrue();
		index.initialize();
		assertThat(output).containsOnlyOnce("WARN")
			.contains("MongoDB refuses this application: ", "the password",
					"No lock is granted until MongoDB accepts this application")
			.doesNotContain("Locks work", "has not answered", "mongosh");
	}

	@Test
	void anErrorThatIsNoRefusalIsAnAnswer(CapturedOutput output) {
		assertThat(failing(
				command("{ok: 0, code: 86, codeName: 'IndexKeySpecsConflict', errmsg: 'existing index has the name'}"))
			.initialize()).isTrue();
		assertThat(output).containsOnlyOnce("WARN")
			.contains("existing index has the name", "Locks work without this index", CREATE)
			.doesNotContain("has not answered");
	}

	@Test
	void aServerThatEndsHasNotAnswered(CapturedOutput output) {
		assertThat(failing(new MongoNotPrimaryException(
				BsonDocument.parse("{ok: 0, code: 10107, codeName: 'NotWritablePrimary', errmsg: 'not primary'}"),
				new ServerAddress()))
			.initialize()).isFalse();
		assertThat(output).containsOnlyOnce("WARN").contains("MongoDB has not answered: ", "not primary");
	}

	private static MongoCommandException command(String answer) {
		return new MongoCommandException(BsonDocument.parse(answer), new ServerAddress());
	}

	private static TtlIndexInitializer failing(RuntimeException failure) {
		return failing(TtlIndexInitializer.Mode.CREATE, failure);
	}

	private static TtlIndexInitializer failing(TtlIndexInitializer.Mode mode, RuntimeException failure) {
		MongoDatabase database = mock(Answers.RETURNS_SELF);
		given(database.runCommand(any(), any(ReadPreference.class), eq(BsonDocument.class))).willThrow(failure);
		return new TtlIndexInitializer(template(database), "locks", mode, Duration.ofDays(7), () -> HOUR);
	}

	private static MongoOperations template(MongoDatabase database) {
		MongoOperations template = mock();
		given(template.execute(ArgumentMatchers.<DbCallback<MongoDatabase>>any())).willReturn(database);
		MongoCollection<BsonDocument> collection = mock();
		given(template.execute(eq("locks"), ArgumentMatchers.<CollectionCallback<MongoCollection<BsonDocument>>>any()))
			.willReturn(collection);
		return template;
	}

	@Test
	void aServerThatIsNotThereIsReportedSoon(CapturedOutput output) {
		try (MongoClient nobody = MongoClients.create("mongodb://127.0.0.1:1")) {
			long start = System.nanoTime();
			new TtlIndexInitializer(TestTemplates.template(nobody), "locks", TtlIndexInitializer.Mode.CREATE,
					Duration.ofDays(7), () -> HOUR)
				.initialize();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(25));
		}
		assertThat(output).containsOnlyOnce("MongoDB has not answered: ")
			.contains(": 127.0.0.1:1 UNKNOWN (ConnectException: Connection refused)")
			.contains("until MongoDB answers. The TTL index on 'touchedAt' of the lock collection 'locks' is checked "
					+ "again then")
			.doesNotContain("cluster state", "Locks work without this index", "mongosh");
	}

	@Test
	void noneDoesNotEvenLook() {
		MongoDatabase database = mock();
		new TtlIndexInitializer(template(database), "locks", TtlIndexInitializer.Mode.NONE, Duration.ofDays(7),
				() -> HOUR)
			.initialize();
		then(database).shouldHaveNoInteractions();
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT0.999S", "PT-1S", "PT2147483648S" })
	void aRetentionThatNoIndexCanHaveIsRefused(Duration retention) {
		assertThatIllegalArgumentException().isThrownBy(
				() -> new TtlIndexInitializer(mock(), "locks", TtlIndexInitializer.Mode.CREATE, retention, () -> HOUR))
			.withMessageContaining(retention.toString())
			.withMessageContaining("between 1 and 2147483647 seconds");
	}

	@Test
	void aNameWithQuotesStaysOneArgument(CapturedOutput output) {
		new TtlIndexInitializer(TestTemplates.template(client), "lo\"cks\\", TtlIndexInitializer.Mode.VALIDATE,
				Duration.ofDays(7), () -> HOUR)
			.initialize();
		assertThat(output).contains("db.getCollection(\"lo\\\"cks\\\\\").createIndex");
	}

	private static void initialize(TtlIndexInitializer.Mode mode) {
		new TtlIndexInitializer(TestTemplates.template(client), "locks", mode, Duration.ofDays(7), () -> HOUR)
			.initialize();
	}

	private static MongoCollection<Document> locks() {
		return client.getDatabase(TestTemplates.DATABASE).getCollection("locks");
	}

	private static List<Document> indexes() {
		return locks().listIndexes().into(new ArrayList<>());
	}

}
