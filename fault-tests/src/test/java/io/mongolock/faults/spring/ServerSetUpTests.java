package io.mongolock.faults.spring;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.mongodb.ConnectionString;
import com.mongodb.MongoCredential;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import org.bson.BsonDocument;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.RealServer;
import io.mongolock.faults.harness.ScriptedServer;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Row 31: the TTL index is there with other options, or the user of the connection lacks
 * rights. The application starts all the same.
 */
@Timeout(120)
@ReadsOutput
class ServerSetUpTests {

	static final List<Arguments> indexes = List.of(
			Arguments.of("another retention", new IndexOptions().expireAfter(60L, TimeUnit.SECONDS),
					"db.runCommand({collMod: \"locks\", index: {name: \"touchedAt_1\", expireAfterSeconds: 604800}})"),
			Arguments.of("no retention", new IndexOptions().name("mine"),
					"db.getCollection(\"locks\").dropIndex(\"mine\"); "
							+ "db.getCollection(\"locks\").createIndex({touchedAt: 1}, {expireAfterSeconds: 604800})"));

	@ParameterizedTest(name = "{0}")
	@FieldSource("indexes")
	@ShowsRow(value = 31, level = Level.SPRING)
	void withAnotherTtlIndexTheRepairIsNamedAndLocksWork(String what, IndexOptions options, String command,
			CapturedOutput output, RowFigures figures) {
		Harness harness = Harness.onAnyServer();
		harness.documents().createIndex(Indexes.ascending("touchedAt"), options);
		try (SpringApp app = new SpringApp(harness, Guarded.class)) {
			assertThat(output).containsOnlyOnce(command).doesNotContain("\tat ");
			assertLocksWork(app.context(), app.other());
			figures.server(harness.label()).add("warnings", 1);
		}
	}

	@Test
	@ShowsRow(value = 31, level = Level.SPRING)
	void withoutTheRightToCreateIndexesLocksWork(RowFigures figures, CapturedOutput output) {
		try (Harness harness = Harness.embedded();
				ScriptedServer server = refusing(harness, "createIndexes");
				ConfigurableApplicationContext context = SpringApp.start(server.connectionString(), Guarded.class);
				OtherClient other = new OtherClient(harness.observer())) {
			assertThat(output).containsOnlyOnce("The TTL index on 'touchedAt'")
				.contains("not authorized")
				.contains("db.getCollection(\"locks\").createIndex({touchedAt: 1}, {expireAfterSeconds: 604800})")
				.doesNotContain("\tat ");
			assertLocksWork(context, other);
		}
		figures.server(ScriptedServer.SERVER).add("warnings", 1);
	}

