package io.mongolock.integration;

import java.util.Optional;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import org.jspecify.annotations.Nullable;

import io.mongolock.store.LockStore;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TestTemplates;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.server.SuiteServer;

/**
 * A store on the server of the suites, or else on an embedded one of its own, that
 * instances share.
 */
final class SuiteStore implements AutoCloseable {

	private static final String COLLECTION = "instances";

	private final @Nullable EmbeddedMongo embedded;

	private final String uri;

	private final MongoClient client;

	SuiteStore() {
		Optional<String> given = SuiteServer.get().uri();
		this.embedded = (given.isEmpty()) ? EmbeddedMongo.builder().replicaSet().start() : null;
		this.uri = given.or(() -> Optional.ofNullable(this.embedded).map(EmbeddedMongo::connectionString))
			.orElseThrow();
		this.client = MongoClients.create(this.uri);
	}

	String uri() {
		return this.uri;
	}

	MongoDatabase database(String name) {
		return this.client.getDatabase(name);
	}

	LockStore store() {
		return new MongoLockStore(TestTemplates.template(this.client), COLLECTION, "");
	}

	@Override
	public void close() {
		this.client.getDatabase(TestTemplates.DATABASE).getCollection(COLLECTION).drop();
		this.client.close();
		if (this.embedded != null) {
			this.embedded.close();
		}
	}

}
