package io.mongolock.test.embedded;

import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;

import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.backend.memory.MemoryDatabase;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.BsonConstants;
import de.bwaldvogel.mongo.wire.MongoWireProtocolHandler;
import io.netty.channel.Channel;

/**
 * All databases of one embedded server, which presents itself as a standalone mongod.
 */
final class EmbeddedBackend extends MemoryBackend {

	private static final int SESSION_TIMEOUT_MINUTES = 30;

	private final ServerClock clock;

	private final UpsertRace upsertRace;

	private final Version version;

	EmbeddedBackend(InstantSource clock, UpsertRace upsertRace) {
		super(clock.withZone(ZoneOffset.UTC));
		this.clock = new ServerClock(clock);
		this.upsertRace = upsertRace;
		this.version = (upsertRace == UpsertRace.RETRY) ? new Version(List.of(5, 0, 0), 13)
				: new Version(List.of(4, 4, 6), 9);
		version(this.version);
	}

	/**
	 * Run a command. Errors are answers too: this never throws.
	 * @param channel the client's connection
	 * @param database the database to run on
	 * @param command the command as sent
	 * @return the answer
	 */
	Document answer(Channel channel, String database, Document command) {
		try {
			return handleCommand(channel, database, command.keySet().iterator().next(), command);
		}
		catch (RuntimeException ex) {
			// even what the library does not foresee must not cost the client its
			// connection
			return Replies.error(ex);
		}
	}

	@Override
	public Document handleCommand(Channel channel, String databaseName, String command, Document query) {
		StandaloneRules.check(query);
		return switch (command) {
			case "hello", "ismaster", "isMaster" -> hello();
			default -> super.handleCommand(channel, databaseName, command, query);
		};
	}

	private Document hello() {
		return Replies.ok(new Document("helloOk", true).append("ismaster", true)
			.append("isWritablePrimary", true)
			.append("maxBsonObjectSize", BsonConstants.MAX_BSON_OBJECT_SIZE)
			.append("maxMessageSizeBytes", MongoWireProtocolHandler.MAX_MESSAGE_SIZE_BYTES)
			.append("maxWriteBatchSize", MongoWireProtocolHandler.MAX_WRITE_BATCH_SIZE)
			.append("localTime", this.clock.now())
			.append("logicalSessionTimeoutMinutes", SESSION_TIMEOUT_MINUTES)
			.append("minWireVersion", 0)
			.append("maxWireVersion", this.version.getWireVersion())
			.append("readOnly", false));
	}

	@Override
	public MemoryDatabase openOrCreateDatabase(String databaseName) {
		return new EmbeddedDatabase(databaseName, getCursorRegistry(), this.clock, this.upsertRace);
	}

	/**
	 * Delete what the TTL indexes of all databases have run out for.
	 * @return how many documents were deleted
	 */
	int expire() {
		return listDatabaseNames().stream()
			.mapToInt((name) -> ((EmbeddedDatabase) resolveDatabase(name)).expire())
			.sum();
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
