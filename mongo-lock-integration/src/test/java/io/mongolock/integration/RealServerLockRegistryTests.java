package io.mongolock.integration;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import io.mongolock.store.LockStore;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.RealServerCondition;
import io.mongolock.store.mongo.TestTemplates;
import io.mongolock.test.server.SuiteServer;

/**
 * Tests for {@link MongoLockRegistry} on a real server.
 */
@Tag("real-server")
@ExtendWith(RealServerCondition.class)
class RealServerLockRegistryTests extends AbstractLockRegistryContractTests {

	private static MongoClient client;

	@BeforeAll
	static void start() {
		client = MongoClients.create(SuiteServer.get().uri().orElseThrow());
	}

	@AfterAll
	static void end() {
		client.close();
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
