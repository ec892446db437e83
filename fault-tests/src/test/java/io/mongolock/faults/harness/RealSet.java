package io.mongolock.faults.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoSocketException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.connection.ClusterConnectionMode;
import org.bson.Document;
import org.opentest4j.TestAbortedException;

import io.mongolock.LockClock;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * The replica set that the environment names, and its clients in this JVM. What it can do
 * only with {@code enableTestCommands=1} aborts the test without. Not thread-safe.
 */
public final class RealSet implements AutoCloseable {

	private static final String HALT = "stopReplProducer";

	private static final Document NO_FAILURES = new Document("configureFailPoint", "failCommand").append("mode", "off");

	private static final int COMMAND_NOT_FOUND = 59;

	private final ConnectionString uri = new ConnectionString(RealServer.namedReplicaSet());

	private final List<HarnessClient> clients = new ArrayList<>();

	private final List<MongoClient> halted = new ArrayList<>();

	private final MongoClient admin = MongoClients.create(this.uri);

	private final MongoLockStore store = HarnessClient.store(this.admin);

	private boolean failing;

	// With a connection open, and set to a write concern by the application
	public HarnessClient client(Duration ttl, Duration wait, WriteConcern concern) {
		MongoClient mongo = connect((settings) -> settings.writeConcern(concern));
		HarnessClient client = HarnessClient.of(mongo, HarnessClient.settings(ttl, wait), LockClock.system());
		this.clients.add(client);
		return client.warm();
	}

	public MongoLockStore store() {
		return this.store;
	}

	public String label() {
		return RealServer.label(this.admin);
	}

	private Document run(Document command) {
		return run(this.admin, command);
	}

	// The next claims fail as the data say
	public void failClaims(int times, Document data) {
		requireTestCommands();
		run(new Document("configureFailPoint", "failCommand").append("mode", new Document("times", times))
			.append("data", new Document(data).append("failCommands", List.of("findAndModify"))));
	}

	// That which makes nothing fail may be asked for at any time
	private void requireTestCommands() {
		try {
			run(NO_FAILURES);
			this.failing = true;
		}
		catch (MongoCommandException ex) {
			if (ex.getErrorCode() != COMMAND_NOT_FOUND) {
				throw ex;
			}
			throw new TestAbortedException("needs a replica set with enableTestCommands=1: " + ex.getErrorMessage());
		}
	}

	// Whether or not the others have caught up
	public void stepDown() {
		try {
			run(new Document("replSetStepDown", 10).append("force", true));
		}
		catch (MongoSocketException ex) {
			// the server may close the connection instead of an answer
		}
	}

	// No member copies what the primary writes, so no write is confirmed by the majority
	public void haltReplication() {
		requireTestCommands();
		Document hello = run(new Document("hello", 1));
		List<String> secondaries = Stream.of("hosts", "passives")
			.flatMap((kind) -> hello.getList(kind, String.class, List.of()).stream())
			.filter((host) -> !host.equals(hello.getString("primary")))
			.toList();
		if (secondaries.isEmpty()) {
			throw new TestAbortedException("needs a replica set of several members");
		}
		for (String host : secondaries) {
			MongoClient secondary = connect((settings) -> settings.applyToClusterSettings(
					(cluster) -> cluster.hosts(List.of(new ServerAddress(host))).mode(ClusterConnectionMode.SINGLE)));
			this.halted.add(secondary);
			Document before = run(secondary, halt("alwaysOn"));
			// what the member fetches at this moment it may still write
			run(secondary,
					new Document("waitForFailPoint", HALT)
						.append("timesEntered", before.get("count", Number.class).longValue() + 1)
						.append("maxTimeMS", Harness.LONG.toMillis()));
		}
	}

	public void resumeReplication() {
		this.halted.forEach((secondary) -> run(secondary, halt("off")));
		this.halted.forEach(MongoClient::close);
		this.halted.clear();
	}

	@Override
	public void close() {
		resumeReplication();
		if (this.failing) {
			run(NO_FAILURES);
		}
		this.clients.forEach(HarnessClient::close);
		this.admin.close();
	}

	private MongoClient connect(Consumer<MongoClientSettings.Builder> settings) {
		MongoClientSettings.Builder builder = MongoClientSettings.builder().applyConnectionString(this.uri);
		settings.accept(builder);
		return MongoClients.create(builder.build());
	}

	private static Document halt(String mode) {
		return new Document("configureFailPoint", HALT).append("mode", mode);
	}

	private static Document run(MongoClient member, Document command) {
		return member.getDatabase("admin").runCommand(command);
	}

}
