package io.mongolock.store.mongo;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import org.bson.BsonDocument;

/**
 * The commands that a client sends.
 */
public final class CommandLog implements CommandListener {

	private final List<BsonDocument> commands = new CopyOnWriteArrayList<>();

	public MongoClient connect(String connectionString) {
		return MongoClients.create(TestTemplates.settings(connectionString).addCommandListener(this).build());
	}

	@Override
	public void commandStarted(CommandStartedEvent event) {
		if (!event.getCommandName().equals("endSessions")) {
			this.commands.add(event.getCommand().clone());
		}
	}

	public void clear() {
		this.commands.clear();
	}

	public List<BsonDocument> all() {
		return this.commands;
	}

	public BsonDocument only() {
		if (this.commands.size() != 1) {
			throw new AssertionError("Not one command but " + this.commands);
		}
		return this.commands.get(0);
	}

}
