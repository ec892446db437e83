package io.mongolock.faults.spring;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.junit.jupiter.api.Assumptions;

/**
 * The replica set that the environment names, for what needs a real one.
 */
final class ReplicaSet {

	private static final String NAME = "MONGO_LOCK_TEST_URI";

	private ReplicaSet() {
	}

	/**
	 * Where it is; ends the test, not run, if there is none.
	 * @return its connection string
	 */
	static String uri() {
		String uri = System.getProperty(NAME, System.getenv(NAME));
		Assumptions.assumeTrue(uri != null && isReplicaSet(uri),
				"needs a replica set: set " + NAME + "=mongodb://…/?replicaSet=…");
		return uri;
	}

	private static boolean isReplicaSet(String uri) {
		try (MongoClient client = MongoClients.create(uri)) {
			return client.getDatabase("admin").runCommand(new Document("hello", 1)).containsKey("setName");
		}
	}

}
