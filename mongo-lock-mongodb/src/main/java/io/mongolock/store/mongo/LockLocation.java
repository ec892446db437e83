package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.mongodb.MongoCommandException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoDatabase;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockStoreException;

/**
 * The place where locks are kept: a collection and the server that answers for it.
 * Thread-safe.
 */
public final class LockLocation {

	private static final Log logger = LogFactory.getLog(LockLocation.class);

	/** The endings of addresses of services that call themselves MongoDB. */
	private static final Map<String, String> SERVICES = Map.of(".docdb.amazonaws.com", "Amazon DocumentDB",
			".cosmos.azure.com", "Azure Cosmos DB");

	private final PrimaryCollection locks;

	/**
	 * Create a new location in the database that the template has now.
	 * @param template a template that never joins a session or transaction of the caller
	 */
	public LockLocation(MongoOperations template, String collection) {
		this.locks = new PrimaryCollection(template, collection);
	}

	/**
	 * The collection with its database. Asks no server.
	 */
	public String namespace() {
		return this.locks.namespace();
	}

	/**
	 * Ask the primary, or the server in its place, what it is.
	 * @param timeout how long that may take
	 * @return for example {@code MongoDB 8.0.4, replica set rs0, db1:27017}; less if the
	 * server does not tell
	 * @throws LockStoreException if no server answers
	 */
	public String askServer(Duration timeout) {
		return this.locks.execute(StoreRequest.read("ask MongoDB for its version", "", timeout),
				() -> describe(this.locks.within(timeout.toMillis())));
	}

	/**
	 * Send the statements of locks in a form that changes nothing.
	 * @param timeout how long a request may take
	 * @return the server that does not execute one of them, and its message; empty if it
	 * executes all, or does not tell
	 * @throws LockStoreException if no server answers
	 */
	public Optional<String> refusedStatement(Duration timeout) {
		try {
			new StatementCheck(this.locks).send(timeout.toMillis());
		}
		catch (RuntimeException ex) {
			if (StoreFailures.isBeyondServer(ex)) {
				return Optional.of("The server (" + nameOrNothing(timeout)
						+ ") does not execute the statements of distributed locks: "
						+ DriverMessage.of(StoreFailures.nativeFailure(ex)));
			}
			unknown(ex, "try the statements of locks", timeout);
		}
		return Optional.empty();
	}

	private String nameOrNothing(Duration timeout) {
		try {
			return askServer(timeout);
		}
		catch (LockStoreException ex) {
			return "whose name is unknown: " + ex.getMessage();
		}
	}

	/**
	 * Look whether the collection compares ids by a collation.
	 * @param timeout how long that may take
	 * @return the collation, in words for a message; empty if there is none, or if the
	 * server does not tell
	 * @throws LockStoreException if no server answers
	 */
	public Optional<String> collation(Duration timeout) {
		try {
			for (BsonDocument index : TtlIndexInitializer.indexes(this.locks.within(timeout.toMillis()),
					this.locks.name())) {
				String collation = TtlIndexInitializer.collation(index);
				if (collation != null) {
					return Optional.of(collation);
				}
			}
			return Optional.empty();
		}
		catch (RuntimeException ex) {
			unknown(ex, "look for a collation", timeout);
			return Optional.empty();
		}
	}

	/**
	 * Look whether the collection has a fixed size, so that new documents push out old
	 * ones. This needs only the right to read the collection, and reads nothing.
	 * @param timeout how long that may take
	 * @return {@code false} also if there is no collection, or if the server does not
	 * tell
	 * @throws LockStoreException if no server answers
	 */
	public boolean isCapped(Duration timeout) {
		// Only a capped collection supports tailable cursors, which scan it as a whole
		// even for one id
		BsonDocument tailing = new BsonDocument("find", new BsonString(this.locks.name()))
			.append("filter", new BsonDocument("_id", new BsonString("")))
			.append("tailable", BsonBoolean.TRUE);
		BsonDocument question = new BsonDocument("explain", tailing).append("verbosity",
				new BsonString("queryPlanner"));
		try {
			return this.locks.run(question, timeout.toMillis())
				.getDocument("queryPlanner", new BsonDocument())
				.toJson()
				.contains("\"COLLSCAN\"");
		}
		catch (RuntimeException ex) {
			unknown(ex, "look whether a collection is capped", timeout);
			return false;
		}
	}

