package io.mongolock.faults.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockSettings;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.embedded.UpsertRace;
import io.mongolock.test.proxy.CommandSelection;
import io.mongolock.test.proxy.FaultProxy;
import io.mongolock.test.proxy.Hold;

/**
 * A server, a proxy before it, and clients of either in this JVM. Not thread-safe.
 */
public final class Harness implements AutoCloseable {

	public static final String DATABASE = "rows";

	public static final String COLLECTION = "locks";

	public static final String KEY = "order:1";

	/** Far more than anything takes on a machine that is not busy. */
	public static final Duration LONG = Duration.ofSeconds(30);

	private final List<HarnessClient> clients = new ArrayList<>();

	private final @Nullable Own own;

	private final Target target;

	private final FaultProxy proxy;

	private final MongoClient observer;

	private final MongoLockStore store;

	private Harness(@Nullable Own own, Target target) {
		this.own = own;
		this.target = target;
		this.proxy = FaultProxy.to(target.host(), target.port());
		this.observer = MongoClients.create(target.connectionString());
		this.store = HarnessClient.store(this.observer);
		this.observer.getDatabase(DATABASE).drop();
	}

	// On the real server of the tests, emptied; without one, on an embedded one
	public static Harness onAnyServer() {
		return Target.given().map((target) -> new Harness(null, target)).orElseGet(Harness::embedded);
	}

	// On an embedded server, whose clock the test moves, and whose answers to commands
	// that are sent twice do not depend on the driver's own retries
	public static Harness embedded() {
		return embedded(UpsertRace.RETRY);
	}

	public static Harness embedded(UpsertRace upsertRace) {
		StepClock clock = new StepClock();
		EmbeddedMongo server = EmbeddedMongo.builder().clock(clock).upsertRace(upsertRace).start();
		return new Harness(new Own(server, clock, server::close), Target.embedded(server.port()));
	}

	// On a real server of its own, whose clock the test moves
	public static Harness onRealClock() {
		return on(SteppedServer.standalone());
	}

	// On the primary of a real set of its own, whose clock the test moves
	public static Harness onClockOfPrimary() {
		return on(SteppedServer.primary());
	}

	private static Harness on(SteppedServer server) {
		return new Harness(new Own(null, new StepClock(server::offBy), server::close),
				Target.of(server.connectionString()));
	}

	// A client that faults befall, with a connection open
	public HarnessClient behindProxy(Duration ttl, Duration wait) {
		return behindProxy(HarnessClient.settings(ttl, wait));
	}

	public HarnessClient behindProxy(LockSettings settings) {
		return client(proxied(), settings, LockClock.system()).warm();
	}

	// A client without faults, with a connection open
	public HarnessClient direct(Duration ttl) {
		return direct(HarnessClient.settings(ttl, LONG));
	}

	public HarnessClient direct(LockSettings settings) {
		return client(this.target.connectionString(), settings, LockClock.system()).warm();
	}

	public HarnessClient client(String connectionString, LockSettings settings, LockClock clock) {
		HarnessClient client = HarnessClient.of(MongoClients.create(connectionString), settings, clock);
		this.clients.add(client);
		return client;
	}

	public FaultProxy proxy() {
		return this.proxy;
	}

	public CommandSelection claims() {
		return this.proxy.on("findAndModify").when((command) -> !isRelease(command));
	}

	public CommandSelection renewals() {
		return this.proxy.on("update").when((command) -> updates(command, "$currentDate"));
	}

	public CommandSelection releases() {
		return this.proxy.onAny().when(Harness::isRelease);
	}

	// The connection string for clients that faults befall
	public String proxied() {
		return this.target.through(this.proxy);
	}

	// What figures are measured on
	public String label() {
		return this.target.label();
	}

	// The embedded server, if that is what it is on
	public EmbeddedMongo server() {
		return Objects.requireNonNull(Objects.requireNonNull(this.own).embedded());
	}

	public StepClock clock() {
		return Objects.requireNonNull(this.own).clock();
	}

	// The server without faults
	public MongoClient observer() {
		return this.observer;
	}

	public MongoLockStore store() {
		return this.store;
	}

	public MongoCollection<Document> documents() {
		return this.observer.getDatabase(DATABASE).getCollection(COLLECTION);
	}

	public Optional<Document> document() {
		return Optional.ofNullable(documents().find(new Document("_id", KEY)).first());
	}

	public Optional<StoredLock> stored() {
		return this.store.find(KEY, LONG);
	}

	// All that stand in the document, those included whose lease ran out: an entry that
	// is gone was taken out by a request
	public List<StoredHolder> holders() {
		return stored().map(StoredLock::holders).orElse(List.of());
	}

	public void awaitFree() {
		Awaitility.await().atMost(LONG).until(() -> holders().isEmpty());
	}

	// Waits for further replies to a command
	public void awaitMoreReplies(String command, int more) {
		this.proxy.awaitReplies(command, this.proxy.replies(command) + more, LONG);
	}

	// Lets a request go that was held, and waits until it is answered
	public void deliver(Hold hold, String command) {
		int before = this.proxy.replies(command);
		hold.release();
		this.proxy.awaitReplies(command, before + 1, LONG);
	}

	// "reply lost": the next such command is executed; "request lost": it is not
	public void lose(String what, String command) {
		CommandSelection next = this.proxy.on(command);
		((what.equals("reply lost")) ? next.cutBeforeReply() : next.cut()).once();
	}

	public static String millis(long nanos) {
		return nanos / 1_000_000 + " ms";
	}

	@Override
	public void close() {
		// First, because what is held would keep its client from ending
		this.proxy.close();
		this.clients.forEach(HarnessClient::close);
		this.observer.close();
		if (this.own != null) {
			this.own.end().run();
		}
	}

	private static boolean isRelease(BsonDocument command) {
		return (command.containsKey("updates")) ? updates(command, "$pull")
				: command.get("update") instanceof BsonDocument update && update.containsKey("$pull");
	}

	private static boolean updates(BsonDocument command, String operator) {
		return command.getArray("updates")
			.stream()
			.map(BsonValue::asDocument)
			.allMatch((update) -> update.get("u").asDocument().containsKey(operator));
	}

	// A server that ends with this
	private record Own(@Nullable EmbeddedMongo embedded, StepClock clock, Runnable end) {

	}

}
