package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LossReason;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.MemberClocks;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.store.mongo.ServerClockWatch;
import io.mongolock.test.server.RealMember;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 24 and 59 on a real set of three members, one of which has a clock that is off.
 */
@Tag("real-server")
@Timeout(120)
class MemberClockRowsTests {

	private static final Duration TOLERATED = Duration.ofSeconds(1);

	private static @Nullable MemberClocks clocks;

	private final List<HarnessClient> clients = new ArrayList<>();

	private MemberClocks harness;

	@BeforeEach
	void start() {
		clocks = (clocks != null) ? clocks : MemberClocks.start();
		this.harness = clocks;
	}

	@AfterEach
	void disconnect() {
		this.clients.forEach(HarnessClient::close);
	}

	@AfterAll
	static void stop() {
		if (clocks != null) {
			clocks.close();
			clocks = null;
		}
	}

	@Test
	@ShowsRow(value = 24, level = Level.REPLICA_SET)
	void aNextPrimaryWhoseClockIsAheadByLessThanTheMarginOverlapsWithNobody(RowFigures figures) {
		RealMember next = this.harness.offBy(Duration.ofSeconds(1));
		// Has a margin of 2 s
		HarnessClient client = client(Duration.ofSeconds(10));
		HarnessClient other = client(Harness.LONG);
		LockHandle handle = client.acquireUnrenewed();
		this.harness.elect(next);
		Expect.notifiedBeforeTheNextGrant(client, handle, other, figures.server(this.harness.set().label()));
		figures.add("ahead", "1000 ms of a margin of 2000 ms").add("overlap", "0 ms");
	}

	@Test
	@ShowsRow(value = 24, level = Level.REPLICA_SET)
	void aNextPrimaryWhoseClockIsAheadByMoreOverlapsForTheExcessAtMostAndTheFenceTells(RowFigures figures) {
		Duration ahead = Duration.ofSeconds(28);
		Duration margin = Duration.ofSeconds(6);
		RealMember next = this.harness.offBy(ahead);
		HarnessClient client = client(Duration.ofSeconds(30));
		HarnessClient other = client(Harness.LONG);
		LockHandle handle = client.acquireUnrenewed();
		this.harness.elect(next);
		LockHandle granted = other.acquire();
		Duration overlap = handle.remaining();
		Duration excess = ahead.minus(margin);
		assertThat(overlap).as("what no lease can prevent").isPositive();
		// The clocks of the stores are in whole milliseconds
		assertThat(overlap).isLessThan(excess.plusMillis(5));
		assertThat(granted.fence()).isGreaterThan(handle.fence());
		Expect.lost(handle::renew);
		assertThat(client.heard().awaitLoss().reason()).isEqualTo(LossReason.REFUSED);
		await().atMost(Harness.LONG).until(() -> !other.heard().steps().isEmpty());
		figures.server(this.harness.set().label()).add("ahead", "28000 ms of a margin of 6000 ms");
		figures.add("overlap", overlap.toMillis() + " ms, " + excess.toMillis() + " ms expected at most");
		figures.add("step reported", other.heard().steps().get(0).toMillis() + " ms").add("fence", "rose");
	}

	@Test
	@ShowsRow(value = 24, level = Level.REPLICA_SET)
	void theFenceRisesEvenIfTheClockOfTheNextPrimaryIsFarBehind(RowFigures figures) {
		RealMember next = this.harness.offBy(Duration.ofMinutes(-1));
		HarnessClient client = client(Harness.LONG);
		LockHandle handle = client.acquire();
		handle.close();
		this.harness.elect(next);
		long rise = client.acquire().fence() - handle.fence();
		assertThat(rise).isPositive();
		figures.server(this.harness.set().label()).add("behind", "60000 ms").add("fence", "rose by " + rise);
	}

	@Test
	@ShowsRow(value = 59, level = Level.REPLICA_SET)
	void aMemberWhoseClockIsOffIsNamedBeforeItIsElected(RowFigures figures) {
		RealMember wrong = this.harness.offBy(Duration.ofSeconds(5));
		Map<String, Duration> reported = new ConcurrentHashMap<>();
		ServerClockWatch watch = new ServerClockWatch(LockClock.system(), TOLERATED);
		watch.onClockOff(reported::put);
		MongoClientSettings.Builder settings = MongoClientSettings.builder()
			.applyConnectionString(
					new ConnectionString(this.harness.set().connectionString() + "&heartbeatFrequencyMS=500"));
		watch.attachTo(settings);
		try (MongoClient client = MongoClients.create(settings.build())) {
			await().atMost(Harness.LONG).until(() -> reported.containsKey(wrong.address()));
			assertThat(client.getClusterDescription().getServerDescriptions()).hasSize(3);
		}
		assertThat(wrong.isPrimary()).isFalse();
		assertThat(reported.get(wrong.address())).isGreaterThan(TOLERATED);
		figures.server(this.harness.set().label()).add("ahead", "5000 ms of 1000 ms tolerated");
		figures.add("said", reported.get(wrong.address()).toMillis() + " ms");
	}

	// With an empty database, and a connection open
	private HarnessClient client(Duration ttl) {
		MongoClient mongo = MongoClients.create(this.harness.set().connectionString());
		mongo.getDatabase(Harness.DATABASE).drop();
		HarnessClient client = HarnessClient.of(mongo, HarnessClient.settings(ttl, Harness.LONG), LockClock.system());
		this.clients.add(client);
		return client.warm();
	}

}
