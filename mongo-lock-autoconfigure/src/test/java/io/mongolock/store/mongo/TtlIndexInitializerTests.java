package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoCommandException;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
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
import org.mockito.ArgumentMatchers;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;

/**
 * Tests for {@link TtlIndexInitializer}.
 */
@ExtendWith(OutputCaptureExtension.class)
class TtlIndexInitializerTests {

	private static final String CREATE = "db.getCollection(\"locks\").createIndex({touchedAt: 1}, {expireAfterSeconds: 604800})";

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
	void anIndexThatRemovesNothingIsReportedWithTheCommandsThatReplaceIt(CapturedOutput output) {
		locks().createIndex(new Document("touchedAt", 1));
		initialize(TtlIndexInitializer.Mode.CREATE);
		assertThat(output).containsOnlyOnce("WARN")
			.contains("never removes anything")
			.contains("db.getCollection(\"locks\").dropIndex(\"touchedAt_1\"); " + CREATE);
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
		MongoOperations template = mock();
		given(template.execute(anyString(), ArgumentMatchers.<CollectionCallback<Object>>any()))
			.willThrow(new MongoCommandException(
					BsonDocument.parse("{ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'not authorized on db'}"),
					new ServerAddress()));
		new TtlIndexInitializer(template, "locks", mode, Duration.ofDays(7)).initialize();
		assertThat(output).containsOnlyOnce("WARN").contains("not authorized on db").contains(CREATE);
	}

	@Test
	void aServerThatIsNotThereIsReportedSoon(CapturedOutput output) {
		try (MongoClient nobody = MongoClients.create("mongodb://127.0.0.1:1")) {
			long start = System.nanoTime();
			new TtlIndexInitializer(TestTemplates.template(nobody), "locks", TtlIndexInitializer.Mode.CREATE,
					Duration.ofDays(7))
				.initialize();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
		}
		assertThat(output).containsOnlyOnce("MongoDB has not answered: ")
			.contains(": 127.0.0.1:1 UNKNOWN (ConnectException: Connection refused)")
			.contains("The TTL index on 'touchedAt' of the lock collection 'locks' is looked at again then")
			.doesNotContain("cluster state", "Locks work without it", "mongosh");
	}

	@Test
	void noneDoesNotEvenLook() {
		MongoOperations template = mock();
		new TtlIndexInitializer(template, "locks", TtlIndexInitializer.Mode.NONE, Duration.ofDays(7)).initialize();
		verifyNoInteractions(template);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT0.999S", "PT-1S", "PT2147483648S" })
	void aRetentionThatNoIndexCanHaveIsRefused(Duration retention) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new TtlIndexInitializer(mock(), "locks", TtlIndexInitializer.Mode.CREATE, retention))
			.withMessageContaining(retention.toString())
			.withMessageContaining("between 1 and 2147483647 seconds");
	}

	@Test
	void aNameWithQuotesStaysOneArgument(CapturedOutput output) {
		new TtlIndexInitializer(TestTemplates.template(client), "lo\"cks\\", TtlIndexInitializer.Mode.VALIDATE,
				Duration.ofDays(7))
			.initialize();
		assertThat(output).contains("db.getCollection(\"lo\\\"cks\\\\\").createIndex");
	}

	private static void initialize(TtlIndexInitializer.Mode mode) {
		new TtlIndexInitializer(TestTemplates.template(client), "locks", mode, Duration.ofDays(7)).initialize();
	}

	private static MongoCollection<Document> locks() {
		return client.getDatabase(TestTemplates.DATABASE).getCollection("locks");
	}

	private static List<Document> indexes() {
		return locks().listIndexes().into(new ArrayList<>());
	}

}
