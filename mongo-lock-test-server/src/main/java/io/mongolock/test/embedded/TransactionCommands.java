package io.mongolock.test.embedded;

import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.backend.DatabaseResolver;
import de.bwaldvogel.mongo.bson.BinData;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.oplog.NoopOplog;
import io.netty.channel.Channel;

/**
 * Begins and ends transactions, and runs their statements. Refuses commands that a real
 * server does not run in a transaction, or that this server cannot run.
 */
final class TransactionCommands {

	private static final String COMMIT = "commitTransaction";

	private static final String ABORT = "abortTransaction";

	/** The default of a real server. */
	private static final int LIFETIME_SECONDS = 60;

	private static final Set<String> WRITES = Set.of("insert", "update", "delete", "findAndModify");

	private static final Set<String> ON_CURSORS = Set.of("getMore", "killCursors");

	private static final Set<String> READS = Set.of("find", "aggregate", "distinct");

	private static final Set<String> REFUSED_STAGES = Set.of("$changeStream", "$out", "$merge");

	private static final Set<String> READ_CONCERNS = Set.of("local", "majority", "snapshot");

	/** The user in change streams, if there are no users. */
	private static final BinData NO_USER = new BinData(
			HexFormat.of().parseHex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));

	private final Transactions transactions;

	private final Sessions sessions;

	private final Function<String, EmbeddedDatabase> databases;

	private final CursorRegistry cursors;

	private final ServerState server;

	TransactionCommands(Transactions transactions, Sessions sessions, Function<String, EmbeddedDatabase> databases,
			CursorRegistry cursors, ServerState server) {
		this.transactions = transactions;
		this.sessions = sessions;
		this.databases = databases;
		this.cursors = cursors;
		this.server = server;
	}

	/**
	 * Whether a command is part of a transaction, or ends one.
	 * @param name the name of the command
	 * @param command the command as sent
	 * @return whether this class runs it
	 */
	static boolean areMeant(String name, Document command) {
		return command.containsKey("autocommit") || command.containsKey("startTransaction") || isEnd(name);
	}

	private static boolean isEnd(String name) {
		return name.equals(COMMIT) || name.equals(ABORT);
	}

	// Such a command may have a number without being part of a transaction
	static boolean isRetryable(String name) {
		return WRITES.contains(name);
	}

	/**
	 * Run a command.
	 * @param channel the client's connection
	 * @param database the database to run on
	 * @param name the name of the command
	 * @param command the command as sent
	 * @param onCursors runs a command on cursors
	 * @return the answer
	 */
	Document run(Channel channel, String database, String name, Document command, Supplier<Document> onCursors) {
		check(database, name, command);
		Document id = (Document) command.getOrDefault("lsid", new Document());
		Session session = this.sessions.get(id);
		long number = ((Number) command.getOrDefault("txnNumber", 0)).longValue();
		return this.transactions.alone(() -> {
			if (isEnd(name)) {
				return end(session, number, name, command);
			}
			Transaction transaction = (command.containsKey("startTransaction")) ? begin(channel, session, id, number)
					: session.transaction(number);
			Document reply = null;
			try {
				reply = ON_CURSORS.contains(name) ? onCursors(transaction, command, onCursors)
						: run(channel, transaction, database, name, command);
				return reply;
			}
			finally {
				if (reply == null || reply.containsKey("writeErrors")) {
					session.abort();
				}
			}
		});
	}

	private void check(String database, String name, Document command) {
		if (!Boolean.FALSE.equals(command.getOrDefault("autocommit", false))) {
			throw ServerErrors.invalidOptions("Specifying autocommit=true is not allowed.");
		}
		if (!Boolean.TRUE.equals(command.getOrDefault("startTransaction", true))) {
			throw ServerErrors.invalidOptions("Specifying startTransaction=false is not allowed.");
		}
		boolean numbered = command.containsKey("txnNumber") && command.get("lsid") instanceof Document;
		if (!numbered && isEnd(name)) {
			throw ServerErrors.commandFailed(name + " must be run within a transaction");
		}
		if (!numbered || !command.containsKey("autocommit")) {
			throw ServerErrors
				.invalidOptions("A statement of a transaction has lsid, txnNumber and autocommit=false, not only some");
		}
		if (isEnd(name)) {
			if (!database.equals("admin")) {
				throw ServerErrors.unauthorized(name + " may only be run against the admin database.");
			}
			return;
		}
		checkConcerns(command);
		checkIsDone(name, command);
	}

	private static void checkConcerns(Document command) {
		if (command.containsKey("writeConcern")) {
			throw ServerErrors.invalidOptions("writeConcern is not allowed within a multi-statement transaction");
		}
		if (command.get("readConcern") instanceof Document concern) {
			if (!command.containsKey("startTransaction")) {
				throw ServerErrors.invalidOptions(
						"Only the first command in a transaction may specify a readConcern, which was " + concern);
			}
			if (!READ_CONCERNS.contains(concern.getOrDefault("level", "local"))) {
				throw ServerErrors.invalidOptions(
						"The readConcern level must be either 'local', 'majority' or 'snapshot' in order to run in a"
								+ " transaction, not " + concern);
			}
		}
	}

	private static void checkIsDone(String name, Document command) {
		if (name.equals("create") || name.equals("createIndexes")) {
			throw ServerErrors.notInTransaction("The embedded server runs no '" + name
					+ "' in a transaction: create the collection before it, or use a real replica set");
		}
		if (!WRITES.contains(name) && !READS.contains(name) && !ON_CURSORS.contains(name)) {
			throw ServerErrors.notInTransaction("Cannot run '" + name + "' in a multi-document transaction.");
		}
		if (command.get("pipeline") instanceof List<?> stages) {
			for (Object stage : stages) {
				((Map<?, ?>) stage).keySet()
					.stream()
					.filter(REFUSED_STAGES::contains)
					.findFirst()
					.ifPresent((refused) -> {
						throw ServerErrors.notInTransaction(refused + " is not allowed in a transaction");
					});
			}
		}
	}

	private Transaction begin(Channel channel, Session session, Document id, long number) {
		Transaction begun = session.begin(number,
				() -> new Transaction(
						new Document("txnNumber", number).append("lsid",
								new Document("id", id.get("id")).append("uid", NO_USER)),
						this.transactions, this.databases, this.cursors, this.server));
		begun.expiresBy(channel.eventLoop()
			.schedule(() -> this.transactions.alone(() -> session.abortIf(begun)), LIFETIME_SECONDS, TimeUnit.SECONDS));
		return begun;
	}

	private static Document end(Session session, long number, String name, Document command) {
		Document reply = Replies.ok(new Document());
		if (name.equals(COMMIT)) {
			session.commit(number);
			ReplicaSet.checkWriteConcern(command, reply);
		}
		else {
			session.transaction(number);
			session.abort();
		}
		return reply;
	}

	private static Document onCursors(Transaction transaction, Document command, Supplier<Document> run) {
		if (command.get("getMore") instanceof Number cursor && !transaction.hasOpened(cursor.longValue())) {
			throw ServerErrors.location(50741,
					"Cannot run getMore on cursor " + cursor + ", which was not created in this transaction");
		}
		return run.get();
	}

	private Document run(Channel channel, Transaction transaction, String database, String name, Document command) {
		// Because the first error ends a transaction
		command.put("ordered", true);
		DatabaseResolver resolver = transaction::database;
		Document reply = transaction.database(database)
			.handleCommand(channel, name, command, resolver, NoopOplog.get());
		if (reply.get("cursor") instanceof Document cursor && cursor.get("id") instanceof Number id) {
			transaction.opened(id.longValue());
		}
		return reply;
	}

}
