package io.mongolock.test.embedded;

import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.backend.memory.MemoryDatabase;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.BsonConstants;
import de.bwaldvogel.mongo.wire.MongoWireProtocolHandler;
import io.netty.channel.Channel;

/**
 * All databases of one embedded server.
 */
final class EmbeddedBackend extends MemoryBackend {

	private static final int SESSION_TIMEOUT_MINUTES = 30;

	/** The number of changes that are kept for change streams. */
	private static final int LOGGED_CHANGES = 10_000;

	private final ServerState server;

	private final Sessions sessions;

	private final TransactionCommands transactions;

	private final Version version;

	EmbeddedBackend(InstantSource source, UpsertRace upsertRace, boolean replicaSet) {
		super(source.withZone(ZoneOffset.UTC));
		ServerClock clock = new ServerClock(source);
		Transactions open = new Transactions();
		this.sessions = new Sessions(open);
		Topology topology = replicaSet ? new ReplicaSet(new ChangeLog(clock, LOGGED_CHANGES), open, this.sessions)
				: new Standalone();
		this.server = new ServerState(clock, upsertRace, topology);
		this.transactions = new TransactionCommands(open, this.sessions, this::database, getCursorRegistry(),
				this.server);
		this.version = (upsertRace == UpsertRace.RETRY) ? new Version(List.of(5, 0, 0), 13)
				: new Version(List.of(4, 4, 6), 9);
		version(this.version);
	}

	ChangeLog changes() {
		return this.server.topology().changes();
	}

	/**
	 * Run a command. Errors are answers, too: this method does not throw, and its future
	 * does not fail.
	 * @param channel the client's connection
	 * @param database the database to run on
	 * @param command the command as sent
	 * @return the answer; it is there at once, except for a {@code getMore} on a change
	 * stream and for statements that have to wait for a transaction
	 */
	CompletableFuture<Document> answer(Channel channel, String database, Document command) {
		try {
			if (command.get("getMore") instanceof Number id && !command.containsKey("autocommit")
					&& getCursorRegistry().getCursor(id.longValue()) instanceof ChangeStream stream) {
				return new PendingGetMore(stream, command, getCursorRegistry(), changes(), channel.eventLoop()).start();
			}
			return run(channel, command, statement(channel, database, command.keySet().iterator().next(), command));
		}
		catch (RuntimeException ex) {
			// An unexpected error of the library must not close the client's connection
			return CompletableFuture.completedFuture(Replies.error(ex));
		}
	}

	private static CompletableFuture<Document> run(Channel channel, Document command, Supplier<Document> statement) {
		try {
			return CompletableFuture.completedFuture(statement.get());
		}
		catch (AwaitsTransaction ex) {
			long maxMillis = (command.get("maxTimeMS") instanceof Number millis) ? millis.longValue() : 0;
			return new PendingStatement(statement, ex.transactions(), channel).start(maxMillis);
		}
	}

	// The statement may be run again after it had to wait
	private Supplier<Document> statement(Channel channel, String database, String name, Document command) {
		Topology topology = this.server.topology();
		topology.check(name, command);
		Supplier<Document> statement = () -> handleCommand(channel, database, name, command);
		Supplier<Document> run;
		if (TransactionCommands.areMeant(name, command)) {
			run = () -> this.transactions.run(channel, database, name, command, statement);
		}
		else if (TransactionCommands.isRetryable(name) && !database.equals("admin")) {
			Supplier<Document> write = database(database).write(name, command);
			run = () -> topology.run(write);
		}
		else {
			run = () -> topology.run(statement);
		}
		return () -> {
			Document reply = run.get();
			topology.complete(reply);
			return reply;
		};
	}

	private EmbeddedDatabase database(String name) {
		return (EmbeddedDatabase) resolveDatabase(name);
	}

	@Override
	public Document handleCommand(Channel channel, String databaseName, String command, Document query) {
		return switch (command) {
			case "hello", "ismaster", "isMaster" -> hello(channel);
			case "getMore" -> {
				// Without a batch size, the library takes no documents
				query.putIfAbsent("batchSize", Integer.MAX_VALUE);
				yield super.handleCommand(channel, databaseName, command, query);
			}
			case "killCursors" -> killCursors(query);
			case "killSessions" -> killSessions(query);
			default -> super.handleCommand(channel, databaseName, command, query);
		};
	}

	private Document killSessions(Document query) {
		this.sessions.kill((List<?>) query.getOrDefault("killSessions", List.of()));
		return Replies.ok(new Document());
	}

	@Override
	protected Document handleDropDatabase(String databaseName) {
		database(databaseName).checkUnused(null);
		return super.handleDropDatabase(databaseName);
	}

	private Document killCursors(Document query) {
		Document reply = handleKillCursors(query);
		// a caller must not go on waiting for an event of such a cursor
		this.server.topology().cursorsKilled();
		return reply;
	}

	private Document hello(Channel channel) {
		Document hello = new Document("helloOk", true).append("ismaster", true)
			.append("isWritablePrimary", true)
			.append("maxBsonObjectSize", BsonConstants.MAX_BSON_OBJECT_SIZE)
			.append("maxMessageSizeBytes", MongoWireProtocolHandler.MAX_MESSAGE_SIZE_BYTES)
			.append("maxWriteBatchSize", MongoWireProtocolHandler.MAX_WRITE_BATCH_SIZE)
			.append("localTime", this.server.clock().now())
			.append("logicalSessionTimeoutMinutes", SESSION_TIMEOUT_MINUTES)
			.append("minWireVersion", 0)
			.append("maxWireVersion", this.version.getWireVersion())
			.append("readOnly", false);
		this.server.topology().introduce(hello, channel);
		return Replies.ok(hello);
	}

	@Override
	public MemoryDatabase openOrCreateDatabase(String databaseName) {
		return new EmbeddedDatabase(databaseName, getCursorRegistry(), this.server);
	}

	/**
	 * Delete the documents that have expired by the TTL indexes of all databases.
	 * @return how many documents were deleted
	 */
	int expire() {
		return listDatabaseNames().stream().mapToInt((name) -> database(name).expire()).sum();
	}

	/**
	 * The version shown to clients.
	 */
	private record Version(List<Integer> versionArray, int wireVersion) implements MongoVersion {

		@Override
		public List<Integer> getVersionArray() {
			return this.versionArray;
		}

		@Override
		public int getWireVersion() {
			return this.wireVersion;
		}

	}

}
