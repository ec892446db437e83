package io.mongolock.faults.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.DeleteManyModel;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.WriteModel;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * A member of a {@link ScriptedSet}. It owns its documents, its clock and its view of the
 * set, of which it tells every client that asks; what becomes of a write is for the set
 * to say. Thread-safe.
 */
public final class SetMember implements AutoCloseable {

	private static final Set<String> WRITES = Set.of("findAndModify", "update", "insert", "delete", "createIndexes");

	private static final ReplaceOptions UPSERT = new ReplaceOptions().upsert(true);

	private final StepClock clock = new StepClock();

	private final EmbeddedMongo store = EmbeddedMongo.builder().clock(this.clock).start();

	private final MongoClient observer = MongoClients.create(this.store.connectionString());

	private final ScriptedServer door = new ScriptedServer(this.observer);

	private final ScriptedSet set;

	private volatile View view = new View(0, null);

	public SetMember(ScriptedSet set) {
		this.set = set;
		this.door.script(this::answer);
	}

	// For clients that see this member and no other
	public String connectionString() {
		return this.door.connectionString() + "&" + ScriptedSet.POLL;
	}

	public String address() {
		return this.door.address();
	}

	public StepClock clock() {
		return this.clock;
	}

	// As it stands here, no matter who leads
	public Optional<StoredLock> stored() {
		return HarnessClient.store(this.observer).find(Harness.KEY, Harness.LONG);
	}

	public BsonDocument document(String id) {
		return Objects.requireNonNull(documents().find(Filters.eq(id)).first());
	}

	// All that stand in the document here, those included whose lease ran out
	public List<StoredHolder> holders() {
		return stored().map(StoredLock::holders).orElse(List.of());
	}

	public View view() {
		return this.view;
	}

	public void believe(View view) {
		this.view = view;
	}

	public boolean isPrimary() {
		return this.view.leader() == this;
	}

	// What was written here alone is rolled back
	public void takeOver(SetMember other) {
		List<BsonDocument> documents = other.documents().find().into(new ArrayList<>());
		List<BsonValue> ids = documents.stream().map((document) -> document.get("_id")).toList();
		// One by one, so that nobody who looks here misses what both have
		List<WriteModel<BsonDocument>> changes = new ArrayList<>();
		changes.add(new DeleteManyModel<>(Filters.nin("_id", ids)));
		for (BsonDocument document : documents) {
			changes.add(new ReplaceOneModel<>(Filters.eq(document.get("_id")), document, UPSERT));
		}
		documents().bulkWrite(changes);
	}

	public void kill() {
		this.door.shut();
	}

	public void restart() {
		this.door.open();
	}

	@Override
	public void close() {
		this.door.close();
		this.observer.close();
		this.store.close();
	}

	private MongoCollection<BsonDocument> documents() {
		return this.observer.getDatabase(Harness.DATABASE).getCollection(Harness.COLLECTION, BsonDocument.class);
	}

	private BsonDocument answer(BsonDocument command, Supplier<BsonDocument> execution) {
		if (ScriptedServer.isHello(command)) {
			return hello(execution.get());
		}
		if (WRITES.contains(command.getFirstKey())) {
			return this.set.write(this, command, execution);
		}
		boolean served = isPrimary() || command.getString("$db").getValue().equals("admin");
		return (served) ? execution.get() : notPrimary(command);
	}

	private BsonDocument hello(BsonDocument ofAny) {
		View now = this.view;
		BsonBoolean primary = BsonBoolean.valueOf(now.leader() == this);
		BsonDocument hello = ofAny.append("isWritablePrimary", primary)
			.append("ismaster", primary)
			.append("secondary", BsonBoolean.valueOf(now.leader() != this))
			.append("hosts", new BsonArray(this.set.addresses().stream().map(BsonString::new).toList()))
			.append("setVersion", new BsonInt32(1))
			.append("localTime", new BsonDateTime(this.clock.currentTimeMillis()));
		hello.remove("primary");
		if (now.leader() != null) {
			hello.append("primary", new BsonString(now.leader().address()));
		}
		return (primary.getValue()) ? hello.append("electionId", new BsonObjectId(now.electionId())) : hello;
	}

	// Nothing is executed here
	static BsonDocument notPrimary(BsonDocument command) {
		return retryable(command,
				BsonDocument.parse("{ ok: 0.0, code: 10107, codeName: 'NotWritablePrimary', errmsg: 'not primary' }"));
	}

	// The write is executed, and time ran out before it was confirmed
	static BsonDocument timedOut(BsonDocument answer) {
		return answer.append("writeConcernError",
				BsonDocument.parse("{ code: 50, errmsg: 'operation exceeded time limit' }"));
	}

	// The write is executed, and may be rolled back
	static BsonDocument steppedDown(BsonDocument command, BsonDocument answer) {
		return retryable(command, answer.append("writeConcernError",
				BsonDocument.parse("{ code: 189, errmsg: 'Primary stepped down while waiting for replication' }")));
	}

	private static BsonDocument retryable(BsonDocument command, BsonDocument answer) {
		// Only a client that numbers its writes gets that answer
		return (command.containsKey("txnNumber"))
				? answer.append("errorLabels", new BsonArray(List.of(new BsonString("RetryableWriteError")))) : answer;
	}

	/**
	 * What a member believes of its set: the number of the last election that it heard
	 * of, and who is the primary, if it knows one.
	 */
	public record View(long term, @Nullable SetMember leader) {

		ObjectId electionId() {
			return new ObjectId("7fffffff%016x".formatted(this.term));
		}

	}

}
