package io.mongolock.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The way of an uncontended call down to the server, class by class, so that nothing gets
 * between unnoticed. What else takes part on the way has returned at that time.
 */
class UncontendedCallTests {

	private final StackLog stacks = new StackLog();

	private EmbeddedMongo server;

	private MongoClient client;

	private LockTemplate template;

	@BeforeEach
	void start() {
		this.server = EmbeddedMongo.start();
		this.client = MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(this.server.connectionString()))
			.addCommandListener(this.stacks)
			.build());
		MongoLockStore store = new MongoLockStore(
				new MongoTemplate(new SimpleMongoClientDatabaseFactory(this.client, "walk")), "locks", "");
		this.template = new LockTemplate(store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));
	}

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(5));
		this.client.close();
		this.server.close();
	}

	@Test
	void theClaimIsSentByTheCallersThreadThroughThreeClassesOfTheClient() {
		this.template.<Void, RuntimeException>execute(LockRequest.of("k"), (handle) -> null);
		assertThat(this.stacks.of("claim")).containsExactly("LockTemplate", "BlockingDriver", "ClaimSender",
				"MongoLockStore", "ClaimCommand", "PrimaryCollection", "RepeatedCommand");
	}

	@Test
	void theReleaseIsSentByTheCallersThreadThroughFiveClassesOfTheClient() {
		this.template.<Void, RuntimeException>execute(LockRequest.of("k"), (handle) -> null);
		assertThat(this.stacks.of("release")).containsExactly("LockTemplate", "LeaseHandle", "HoldRegistry",
				"LockReleaser", "ReleaseSender", "MongoLockStore", "ReleaseCommand", "PrimaryCollection",
				"RepeatedCommand");
	}

	/**
	 * Which classes of ours each command was sent through, the caller's first.
	 */
	private static final class StackLog implements CommandListener {

		private final Map<String, List<String>> byCommand = new ConcurrentHashMap<>();

		@Override
		public void commandStarted(CommandStartedEvent event) {
			List<String> names = StackWalker.getInstance()
				.walk((frames) -> frames.map((frame) -> frame.getClassName().split("\\$")[0])
					.filter((name) -> name.startsWith("io.mongolock.")
							&& !name.equals(UncontendedCallTests.class.getName()))
					.map((name) -> name.substring(name.lastIndexOf('.') + 1))
					.toList());
			// The stack has the innermost first
			List<String> inOrder = new ArrayList<>(names);
			Collections.reverse(inOrder);
			String command = event.getCommand().containsKey("upsert") ? "claim" : "release";
			this.byCommand.put(command, List.copyOf(new LinkedHashSet<>(inOrder)));
		}

		private List<String> of(String command) {
			return this.byCommand.getOrDefault(command, List.of());
		}

	}

}
