package io.mongolock.documents;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;

/**
 * Tests on a database of their own, on whatever server a subclass says.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class AbstractMongoTests {

	private MongoClient client;

	abstract String uri();

	@BeforeAll
	void connect() {
		this.client = MongoClients.create(uri());
	}

	@AfterAll
	void disconnect() {
		this.client.close();
	}

	@AfterEach
	void drop() {
		template().getDb().drop();
	}

	static GenericApplicationContext context() {
		GenericApplicationContext context = new GenericApplicationContext();
		context.refresh();
		return context;
	}

	MongoTemplate template() {
		return new MongoTemplate(new SimpleMongoClientDatabaseFactory(this.client, "mongo_lock_data_test"));
	}

}
