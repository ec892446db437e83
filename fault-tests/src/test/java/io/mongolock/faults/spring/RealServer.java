package io.mongolock.faults.spring;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.junit.jupiter.api.Assumptions;

/**
 * The server that {@code MONGO_LOCK_TEST_URI} names.
 */
final class RealServer {

	private static final String VARIABLE = "MONGO_LOCK_TEST_URI";

	private RealServer() {
	}

	/**
	 * Its connection string; skips the test if there is none.
	 * @param what what it has to be, for the message
	 * @return the connection string
	 */
	static String uri(String what) {
		String given = System.getProperty(VARIABLE, System.getenv(VARIABLE));
		Assumptions.assumeTrue(given != null && !given.isBlank(), "needs " + what + ": set " + VARIABLE);
		return given;
	}

	/**
	 * The connection string of a replica set; skips the test if there is none.
	 * @return the connection string
	 */
	static String replicaSet() {
		String uri = uri("a replica set");
		try (MongoClient client = MongoClients.create(uri)) {
			Document hello = client.getDatabase("admin").runCommand(new Document("hello", 1));
			Assumptions.assumeTrue(hello.containsKey("setName"), "needs a replica set: " + VARIABLE + " names none");
		}
		return uri;
	}

}
