package io.mongolock.test.embedded;

import java.util.function.Supplier;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;

/**
 * The server that a suite runs on: the one of {@code MONGO_LOCK_TEST_URI} (environment
 * variable or system property), otherwise an embedded one.
 *
 * @param client a client of it
 * @param embedded the embedded server, {@code null} if it is another
 */
record ServerUnderTest(MongoClient client, EmbeddedMongo embedded) implements AutoCloseable {

	static ServerUnderTest start(Supplier<EmbeddedMongo> fallback) {
		String uri = System.getProperty("MONGO_LOCK_TEST_URI", System.getenv("MONGO_LOCK_TEST_URI"));
		if (uri != null && !uri.isBlank()) {
			return new ServerUnderTest(MongoClients.create(uri), null);
		}
		EmbeddedMongo embedded = fallback.get();
		return new ServerUnderTest(MongoClients.create(embedded.connectionString()), embedded);
	}

	boolean isEmbedded() {
		return this.embedded != null;
	}

	boolean isReplicaSet() {
		return hello().containsKey("setName");
	}

	long now() {
		return hello().getDate("localTime").getTime();
	}

	private Document hello() {
		return this.client.getDatabase("admin").runCommand(new Document("hello", 1));
	}

	String description() {
		String version = this.client.getDatabase("admin").runCommand(new Document("buildInfo", 1)).getString("version");
		return (isEmbedded() ? "the embedded server as " : "a real server, ") + version + ", "
				+ (isReplicaSet() ? "replica set" : "standalone");
	}

	@Override
	public void close() {
		this.client.close();
		if (this.embedded != null) {
			this.embedded.close();
		}
	}

}
