package io.mongolock.test.server;

import java.util.concurrent.TimeUnit;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;

/**
 * A client that does not wait for half a second before it looks for a server that it has
 * lost.
 */
public final class ImpatientClient {

	private ImpatientClient() {
	}

	public static MongoClient of(String uri) {
		return MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(uri))
			.applyToServerSettings((server) -> server.minHeartbeatFrequency(10, TimeUnit.MILLISECONDS))
			.build());
	}

}