	@Test
	@ShowsRow(value = 31, level = Level.SPRING)
	void aUserWhoMayOnlyReadIsToldAtTheFirstClaim(RowFigures figures) {
		try (Harness harness = Harness.embedded();
				ScriptedServer server = refusing(harness, "createIndexes", "findAndModify", "update");
				ConfigurableApplicationContext context = SpringApp.start(server.connectionString(), Guarded.class)) {
			Guarded guarded = context.getBean(Guarded.class);
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> guarded.run("a", Thread::yield))
				.withMessageContaining("the request was refused")
				.withMessageContaining("privileges find, insert and update on the collection 'locks'");
		}
		figures.server(ScriptedServer.SERVER);
	}

	/**
	 * Needs a server with authentication, and a user who may create users: one of its own
	 * if it can be started.
	 */
	@Test
	@Tag("real-server")
	@ShowsRow(value = 31, level = Level.SERVER)
	void theDocumentedRoleIsEnough(RowFigures figures, CapturedOutput output) {
		try (RealMongo own = ownServer()) {
			assertRoleIsEnough(
					(own != null) ? own.connectionString() : RealServer.named("a server with authentication"), figures);
		}
		// Properties of the tests themselves, which stand among those of the process
		assertThat(
				output.toString().lines().filter((line) -> !line.contains("Nothing reads the property 'mongo-lock.")))
			.noneMatch((line) -> line.contains("WARN"));
	}

	/**
	 * Needs a server as above.
	 */
	@Test
	@Tag("real-server")
	@ShowsRow(value = 31, level = Level.SERVER)
	void aRightThatIsMissingIsToldAtTheStartWithWhatGrantsIt(RowFigures figures, CapturedOutput output) {
		try (RealMongo own = ownServer()) {
			String uri = (own != null) ? own.connectionString() : RealServer.named("a server with authentication");
			try (MongoClient admin = MongoClients.create(uri)) {
				assumeAuthentication(admin);
				figures.server(RealServer.label(admin));
				String password = UUID.randomUUID().toString();
				MongoDatabase database = admin.getDatabase(Harness.DATABASE);
				createUser(database, password, List.of("find", "insert", "createIndex", "listIndexes"));
				try (ConfigurableApplicationContext context = SpringApp.start(uri, LeastPrivilege.class,
						"test.password=" + password)) {
					assertThat(context.isActive()).isTrue();
					await().atMost(Harness.LONG)
						.untilAsserted(
								() -> assertThat(output).containsOnlyOnce("The user 'locker' lacks the rights update, "
										+ "changeStream on " + Harness.DATABASE + "." + Harness.COLLECTION));
					assertThat(output).contains("grantRolesToUser(\"locker\", [{role: \"mongoLock_locker_"
							+ Harness.COLLECTION + "\", db: \"" + Harness.DATABASE + "\"}])");
				}
				finally {
					database.runCommand(new Document("dropUser", "locker"));
					database.runCommand(new Document("dropRole", "mongoLock"));
				}
			}
		}
	}

	/**
	 * Needs a server as above.
	 */
	@Test
	@Tag("real-server")
	@ShowsRow(value = 31, level = Level.SERVER)
	void aWrongPasswordIsNoTroubleOfTheIndex(RowFigures figures, CapturedOutput output) {
		try (RealMongo own = ownServer()) {
			String uri = (own != null) ? own.connectionString() : RealServer.named("a server with authentication");
			try (MongoClient admin = MongoClients.create(uri)) {
				assumeAuthentication(admin);
				figures.server(RealServer.label(admin));
			}
			String wrong = uri.replaceFirst("://([^:@/]+):[^@]+@", "://$1:wrong@");
			try (ConfigurableApplicationContext context = SpringApp.start(wrong, Guarded.class)) {
				assertThat(context.isActive()).isTrue();
				assertThat(output).containsOnlyOnce("MongoDB refuses this application: ")
					.contains("No lock is granted until MongoDB accepts this application")
					.doesNotContain("Locks work", "has not answered");
			}
		}
	}

	@Test
	@Tag("real-server")
	@ShowsRow(value = 31, level = Level.SERVER)
	void aStopLeavesNoCursorOnTheServer(RowFigures figures) {
		try (RealMongo own = ownServer()) {
			String uri = (own != null) ? own.connectionString() : RealServer.named("a server with authentication");
			try (MongoClient admin = MongoClients.create(uri)) {
				figures.server(RealServer.label(admin));
				long open = openCursors(admin);
				try (ConfigurableApplicationContext holder = SpringApp.start(uri, Guarded.class)) {
					LockHandle held = holder.getBean(LockOperations.class).acquire(LockRequest.of("stop"));
					try (ConfigurableApplicationContext context = SpringApp.start(uri, Guarded.class)) {
						context.getBean(LockOperations.class)
							.acquireAsync(LockRequest.builder("stop")
								.settings(LockSettings.builder().waitTimeout(Harness.LONG).build())
								.build());
						await().atMost(Harness.LONG).until(() -> openCursors(admin) > open);
					}
					assertThat(openCursors(admin)).isEqualTo(open);
					assertThat(held.isHeld()).isTrue();
				}
			}
		}
	}

	private static long openCursors(MongoClient admin) {
		Document open = admin.getDatabase("admin")
			.runCommand(new Document("serverStatus", 1))
			.get("metrics", Document.class)
			.get("cursor", Document.class)
			.get("open", Document.class);
		return ((Number) open.get("total")).longValue();
	}

	private static @Nullable RealMongo ownServer() {
		return SuiteServer.get()
			.binary()
			.map((binary) -> RealMongo.builder(binary).replicaSet(1).authentication().start())
			.orElse(null);
	}

	private static void assertRoleIsEnough(String uri, RowFigures figures) {
		try (MongoClient admin = MongoClients.create(uri)) {
			assumeAuthentication(admin);
			figures.server(RealServer.label(admin));
			String password = UUID.randomUUID().toString();
			MongoDatabase database = admin.getDatabase(Harness.DATABASE);
			createUser(database, password,
					List.of("find", "insert", "update", "createIndex", "listIndexes", "changeStream"));
			try (OtherClient other = new OtherClient(admin);
					ConfigurableApplicationContext context = SpringApp.start(uri, LeastPrivilege.class,
							"test.password=" + password)) {
				assertRenewedLockWorks(context.getBean(LockOperations.class), other);
			}
			finally {
				database.runCommand(new Document("dropUser", "locker"));
				database.runCommand(new Document("dropRole", "mongoLock"));
			}
		}
	}

	private static void assertLocksWork(ConfigurableApplicationContext context, OtherClient other) {
		String key = Guarded.key("a");
		context.getBean(Guarded.class).run("a", () -> assertThat(other.seesHeld(key)).isTrue());
		assertThat(other.seesHeld(key)).isFalse();
	}

	private static ScriptedServer refusing(Harness harness, String... commands) {
		BsonDocument refusal = BsonDocument.parse(
				"{ok: 0.0, code: 13, codeName: 'Unauthorized', errmsg: 'not authorized on test to execute command'}");
		ScriptedServer server = new ScriptedServer(harness.observer());
		server.script(
				(command, passedOn) -> (List.of(commands).contains(command.getFirstKey())) ? refusal : passedOn.get());
		return server;
	}

	private static void assumeAuthentication(MongoClient admin) {
		Document status = admin.getDatabase("admin").runCommand(new Document("connectionStatus", 1));
		Assumptions.assumeFalse(
				status.get("authInfo", Document.class).getList("authenticatedUsers", Document.class).isEmpty(),
				"needs a server with authentication: the URI has no user");
	}

	private static void createUser(MongoDatabase database, String password, List<String> actions) {
		Document resource = new Document("db", database.getName()).append("collection", Harness.COLLECTION);
		database.runCommand(new Document("createRole", "mongoLock")
			.append("privileges", List.of(new Document("resource", resource).append("actions", actions)))
			.append("roles", List.of()));
		database.runCommand(
				new Document("createUser", "locker").append("pwd", password).append("roles", List.of("mongoLock")));
	}

	private static void assertRenewedLockWorks(LockOperations locks, OtherClient other) {
		String key = UUID.randomUUID().toString();
		try (LockHandle handle = locks.acquire(LockRequest.of(key))) {
			handle.renew();
			assertThat(other.seesHeld(key)).isTrue();
		}
		assertThat(other.seesHeld(key)).isFalse();
	}

	static class LeastPrivilege {

		@Bean
		MongoClientSettingsBuilderCustomizer user(Environment environment) {
			char[] password = environment.getRequiredProperty("test.password").toCharArray();
			ConnectionString uri = new ConnectionString(environment.getRequiredProperty("spring.mongodb.uri"));
			return (settings) -> settings.applyConnectionString(uri)
				.credential(MongoCredential.createCredential("locker", Harness.DATABASE, password));
		}

	}

}
