package io.mongolock.faults.harness;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import org.awaitility.Awaitility;
import org.bson.Document;
import org.opentest4j.TestAbortedException;

import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMember;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.SuiteServer;

/**
 * A real replica set of three members, one of which has a clock that is off, by
 * libfaketime: the clock that dates are read from, not the one that time is measured by.
 * Not thread-safe.
 */
public final class MemberClocks implements AutoCloseable {

	private final Map<Integer, Map<String, String>> wrong = new ConcurrentHashMap<>();

	private final FakeTime time;

	private final RealMongo set;

	private MemberClocks(RealMongo.Builder set, FakeTime time) {
		this.time = time;
		this.set = set.replicaSet(3).environment((member) -> this.wrong.getOrDefault(member, Map.of())).start();
	}

	// Aborts the test where there is no server or no such library
	public static MemberClocks start() {
		return new MemberClocks(builder(), FakeTime.ofThisMachine());
	}

	private static RealMongo.Builder builder() {
		return RealMongo.builder(SuiteServer.get()
			.binary()
			.orElseThrow(() -> new TestAbortedException(
					"needs a replica set that the tests start themselves: set " + MongodBinary.NAME)));
	}

	public RealMongo set() {
		return this.set;
	}

	// Starts a secondary anew with such a clock, off by whole seconds, and the one before
	// with the right one: a running member whose clock jumps may stand for election, or
	// step down, at any time
	public RealMember offBy(Duration offset) {
		this.wrong.keySet().forEach((index) -> restart(this.set.members().get(index), Map.of()));
		RealMember wrong = this.set.secondaries().get(0);
		restart(wrong, this.time.offBy(offset));
		return wrong;
	}

	// Starts a secondary anew with a clock that is off by what the file says at any time,
	// and elects it for good. Otherwise it would step down after a jump of its clock, as
	// if it had heard from no other member for that time
	RealMember primaryOffAsSaidIn(Path file) {
		RealMember wrong = this.set.secondaries().get(0);
		restart(wrong, this.time.offAsSaidIn(file));
		elect(wrong);
		try (MongoClient client = MongoClients.create(this.set.connectionString(wrong))) {
			Awaitility.await("configuration without elections")
				.atMost(Harness.LONG)
				.ignoreExceptionsInstanceOf(MongoException.class)
				.untilAsserted(() -> electNoOtherWithin(Duration.ofHours(1), client.getDatabase("admin")));
		}
		return wrong;
	}

	private static void electNoOtherWithin(Duration silence, MongoDatabase admin) {
		Document set = admin.runCommand(new Document("replSetGetConfig", 1)).get("config", Document.class);
		set.get("settings", Document.class).append("electionTimeoutMillis", silence.toMillis());
		admin.runCommand(new Document("replSetReconfig", set.append("version", set.getInteger("version") + 1)));
	}

	// That member and no other; whether or not the others have caught up
	public void elect(RealMember next) {
		try (MongoClient client = MongoClients.create(this.set.connectionString(next))) {
			Awaitility.await("election of " + next)
				.atMost(Harness.LONG)
				.ignoreExceptionsInstanceOf(MongoException.class)
				.until(() -> {
					RealServer.run(client, "replSetStepUp");
					return next.isPrimary();
				});
		}
	}

	private void restart(RealMember member, Map<String, String> environment) {
		member.kill();
		this.wrong.put(member.index(), environment);
		this.set.heal();
	}

	@Override
	public void close() {
		this.set.close();
	}

}
