package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoCommandException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoDatabase;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockStoreException;

/**
 * Where locks are kept: a collection, and whatever server answers for it. Thread-safe.
 */
public final class LockLocation {

	private final MongoOperations template;

	private final String collection;

	/**
	 * Create a new location.
	 * @param template a template that never joins a session or transaction of the caller
	 * @param collection the name of the collection
	 */
	public LockLocation(MongoOperations template, String collection) {
		this.template = template;
		this.collection = collection;
	}

	/**
	 * The collection with its database. Asks no server.
	 * @return such as {@code shop.locks}
	 */
	public String namespace() {
		return this.template.<String>execute(MongoDatabase::getName) + "." + this.collection;
	}

	/**
	 * Ask the primary, or whatever stands for it, what it is.
	 * @param timeout how long that may take
	 * @return such as {@code MongoDB 8.0.4, replica set rs0, db1:27017}; less where the
	 * server keeps that to itself
	 * @throws LockStoreException if no server answers
	 */
	public String askServer(Duration timeout) {
		try {
			return Objects.requireNonNull(this.template.<String>execute(
					(database) -> describe(database.withTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS))));
		}
		catch (RuntimeException ex) {
			throw StoreFailures.explain(StoreRequest.read("ask MongoDB for its version", "", timeout), this.collection,
					ex);
		}
	}

	private static String describe(MongoDatabase database) {
		Document build = answer(database, "buildInfo");
		Document hello = answer(database, "hello");
		String version = build.getString("version");
		return "MongoDB" + ((version != null) ? " " + version : "") + topology(hello);
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

	private static Document answer(MongoDatabase database, String command) {
		try {
			return database.runCommand(new Document(command, 1), ReadPreference.primary());
		}
		catch (MongoCommandException ex) {
			// An answer, too: one that keeps to itself what it was asked
			return new Document();
		}
	}

}
