package io.mongolock.faults.harness;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

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

	private final Path library;

	private final RealMongo set;

	private MemberClocks(MongodBinary binary, Path library) {
		this.library = library;
		this.set = RealMongo.builder(binary).replicaSet(3).environment(this::environment).start();
	}

	// Aborts the test where there is no server or no such library
	public static MemberClocks start() {
		MongodBinary binary = SuiteServer.get()
			.binary()
			.orElseThrow(() -> new TestAbortedException(
					"needs a replica set that the tests start themselves: set " + MongodBinary.NAME));
		Path library = Stream.of("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib")
			.map((directory) -> Path.of(directory, "faketime", "libfaketime.so.1"))
			.filter(Files::exists)
			.findFirst()
			.orElseThrow(() -> new TestAbortedException("needs libfaketime: install the package faketime"));
		return new MemberClocks(binary, library);
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
		return (offset != null) ? Map.of("LD_PRELOAD", this.library.toString(), "FAKETIME",
				"%+d".formatted(offset.toSeconds()), "DONT_FAKE_MONOTONIC", "1", "FAKETIME_DONT_FAKE_MONOTONIC", "1")
				: Map.of();
	}

	@Override
	public void close() {
		this.set.close();
	}

}
