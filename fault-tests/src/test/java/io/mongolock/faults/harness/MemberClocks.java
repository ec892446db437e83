package io.mongolock.faults.harness;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.awaitility.Awaitility;
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

	private final Map<Integer, Duration> offsets = new ConcurrentHashMap<>();

	private final FakeTime time;

	private final RealMongo set;

	private MemberClocks(MongodBinary binary, FakeTime time) {
		this.time = time;
		this.set = RealMongo.builder(binary).replicaSet(3).environment(this::environment).start();
	}

	// Aborts the test where there is no server or no such library
	public static MemberClocks start() {
		MongodBinary binary = SuiteServer.get()
			.binary()
			.orElseThrow(() -> new TestAbortedException(
					"needs a replica set that the tests start themselves: set " + MongodBinary.NAME));
		return new MemberClocks(binary, FakeTime.ofThisMachine());
	}

	public RealMongo set() {
		return this.set;
	}

	// Starts a secondary anew with such a clock, off by whole seconds, and the one before
	// with the right one: a running member whose clock jumps may stand for election, or
	// step down, at any time
	public RealMember offBy(Duration offset) {
		this.offsets.keySet().forEach((index) -> restart(this.set.members().get(index), Duration.ZERO));
		RealMember wrong = this.set.secondaries().get(0);
		restart(wrong, offset);
		return wrong;
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

	private void restart(RealMember member, Duration offset) {
		member.kill();
		if (offset.isZero()) {
			this.offsets.remove(member.index());
		}
		else {
			this.offsets.put(member.index(), offset);
		}
		this.set.heal();
	}

	private Map<String, String> environment(int member) {
		Duration offset = this.offsets.get(member);
		return (offset != null) ? this.time.offBy(offset) : Map.of();
	}

	@Override
	public void close() {
		this.set.close();
	}

}
