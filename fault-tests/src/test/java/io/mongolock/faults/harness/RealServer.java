package io.mongolock.faults.harness;

import java.util.Optional;
import java.util.function.Predicate;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.opentest4j.TestAbortedException;

/**
 * The server that the environment names, for what needs a real one. A test that misses it
 * is aborted and says in one line what it needs.
 */
public final class RealServer {

	private static final String NAME = "MONGO_LOCK_TEST_URI";

	private RealServer() {
	}

	/**
	 * A server of any kind.
	 * @param need what the test needs, such as {@code a server with authentication}
	 * @return its connection string
	 */
	public static String uri(String need) {
		return given().orElseThrow(() -> new TestAbortedException("needs " + need + ": set " + NAME));
	}

	static Optional<String> given() {
		return Optional.ofNullable(System.getProperty(NAME, System.getenv(NAME)))
			.filter(Predicate.not(String::isBlank));
	}

	/**
	 * A replica set.
	 * @return its connection string
	 */
	public static String replicaSet() {
		String uri = uri("a replica set");
		if (!isReplicaSet(uri)) {
			throw new TestAbortedException("needs a replica set: " + NAME + " names a standalone server");
		}
		return uri;
	}

	private static boolean isReplicaSet(String uri) {
		try (MongoClient client = MongoClients.create(uri)) {
			return client.getDatabase("admin").runCommand(new Document("hello", 1)).containsKey("setName");
		}
	}

}