	private void unknown(RuntimeException ex, String what, Duration timeout) {
		if (!StoreFailures.isAnswered(ex) && !StoreFailures.isShutOut(ex)) {
			throw StoreFailures.explain(StoreRequest.read(what, "", timeout), this.locks.name(), ex);
		}
		logger.debug("The server refused to " + what, ex);
	}

	/**
	 * Look whether the user of the connection has the privileges that locks need, before
	 * a claim fails without them.
	 * @param timeout how long that may take
	 * @return the missing privileges and the commands that grant them, for the log; empty
	 * if none is missing, or if the server does not tell
	 * @throws LockStoreException if no server answers
	 */
	public Optional<String> missingPrivileges(TtlIndexInitializer.Mode index, Notifications notifications,
			Duration timeout) {
		return this.locks.execute(StoreRequest.read("ask MongoDB for privileges", "", timeout),
				() -> missing(this.locks.within(timeout.toMillis()), index, notifications));
	}

	private Optional<String> missing(MongoDatabase database, TtlIndexInitializer.Mode index,
			Notifications notifications) {
		Document status = answer(database, new Document("connectionStatus", 1).append("showPrivileges", true));
		Privileges privileges = Privileges.of(status, database.getName(), this.locks.name()).orElse(null);
		if (privileges == null) {
			return Optional.empty();
		}
		List<String> needed = new ArrayList<>(List.of("find", "insert", "update"));
		if (index != TtlIndexInitializer.Mode.NONE) {
			needed.add("listIndexes");
		}
		boolean mayStream = privileges.granted().contains("changeStream");
		if (notifications != Notifications.OFF && (mayStream || isReplicaSet(database))) {
			needed.add("changeStream");
		}
		if (privileges.granted().containsAll(needed)) {
			return Optional.empty();
		}
		if (index == TtlIndexInitializer.Mode.CREATE) {
			// Not reported alone: either the index exists already, or the initializer
			// reports the missing privilege
			needed.add("createIndex");
		}
		List<String> missing = new ArrayList<>(needed);
		missing.removeAll(privileges.granted());
		return Optional.of("The user '" + privileges.user() + "' lacks the rights " + String.join(", ", missing)
				+ " on " + namespace() + ". Run in mongosh: " + privileges.grant(needed));
	}

	private static boolean isReplicaSet(MongoDatabase database) {
		return answer(database, new Document("hello", 1)).containsKey("setName");
	}

	private static String describe(MongoDatabase database) {
		Document build = answer(database, new Document("buildInfo", 1));
		Document hello = answer(database, new Document("hello", 1));
		String version = build.getString("version");
		String product = product(build, hello);
		return ((product.isEmpty()) ? "" : product + ", which calls itself ") + "MongoDB"
				+ ((version != null) ? " " + version : "") + topology(hello);
	}

	private static String product(Document build, Document hello) {
		if (build.get("ferretdbVersion") instanceof String version) {
			return "FerretDB " + version;
		}
		if (build.get("ferretdb") instanceof Document ferret) {
			return "FerretDB " + ferret.get("version");
		}
		String address = String.valueOf(hello.get("me")).replaceFirst(":\\d+$", "");
		for (Map.Entry<String, String> service : SERVICES.entrySet()) {
			if (address.endsWith(service.getKey())) {
				return service.getValue();
			}
		}
		return "";
	}

	private static String topology(Document hello) {
		if (hello.isEmpty()) {
			return "";
		}
		String set = hello.getString("setName");
		if (set != null) {
			return ", replica set " + set + address(hello.getString("me"));
		}
		return ("isdbgrid".equals(hello.getString("msg"))) ? ", sharded" : ", standalone";
	}

	private static String address(@Nullable String me) {
		return (me != null) ? ", " + me : "";
	}

	private static Document answer(MongoDatabase database, Document command) {
		try {
			return database.runCommand(command, ReadPreference.primary());
		}
		catch (MongoCommandException ex) {
			// The server refuses the question, which is an answer, too
			return new Document();
		}
	}

}
