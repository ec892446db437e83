package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.StoreSubscription;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FollowedStream#releases} on a server of its own with authentication,
 * whose user is granted and revoked rights meanwhile.
 */
@Tag("real-server")
@Timeout(240)
@ExtendWith(OutputCaptureExtension.class)
class RealServerRefusedStreamTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final String REFUSED = "MongoDB refuses a change stream of the collection 'locks'";

	private static final String AGAIN = "MongoDB no longer refuses a change stream of the collection 'locks'";

	private final RecordingReleaseListener listener = new RecordingReleaseListener();

	@Test
	void aRightThatIsRevokedAndGrantedAgainIsNoticedEachTime(CapturedOutput output) {
		assumeThat(SuiteServer.get().binary()).as(SuiteServer.get().reason()).isPresent();
		try (RealMongo server = RealMongo.builder(SuiteServer.get().binary().orElseThrow())
			.replicaSet(1)
			.authentication()
			.start(); MongoClient admin = MongoClients.create(server.connectionString())) {
			MongoDatabase database = admin.getDatabase(TestTemplates.DATABASE);
			database.runCommand(new Document("createRole", "locker")
				.append("privileges", List.of(right("find"), right("insert"), right("update"), right("changeStream")))
				.append("roles", List.of()));
			database.runCommand(
					new Document("createUser", "locker").append("pwd", "secret").append("roles", List.of("locker")));
			String uri = server.connectionString().replaceFirst("//[^@]*@", "//locker:secret@") + "&authSource="
					+ TestTemplates.DATABASE;
			try (MongoClient client = TestTemplates.impatient(uri)) {
				MongoLockStore store = new MongoLockStore(TestTemplates.template(client), "locks", "");
				try (StoreSubscription watch = store.watchReleases(this.listener)) {
					await().atMost(TIMEOUT).until(watch::isLive);
					for (int times = 1; times <= 2; times++) {
						change(database, "revokePrivilegesFromRole");
						int count = times;
						await().atMost(TIMEOUT).until(() -> count(output, REFUSED) == count);
						assertThat(watch.isLive()).isFalse();
						change(database, "grantPrivilegesToRole");
						await().atMost(TIMEOUT).until(watch::isLive);
						assertThat(count(output, AGAIN)).isEqualTo(times);
						String key = "key" + times;
						Claim claim = Claims.on(key);
						store.acquire(claim, TIMEOUT);
						store.release(claim.id(), TIMEOUT);
						await().atMost(TIMEOUT).until(() -> this.listener.released().contains(key));
					}
				}
			}
		}
	}

	private static void change(MongoDatabase database, String command) {
		database.runCommand(new Document(command, "locker").append("privileges", List.of(right("changeStream"))));
	}

	private static Document right(String action) {
		return new Document("resource", new Document("db", TestTemplates.DATABASE).append("collection", "locks"))
			.append("actions", List.of(action));
	}

	private static int count(CapturedOutput output, String text) {
		return output.toString().split(text, -1).length - 1;
	}

}
