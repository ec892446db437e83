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

	public static String namedReplicaSet() {
		return requireSet(GivenServer.uri());
	}

	// The one that the environment names, or a container
	public static String replicaSet() {
		return requireSet(SuiteServer.get().uri());
	}

	private static String require(Optional<String> given, String need) {
		return given.orElseThrow(() -> new TestAbortedException("needs " + need + ": set " + GivenServer.NAME));
	}

	private static String requireSet(Optional<String> given) {
		String uri = require(given, "a replica set");
		try (MongoClient client = MongoClients.create(uri)) {
			assertKind("replica set", kind(run(client, "hello")));
		}
		return uri;
	}

	// What figures are measured on
	public static String label(MongoClient client) {
		String kind = kind(run(client, "hello"));
		return ((kind.endsWith("mongos")) ? "mongos " : "mongod ") + run(client, "buildInfo").getString("version")
				+ ", " + kind;
	}

	static String kind(Document hello) {
		if ("isdbgrid".equals(hello.getString("msg"))) {
			return "sharded cluster through a mongos";
		}
		return (hello.containsKey("setName")) ? "replica set" : "standalone server";
	}

	static void assertKind(String needed, String given) {
		if (!given.equals(needed)) {
			throw new TestAbortedException("needs a " + needed + ": " + GivenServer.NAME + " names a " + given);
		}
	}

	static Document run(MongoClient client, String command) {
		return client.getDatabase("admin").runCommand(new Document(command, 1));
	}

}
