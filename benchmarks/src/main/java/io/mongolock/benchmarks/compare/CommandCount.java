package io.mongolock.benchmarks.compare;

import java.util.concurrent.atomic.LongAdder;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;

/**
 * Counts the commands of a client, without those that only wait for events.
 */
final class CommandCount implements CommandListener {

	static final String DATABASE = "benchmark";

	private final LongAdder commands = new LongAdder();

	MongoClient connect(String uri) {
		return MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(uri))
			.applyToConnectionPoolSettings((pool) -> pool.maxSize(200))
			.addCommandListener(this)
			.build());
	}

	long get() {
		return this.commands.sum();
	}

	@Override
	public void commandStarted(CommandStartedEvent event) {
		if (!event.getCommandName().equals("getMore")) {
			this.commands.increment();
		}
	}

}
