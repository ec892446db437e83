package io.mongolock.faults.harness;

import java.util.List;
import java.util.Optional;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.opentest4j.TestAbortedException;

import io.mongolock.test.server.GivenServer;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.SuiteServer;

/**
 * The real server of the tests, for what needs one. A test that misses it is aborted and
 * says in one line what it needs.
 */
public final class RealServer {

	private RealServer() {
	}

	// The server that the environment names, for what others are not set up for
	public static String named(String need) {
		return require(GivenServer.uri(), need);
	}

	// The one that the tests of this JVM share
	public static String replicaSet() {
		return assertSet(require(SuiteServer.get().uri(), "a replica set"));
	}

	static String namedReplicaSet() {
		return assertSet(require(GivenServer.uri(), "a replica set"));
	}

	private static <T> T require(Optional<T> given, String need) {
		return given.orElseThrow(() -> new TestAbortedException(
				"needs " + need + ": set " + MongodBinary.NAME + " or " + GivenServer.NAME));
	}

	private static String assertSet(String uri) {
		try (MongoClient client = MongoClients.create(uri)) {
			assertKind("replica set", kind(run(client, "hello")));
		}
		return uri;
	}

	// What figures are measured on
	public static String label(MongoClient client) {
		Document hello = run(client, "hello");
		String kind = kind(hello);
		int members = hello.getList("hosts", String.class, List.of()).size();
		return ((kind.endsWith("mongos")) ? "mongos " : "mongod ") + run(client, "buildInfo").getString("version")
				+ ", " + kind + ((members > 0) ? " of " + members + ((members > 1) ? " members" : " member") : "");
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
