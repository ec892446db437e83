package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.List;

import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerException;
import org.jspecify.annotations.Nullable;

/**
 * The commands {@code insert}, {@code update} and {@code findAndModify} of one database.
 */
final class WriteCommands {

	private final EmbeddedDatabase database;

	private final ServerState server;

	WriteCommands(EmbeddedDatabase database, ServerState server) {
		this.database = database;
		this.server = server;
	}

	WriteReply insert(Document command) {
		List<Document> documents = documents(command, "documents");
		boolean ordered = isOrdered(command);
		List<Document> errors = this.database.orCreate(command, "insert").insertDocuments(documents, ordered);
		int inserted = documents.size() - errors.size();
		if (ordered && !errors.isEmpty()) {
			inserted = ((Number) errors.get(0).getOrDefault("index", 0)).intValue();
		}
		return new WriteReply(withErrors(new Document("n", inserted), errors), inserted > 0);
	}

	WriteReply update(Document command) {
		List<Document> updates = documents(command, "updates");
		// An unknown stage fails the whole command, all other errors only their statement
		for (Document update : updates) {
			if (update.get("u") instanceof List<?> stages) {
				UpdatePipeline.checkStageNames(stages);
			}
		}
		return new Updates(command).run(updates);
	}

	WriteReply findAndModify(Document command) {
		Document sort = (command.get("sort") instanceof Document given) ? given : null;
		Document filter = document(command, "query");
		Projection projection = Projection.parse(command.get("fields"));
		boolean returnNew = Utils.isTrue(command.get("new"));
		if (Utils.isTrue(command.get("remove"))) {
			StatementTime time = this.server.time();
			EmbeddedCollection collection = this.database.existing(command, "findAndModify");
			Outcome outcome = (collection != null) ? collection.findAndRemove(ExprFilter.bind(filter, time), sort)
					: Outcome.NOTHING;
			return reply(new Document("n", outcome.matched()), collection, outcome.before(), projection, time,
					outcome.matched() > 0);
		}
		UpdateStatement statement = UpdateStatement.parse(filter, command.get("update"), command, this.server.time(),
				this.server.clock());
		EmbeddedCollection collection = collectionFor(command, "findAndModify", statement);
		Outcome outcome = (collection != null) ? findAndModify(collection, statement, sort) : Outcome.NOTHING;
		Document summary = new Document("n", outcome.upserted() ? 1 : outcome.matched()).append("updatedExisting",
				outcome.matched() > 0);
		if (outcome.upserted()) {
			summary.append("upserted", outcome.upsertedId());
		}
		return reply(summary, collection, returnNew ? outcome.after() : outcome.before(), projection, statement.time(),
				outcome.upserted() || outcome.modified() > 0);
	}

	private Outcome findAndModify(EmbeddedCollection collection, UpdateStatement statement, @Nullable Document sort) {
		if (this.server.upsertRace() == UpsertRace.RETRY || !statement.upsert()) {
			return collection.findAndModify(statement, sort);
		}
		Outcome outcome = collection.findAndModify(statement.withoutUpsert(), sort);
		if (outcome.matched() > 0) {
			return outcome;
		}
		// 4.4 searches and inserts in two steps: another insert in between makes it fail
		Thread.yield();
		return collection.insert(statement);
	}

	// Remembers the document as it was stored, whatever the projection
	private static WriteReply reply(Document summary, @Nullable EmbeddedCollection collection, @Nullable Document value,
			Projection projection, StatementTime time, boolean wrote) {
		Document shown = (collection != null && value != null) ? collection.project(value, projection, time) : null;
		return new WriteReply(reply(summary, shown), wrote, reply(summary, (value != null) ? value.clone() : null));
	}

	private static Document reply(Document summary, @Nullable Document value) {
		return Replies.ok(new Document("lastErrorObject", summary).append("value", value));
	}

	private @Nullable EmbeddedCollection collectionFor(Document command, String name, UpdateStatement statement) {
		return statement.upsert() ? this.database.orCreate(command, name) : this.database.existing(command, name);
	}

	private static boolean isOrdered(Document command) {
		return Utils.isTrue(command.getOrDefault("ordered", true));
	}

	private static Document document(Document command, String name) {
		return (command.get(name) instanceof Document document) ? document : new Document();
	}

	@SuppressWarnings("unchecked")
	private static List<Document> documents(Document command, String name) {
		if (command.get(name) instanceof List<?> list) {
			return (List<Document>) list;
		}
		throw ServerErrors.failedToParse("BSON field '" + name + "' is missing but a required field");
	}

	private static Document withErrors(Document reply, List<Document> errors) {
		if (!errors.isEmpty()) {
			reply.append("writeErrors", errors);
		}
		return Replies.ok(reply);
	}

	/**
	 * One run of the {@code update} command.
	 */
	private final class Updates {

		private final Document command;

		private final List<Document> upserted = new ArrayList<>();

		private final List<Document> errors = new ArrayList<>();

		private int n;

		private int modified;

		private Updates(Document command) {
			this.command = command;
		}

		private WriteReply run(List<Document> updates) {
			boolean ordered = isOrdered(this.command);
			for (int i = 0; i < updates.size() && !(ordered && !this.errors.isEmpty()); i++) {
				try {
					run(i, updates.get(i));
				}
				catch (MongoServerException ex) {
					this.errors.add(Replies.writeError(i, ex));
				}
			}
			Document reply = new Document("n", this.n).append("nModified", this.modified);
			if (!this.upserted.isEmpty()) {
				reply.append("upserted", this.upserted);
			}
			return new WriteReply(withErrors(reply, this.errors), this.modified > 0 || !this.upserted.isEmpty());
		}

		private void run(int index, Document update) {
			UpdateStatement statement = UpdateStatement.parse(document(update, "q"), update.get("u"), update,
					WriteCommands.this.server.time(), WriteCommands.this.server.clock());
			EmbeddedCollection collection = collectionFor(this.command, "update", statement);
			Outcome outcome = (collection != null) ? collection.update(statement) : Outcome.NOTHING;
			this.n += outcome.matched();
			this.modified += outcome.modified();
			if (outcome.upserted()) {
				this.n++;
				this.upserted.add(new Document("index", index).append("_id", outcome.upsertedId()));
			}
		}

	}

}
