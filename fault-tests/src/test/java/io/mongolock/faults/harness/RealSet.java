package io.mongolock.faults.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoSocketException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ClusterConnectionMode;
import org.awaitility.Awaitility;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;
import org.springframework.util.Assert;

import io.mongolock.LockClock;
import io.mongolock.LockSettings;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMember;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.SuiteServer;

/**
 * A real replica set and its clients in this JVM: one of three members that this JVM
 * starts once, or else the one that the environment names, whose members nobody kills,
 * freezes or cuts off. What a test did to it ends with the test. A test that needs more
 * than there is is aborted. Not thread-safe.
 */
public final class RealSet implements AutoCloseable {

	private static final String HALT = "stopReplProducer";

	private static final Document NO_FAILURES = new Document("configureFailPoint", "failCommand").append("mode", "off");

	private static final int COMMAND_NOT_FOUND = 59;

	private final @Nullable RealMongo own = SuiteServer.get().binary().map((binary) -> OfThisJvm.SET).orElse(null);

	private final ConnectionString uri = new ConnectionString(
			(this.own != null) ? this.own.connectionString() : RealServer.namedReplicaSet());

	private final List<HarnessClient> clients = new ArrayList<>();

	private final List<MongoClient> halted = new ArrayList<>();

	private final MongoClient admin = MongoClients.create(this.uri);

	private final MongoLockStore store = HarnessClient.store(this.admin);

	private boolean failing;

	public RealSet() {
		if (this.own != null) {
			database().drop();
		}
	}

	// With a connection open, and set to a write concern by the application
	public HarnessClient client(Duration ttl, Duration wait, WriteConcern concern) {
		return client(this.uri, ttl, wait, concern);
	}

	public HarnessClient client(LockSettings settings) {
		MongoClient mongo = connect(this.uri, (driver) -> driver.writeConcern(WriteConcern.MAJORITY));
		HarnessClient client = HarnessClient.of(mongo, settings, LockClock.system());
		this.clients.add(client);
		return client.warm();
	}

	public HarnessClient client(Duration ttl, Duration wait) {
		return client(ttl, wait, WriteConcern.MAJORITY);
	}

	public HarnessClient client(String option, WriteConcern concern) {
		return client(new ConnectionString(this.uri + "&" + option), Harness.LONG, Duration.ofSeconds(60), concern);
	}

	// On the side of one member, the primary, to which it stays whatever happens
	public HarnessClient clientOf(RealMember member, Duration ttl, Duration wait) {
		return client(new ConnectionString(members().connectionString(member)), ttl, wait, WriteConcern.MAJORITY);
	}

	private HarnessClient client(ConnectionString uri, Duration ttl, Duration wait, WriteConcern concern) {
		MongoClient mongo = connect(uri, (settings) -> settings.writeConcern(concern));
		HarnessClient client = HarnessClient.of(mongo, HarnessClient.settings(ttl, wait), LockClock.system());
		this.clients.add(client);
		return client.warm();
	}

	// Those that can be killed, frozen and cut off
	public RealMongo members() {
		if (this.own == null) {
			throw new TestAbortedException(
					"needs a replica set that the tests start themselves: set " + MongodBinary.NAME);
		}
		return this.own;
	}

	public MongoLockStore store() {
		return this.store;
	}

	// What the member itself has, confirmed or not
	public Optional<Document> seenBy(RealMember member, String id) {
		try (MongoClient client = MongoClients.create(members().connectionString(member))) {
			return Optional.ofNullable(client.getDatabase(Harness.DATABASE)
				.getCollection(Harness.COLLECTION)
				.find(new Document("_id", id))
				.first());
		}
	}

	// The numbers of all grants whose holders stand in the lock, as each member has it
	public List<List<Long>> holdersEverywhere(String key) {
		return members().members()
			.stream()
			.map((member) -> seenBy(member, key).orElseThrow()
				.getList("holders", Document.class)
				.stream()
				.map((holder) -> holder.getLong("fence"))
				.toList())
			.toList();
	}

	// Have the primary alone execute what is asked for, and leave it waiting for others
	// to confirm it
	public <T> CompletableFuture<T> executeUnconfirmed(Supplier<T> write, BooleanSupplier executed) {
		haltReplication();
		CompletableFuture<T> answer = Daemon.supply(write);
		Awaitility.await("execution on the primary").atMost(Harness.LONG).until(executed::getAsBoolean);
		Assert.state(!answer.isDone(), "Accepted while one member alone has it");
		return answer;
	}

	// The primary dies after that, and another is elected: what it alone had is rolled
	// back
	public void killUnconfirmed() {
		RealMember old = members().primary();
		old.kill();
		resumeReplication();
		members().primaryOtherThan(old);
	}

	public MongoDatabase database() {
		return this.admin.getDatabase(Harness.DATABASE);
	}

	// Outside all faults
	public MongoClient observer() {
		return this.admin;
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
			// The server may close the connection instead of an answer
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
			MongoClient secondary = connect(this.uri, (settings) -> settings.applyToClusterSettings(
					(cluster) -> cluster.hosts(List.of(new ServerAddress(host))).mode(ClusterConnectionMode.SINGLE)));
			this.halted.add(secondary);
			Document before = run(secondary, halt("alwaysOn"));
			// What the member fetches at this moment it may still write
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
		if (this.own != null) {
			this.own.heal();
		}
		resumeReplication();
		if (this.failing) {
			run(NO_FAILURES);
		}
		this.clients.forEach(HarnessClient::close);
		this.admin.close();
	}

	private static MongoClient connect(ConnectionString uri, Consumer<MongoClientSettings.Builder> settings) {
		MongoClientSettings.Builder builder = MongoClientSettings.builder().applyConnectionString(uri);
		settings.accept(builder);
		return MongoClients.create(builder.build());
	}

	private static Document halt(String mode) {
		return new Document("configureFailPoint", HALT).append("mode", mode);
	}

	private static Document run(MongoClient member, Document command) {
		return member.getDatabase("admin").runCommand(command);
	}

	/**
	 * To start three members takes seconds; they end with this JVM.
	 */
	private static final class OfThisJvm {

		private static final RealMongo SET = RealMongo.builder(SuiteServer.get().binary().orElseThrow())
			.replicaSet(3)
			.separable()
			.testCommands()
			.start();

	}

}
