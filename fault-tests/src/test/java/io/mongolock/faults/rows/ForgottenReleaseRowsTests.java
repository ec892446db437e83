package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.opentest4j.TestAbortedException;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockSettings;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.ReplicaSetHarness;
import io.mongolock.faults.harness.ScriptedSet;
import io.mongolock.faults.harness.SetMember;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMember;
import io.mongolock.test.server.RealMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Row 82: a primary acknowledges a release that it alone knows of, and is replaced.
 */
@Timeout(180)
class ForgottenReleaseRowsTests {

	/** Far longer than anybody waits here for a lock that nobody holds. */
	private static final Duration TTL = Duration.ofMinutes(10);

	@Test
	@ShowsRow(value = 82, level = Level.PROXY)
	void aReleaseThatOnlyTheOldPrimaryKnewIsRepeated(RowFigures figures) {
		try (ReplicaSetHarness harness = new ReplicaSetHarness()) {
			ScriptedSet set = harness.set();
			HarnessClient client = harness.client(TTL, Harness.LONG);
			LockHandle handle = client.acquire();
			SetMember old = set.isolatePrimary();
			handle.close();
			assertThat(old.holders()).isEmpty();
			assertThat(set.members()).filteredOn((member) -> member != old)
				.allSatisfy((member) -> assertThat(member.holders()).hasSize(1));
			SetMember next = set.elect();
			long took = untilFree(next::holders);
			client.acquire().close();
			figures.server(ScriptedSet.SERVER).add("ttl", TTL).add("free after the election", Harness.millis(took));
		}
	}

	@Test
	@Tag("real-server")
	@ShowsRow(value = 82, level = Level.REPLICA_SET)
	void aReleaseThatOnlyTheOldPrimaryOfARealSetKnewIsRepeated(RowFigures figures) {
		MongodBinary mongod = MongodBinary.find()
			.orElseThrow(() -> new TestAbortedException(
					"needs a mongod: set " + MongodBinary.NAME + " to one, which config/mongod.sh brings"));
		LockSettings settings = HarnessClient.settings(TTL, Harness.LONG);
		try (RealMongo set = RealMongo.builder(mongod).replicaSet(3).separable().start();
				HarnessClient client = HarnessClient.ofSet(set.connectionString(), settings, LockClock.system())
					.warm()) {
			LockHandle handle = client.acquire();
			RealMember old = set.primary();
			old.isolate();
			handle.close();
			RealMember next = set.primaryOtherThan(old);
			try (MongoClient observer = MongoClients.create(set.connectionString(next))) {
				MongoLockStore stored = HarnessClient.store(observer);
				long took = untilFree(() -> stored.find(Harness.KEY, Harness.LONG).orElseThrow().holders());
				figures.server(set.label()).add("ttl", TTL).add("free after the election", Harness.millis(took));
			}
		}
	}

	private static long untilFree(Supplier<List<StoredHolder>> holders) {
		long start = System.nanoTime();
		await().atMost(Duration.ofSeconds(60)).until(() -> holders.get().isEmpty());
		return System.nanoTime() - start;
	}

}
