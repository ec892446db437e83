package io.mongolock.store.mongo;

import java.util.concurrent.TimeUnit;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
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

	public static MongoClient impatient(String uri) {
		return MongoClients.create(settings(uri).build());
	}

	/**
	 * Settings of a client that does not wait for half a second before it looks for a
	 * server that it has lost.
	 */
	static MongoClientSettings.Builder settings(String uri) {
		return MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(uri))
			.applyToServerSettings((server) -> server.minHeartbeatFrequency(10, TimeUnit.MILLISECONDS));
	}

	public static MongoTemplate template(MongoClient client) {
		MongoTemplate template = new MongoTemplate(new SimpleMongoClientDatabaseFactory(client, DATABASE));
		template.setSessionSynchronization(SessionSynchronization.NEVER);
		return template;
	}

}
