package io.mongolock.faults.harness;

import java.util.Optional;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.opentest4j.TestAbortedException;

import io.mongolock.test.server.GivenServer;
import io.mongolock.test.server.SuiteServer;

/**
 * The real server of the tests, for what needs one. A test that misses it is aborted and
 * says in one line what it needs.
 */
public final class RealServer {

	private RealServer() {
	}

	// The server that the environment names, for what a container is not set up for
	public static String named(String need) {
		return require(GivenServer.uri(), need);
	}

	public static String named(ServerKind needed) {
		return require(GivenServer.uri(), needed);
	}

	// The server that the environment names, or a container
	public static String uri(ServerKind needed) {
		return require(SuiteServer.get().uri(), needed);
	}

	private static String require(Optional<String> given, String need) {
		return given.orElseThrow(() -> new TestAbortedException("needs " + need + ": set " + GivenServer.NAME));
	}

	private static String require(Optional<String> given, ServerKind needed) {
		String uri = require(given, "a " + needed);
		try (MongoClient client = MongoClients.create(uri)) {
			assertKind(needed, ServerKind.of(run(client, "hello")));
		}
		return uri;
	}

	// What figures are measured on
	public static String label(MongoClient client) {
		ServerKind kind = ServerKind.of(run(client, "hello"));
		return ((kind == ServerKind.SHARDED) ? "mongos " : "mongod ") + run(client, "buildInfo").getString("version")
				+ ", " + kind;
	}

	static void assertKind(ServerKind needed, ServerKind given) {
		if (given != needed) {
			throw new TestAbortedException("needs a " + needed + ": " + GivenServer.NAME + " names a " + given);
		}
	}

	static Document run(MongoClient client, String command) {
		return client.getDatabase("admin").runCommand(new Document(command, 1));
	}

}
