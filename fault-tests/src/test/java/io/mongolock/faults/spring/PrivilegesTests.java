package io.mongolock.faults.spring;

import java.util.List;
import java.util.UUID;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCredential;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import org.bson.Document;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.RealServer;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The role that the documentation gives is enough: needs a server with authentication,
 * and a user who may create users.
 */
@Tag("real-server")
@ReadsOutput
class PrivilegesTests {

	@Test
	@ShowsRow(value = 31, level = Level.SERVER)
	void theDocumentedRoleIsEnough(RowFigures figures, CapturedOutput output) {
		String uri = RealServer.named("a server with authentication");
		try (MongoClient admin = MongoClients.create(uri)) {
			assumeAuthentication(admin);
			figures.server(RealServer.label(admin));
			String password = UUID.randomUUID().toString();
			MongoDatabase database = admin.getDatabase(OtherClient.DATABASE);
			createUser(database, password);
			try {
				locksWork(uri, password);
			}
			finally {
				database.runCommand(new Document("dropUser", "locker"));
				database.runCommand(new Document("dropRole", "mongoLock"));
			}
		}
		assertThat(output).doesNotContain("WARN");
	}

	private static void assumeAuthentication(MongoClient admin) {
		Document status = admin.getDatabase("admin").runCommand(new Document("connectionStatus", 1));
		Assumptions.assumeFalse(
				status.get("authInfo", Document.class).getList("authenticatedUsers", Document.class).isEmpty(),
				"needs a server with authentication: the URI has no user");
	}

	private static void createUser(MongoDatabase database, String password) {
		Document resource = new Document("db", database.getName()).append("collection", OtherClient.COLLECTION);
		List<String> actions = List.of("find", "insert", "update", "createIndex", "listIndexes", "changeStream");
		database.runCommand(new Document("createRole", "mongoLock")
			.append("privileges", List.of(new Document("resource", resource).append("actions", actions)))
			.append("roles", List.of()));
		database.runCommand(
				new Document("createUser", "locker").append("pwd", password).append("roles", List.of("mongoLock")));
	}

	private static void locksWork(String uri, String password) {
		String key = UUID.randomUUID().toString();
		try (OtherClient other = new OtherClient(uri);
				ConfigurableApplicationContext context = SpringApp.start(uri, LeastPrivilege.class,
						"test.password=" + password)) {
			try (LockHandle handle = context.getBean(LockOperations.class).acquire(LockRequest.of(key))) {
				handle.renew();
				assertThat(other.seesHeld(key)).isTrue();
			}
			assertThat(other.seesHeld(key)).isFalse();
		}
	}

	static class LeastPrivilege {

		@Bean
		MongoClientSettingsBuilderCustomizer user(Environment environment) {
			String database = environment.getRequiredProperty("spring.mongodb.database");
			char[] password = environment.getRequiredProperty("test.password").toCharArray();
			ConnectionString uri = new ConnectionString(environment.getRequiredProperty("spring.mongodb.uri"));
			return (MongoClientSettings.Builder settings) -> settings.applyConnectionString(uri)
				.credential(MongoCredential.createCredential("locker", database, password));
		}

	}

}
