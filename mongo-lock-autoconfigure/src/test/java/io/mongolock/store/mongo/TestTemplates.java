package io.mongolock.store.mongo;

import com.mongodb.client.MongoClient;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.SimpleMongoClientDatabaseFactory;

/**
 * Templates as the store wants them.
 */
public final class TestTemplates {

	public static final String DATABASE = "mongo_lock_test";

	private TestTemplates() {
	}

	public static MongoTemplate template(MongoClient client) {
		MongoTemplate template = new MongoTemplate(new SimpleMongoClientDatabaseFactory(client, DATABASE));
		template.setSessionSynchronization(SessionSynchronization.NEVER);
		return template;
	}

}
