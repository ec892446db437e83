package io.mongolock.test.embedded;

import java.util.List;
import java.util.stream.Stream;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;

import io.mongolock.test.server.SuiteServer;

/**
 * A server that recordings are replayed on: an embedded one, or the real one of
 * {@link SuiteServer}.
 *
 * @param client a client of it
 * @param embedded the embedded server, {@code null} if it is another
 */
record ServerUnderTest(MongoClient client, EmbeddedMongo embedded) implements AutoCloseable {

	/**
	 * The servers to replay recordings on: an embedded one for each recording, in their
	 * order, and after them the real one if there is one.
	 */
	static List<ServerUnderTest> start(Recording... recordings) {
		Stream<ServerUnderTest> real = SuiteServer.get().uri().map(ServerUnderTest::real).stream();
		return Stream.concat(Stream.of(recordings).map(ServerUnderTest::embedded), real).toList();
	}

	static ServerUnderTest real(String uri) {
		return new ServerUnderTest(connect(uri), null);
	}

	private static ServerUnderTest embedded(Recording recording) {
		EmbeddedMongo embedded = recording.embedded().start();
		return new ServerUnderTest(connect(embedded.connectionString()), embedded);
	}

	// Doubled statements are among those that are sent, and the driver is not to number
	// its own
	private static MongoClient connect(String uri) {
		return MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(uri))
			.retryWrites(false)
			.build());
	}

	boolean isEmbedded() {
		return this.embedded != null;
	}

	/**
	 * The recording of a server of this kind.
	 */
	Recording recording() {
		if ("isdbgrid".equals(hello().get("msg"))) {
			return Recording.SHARDED_4_4;
		}
		if (!isReplicaSet()) {
			return Recording.STANDALONE_4_4;
		}
		return switch (version().substring(0, 2)) {
			case "4." -> Recording.REPLICA_SET_4_4;
			case "5." -> Recording.REPLICA_SET_5_0;
			default -> Recording.REPLICA_SET_6_0;
		};
	}

	private boolean isReplicaSet() {
		return hello().containsKey("setName");
	}

	long now() {
		return hello().getDate("localTime").getTime();
	}

	private Document hello() {
		return this.client.getDatabase("admin").runCommand(new Document("hello", 1));
	}

	/**
	 * In the same one, a time that is set to now is not modified.
	 */
	void awaitNextMillisecond(long now) {
		while (now() <= now) {
			Thread.onSpinWait();
		}
	}

	String version() {
		return this.client.getDatabase("admin").runCommand(new Document("buildInfo", 1)).getString("version");
	}

	String description() {
		return (isEmbedded() ? "the embedded server as " : "a real server, ") + version() + ", as in "
				+ recording().file();
	}

	@Override
	public void close() {
		this.client.close();
		if (this.embedded != null) {
			this.embedded.close();
		}
	}

}
