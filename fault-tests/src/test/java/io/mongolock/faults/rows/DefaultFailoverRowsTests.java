package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.TestAbortedException;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.MajorityWatch;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMember;
import io.mongolock.test.server.RealMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Row 16 with all settings as they are by default, those of the replica set, too: its
 * elections take 10 s and more, and a primary that hangs is waited for.
 */
@Tag("process")
@Tag("real-server")
@Timeout(300)
@Isolated
class DefaultFailoverRowsTests {

	/** The most that are renewed as often as a single one. */
	private static final int MANY = 50;

	/** More than is left at an election, less than right after a renewal. */
	private static final Duration RENEWED = Duration.ofSeconds(20);

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);

	/**
	 * In most hangs the majority confirms something within less time than the leases
	 * outlast, 23 s; two members that stand for election at once are no fault of ours.
	 */
	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 16, level = Level.REPLICA_SET)
	void aFailoverCostsNoLockByDefault(Fault fault, RowFigures figures) {
		try (RealMongo set = fault.start();
				HarnessClient one = client(set);
				HarnessClient many = client(set);
				MajorityWatch majority = new MajorityWatch(set)) {
			List<LockHandle> handles = Stream.concat(acquire(one, "one:", 1), acquire(many, "many:", MANY)).toList();
			awaitRenewal(handles);
			RealMember old = set.primary();
			majority.begin();
			fault.befall(old);
			Duration[] least = { RENEWED };
			await().atMost(LONG_ENOUGH).pollInterval(Duration.ofMillis(20)).until(() -> {
				Duration left = handles.stream().map(LockHandle::remaining).min(Duration::compareTo).orElseThrow();
				least[0] = (left.compareTo(least[0]) < 0) ? left : least[0];
				return majority.confirmed() && (left.isZero() || left.compareTo(RENEWED) > 0);
			});
			long lost = handles.stream().filter((handle) -> !handle.isHeld()).count();
			figures.server(set.label()).add("majority after", majority.after().toMillis() + " ms");
			figures.add("left", least[0].toMillis() + " ms").add("lost", lost);
			assertThat(one.heard().losses().size() + many.heard().losses().size()).isEqualTo((int) lost);
			if (fault == Fault.KILLED || majority.isOutlasted()) {
				assertThat(lost).as("majority after " + majority.after()).isZero();
			}
		}
	}

	// Hears of elections, as a client of Spring Boot does
	private static HarnessClient client(RealMongo set) {
		return HarnessClient.ofSet(set.connectionString(), LockSettings.NONE, LockClock.system());
	}

	private static Stream<LockHandle> acquire(HarnessClient client, String prefix, int count) {
		return IntStream.range(0, count).mapToObj((i) -> client.locks().acquire(LockRequest.of(prefix + i)));
	}

	// So that all of a client are renewed by one request, as they are before long
	private static void awaitRenewal(List<LockHandle> handles) {
		LockHandle last = handles.get(handles.size() - 1);
		for (int i = 0; i < 2; i++) {
			Duration[] before = { last.remaining() };
			await().atMost(Harness.LONG).until(() -> {
				Duration now = last.remaining();
				boolean renewed = now.compareTo(before[0]) > 0;
				before[0] = now;
				return renewed;
			});
		}
	}

	/**
	 * What becomes of the primary.
	 */
	enum Fault {

		/** SIGKILL: new connections are refused. */
		KILLED(false, RealMember::kill),

		/** SIGSTOP: connections are accepted and never answered. */
		FROZEN(false, RealMember::freeze),

		/** From the other members, and not from clients. */
		CUT_OFF(true, RealMember::isolate),

		/** From the other members and from clients. */
		UNREACHABLE(true, RealMember::vanish);

		private final boolean separable;

		private final Consumer<RealMember> fault;

		Fault(boolean separable, Consumer<RealMember> fault) {
			this.separable = separable;
			this.fault = fault;
		}

		RealMongo start() {
			MongodBinary mongod = MongodBinary.find()
				.orElseThrow(() -> new TestAbortedException(
						"needs a mongod: set " + MongodBinary.NAME + " to one, which config/mongod.sh brings"));
			RealMongo.Builder set = RealMongo.builder(mongod).replicaSet(3).usualElections();
			return ((this.separable) ? set.separable() : set).start();
		}

		void befall(RealMember primary) {
			this.fault.accept(primary);
		}

	}

}
