package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import de.bwaldvogel.mongo.backend.Utils;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerException;
import org.jspecify.annotations.Nullable;

/**
 * The commands {@code insert}, {@code update}, {@code delete} and {@code findAndModify}
 * of one database.
 */
final class WriteCommands {

	private final EmbeddedDatabase database;

	private final ServerState server;

	WriteCommands(EmbeddedDatabase database, ServerState server) {
		this.database = database;
		this.server = server;
	}

	/**
	 * Create a write that can be run again after it had to wait, and then goes on.
	 * @param name the name of the command
	 * @param command the command as sent
	 * @return runs the write
	 */
	Supplier<WriteReply> of(String name, Document command) {
		return switch (name) {
			case "insert" -> new Inserts(command);
			case "update" -> new Updates(command);
			case "delete" -> new Deletes(command);
			default -> () -> findAndModify(command);
		};
	}

	private WriteReply findAndModify(Document command) {
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

	// Remembers the whole stored document, regardless of the projection
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

	/**
	 * The writes of one command, one after the other. If a write had to wait, the next
	 * run goes on there. In an ordered command, a failed write fails the rest.
	 */
	private abstract class Writes implements Supplier<WriteReply> {

		final Document command;

		/** The number of documents that were inserted, matched or deleted. */
		int n;

		private final boolean ordered;

		private final List<Document> errors = new ArrayList<>();

		private int next;

		private Writes(Document command) {
			this.command = command;
			this.ordered = Utils.isTrue(command.getOrDefault("ordered", true));
		}

		@Override
		public WriteReply get() {
			List<Document> all = all();
			while (this.next < all.size() && !(this.ordered && !this.errors.isEmpty())) {
				try {
					run(this.next, all.get(this.next));
				}
				catch (MongoServerException ex) {
					this.errors.add(Replies.writeError(this.next, ex));
				}
				this.next++;
			}
			Document reply = reply();
			if (!this.errors.isEmpty()) {
				reply.append("writeErrors", this.errors);
			}
			return new WriteReply(Replies.ok(reply), wrote());
		}

		abstract List<Document> all();

		abstract void run(int index, Document statement);

		Document reply() {
			return new Document("n", this.n);
		}

		boolean wrote() {
			return this.n > 0;
		}

	}

	/**
	 * The {@code insert} command.
	 */
	private final class Inserts extends Writes {

		private Inserts(Document command) {
			super(command);
		}

		@Override
		List<Document> all() {
			return documents(this.command, "documents");
		}

		@Override
		void run(int index, Document document) {
			WriteCommands.this.database.orCreate(this.command, "insert").addDocument(document);
			this.n++;
		}

	}

	/**
	 * The {@code update} command.
	 */
	private final class Updates extends Writes {

		private final List<Document> upserted = new ArrayList<>();

		private int modified;

		private Updates(Document command) {
			super(command);
		}

		@Override
		List<Document> all() {
			List<Document> updates = documents(this.command, "updates");
			// An unknown stage fails the whole command, all other errors only their
			// statement
			for (Document update : updates) {
				if (update.get("u") instanceof List<?> stages) {
					UpdatePipeline.checkStageNames(stages);
				}
			}
			return updates;
		}

		@Override
		void run(int index, Document update) {
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

		@Override
		Document reply() {
			Document reply = new Document("n", this.n).append("nModified", this.modified);
			if (!this.upserted.isEmpty()) {
				reply.append("upserted", this.upserted);
			}
			return reply;
		}

		@Override
		boolean wrote() {
			return this.modified > 0 || !this.upserted.isEmpty();
		}

	}

	/**
	 * The {@code delete} command.
	 */
	private final class Deletes extends Writes {

		private Deletes(Document command) {
			super(command);
		}

		@Override
		List<Document> all() {
			return documents(this.command, "deletes");
		}

		@Override
		void run(int index, Document delete) {
			EmbeddedCollection collection = WriteCommands.this.database.existing(this.command, "delete");
			if (collection != null) {
				this.n += collection.delete(ExprFilter.bind(document(delete, "q"), WriteCommands.this.server.time()),
						((Number) delete.getOrDefault("limit", 0)).intValue());
			}
		}

	}

}
