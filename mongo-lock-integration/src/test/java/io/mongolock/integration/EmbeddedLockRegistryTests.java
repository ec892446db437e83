package io.mongolock.integration;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import io.mongolock.store.LockStore;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TestTemplates;
import io.mongolock.test.embedded.EmbeddedMongo;

/**
 * Tests for {@link MongoLockRegistry} on the embedded server.
 */
class EmbeddedLockRegistryTests extends AbstractLockRegistryContractTests {

	private static EmbeddedMongo server;

	private static MongoClient client;

	@BeforeAll
	static void start() {
		server = EmbeddedMongo.builder().start();
		client = MongoClients.create(server.connectionString());
	}

	@AfterAll
	static void end() {
		client.close();
		server.close();
	}

	@AfterEach
	void drop() {
		client.getDatabase(TestTemplates.DATABASE).getCollection("registry").drop();
	}

	@Override
	LockStore store() {
		return new MongoLockStore(TestTemplates.template(client), "registry", "");
	}

}
