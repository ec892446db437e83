package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.ReplicaSetHarness;
import io.mongolock.faults.harness.ScriptedSet;
import io.mongolock.faults.harness.SetMember;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.mongo.ServerClockWatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 16, 24, 57 and 59: the primary dies or steps down, and the next one has a clock of
 * its own.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class FailoverRowsTests {

	/** Has a margin of 1 s. */
	private static final Duration TTL = Duration.ofSeconds(5);

	private static final Duration MARGIN = Duration.ofSeconds(1);

	@AutoClose
	private final ReplicaSetHarness harness = new ReplicaSetHarness();

	private final ScriptedSet set = this.harness.set();

	@Test
	@ShowsRow(value = 16, level = Level.PROXY)
	void aPrimaryThatIsReplacedInTimeCostsTheHolderNothing(RowFigures figures) {
		HarnessClient client = this.harness.client(Duration.ofSeconds(20), Harness.LONG);
		LockHandle handle = client.acquire();
		this.set.killPrimary();
		long killed = System.nanoTime();
		// 16 s are relied on and renewed every 5.3 s: at least one renewal has failed
		await().atMost(Harness.LONG).until(() -> handle.remaining().toMillis() < 10_000);
		SetMember next = this.set.elect();
		long elected = System.nanoTime();
		await().atMost(Harness.LONG).until(() -> !handle.isHeld() || handle.remaining().toMillis() > 12_000);
		assertThat(handle.isHeld()).isTrue();
		assertThat(client.heard().losses()).isEmpty();
		Expect.heldBy(handle, next.holders());
		handle.close();
		assertThat(client.acquire().fence()).isGreaterThan(handle.fence());
		figures.server(ScriptedSet.SERVER);
		figures.add("without a primary", Harness.millis(elected - killed) + " of 16000 ms relied on").add("lost", 0);
		figures.add("fence", "unchanged");
	}

	@Test
	@ShowsRow(value = 16, level = Level.PROXY)
	void aPrimaryThatIsReplacedTooLateCostsTheLockBeforeTheNextGrant(RowFigures figures) {
		HarnessClient client = this.harness.client(TTL, Harness.LONG);
		HarnessClient other = this.harness.client(Harness.LONG, Harness.LONG);
		LockHandle handle = client.acquire();
		this.set.killPrimary();
		SetMember survivor = this.set.members().get(1);
		// Late for the holder, early enough to renew for one that knew no margin
		await().atMost(Harness.LONG).until(() -> left(survivor).compareTo(MARGIN.dividedBy(2)) < 0);
		this.set.elect(survivor);
		Expect.notifiedBeforeTheNextGrant(client, handle, other, figures.server(ScriptedSet.SERVER));
	}

	@Test
	@ShowsRow(value = 57, level = Level.PROXY)
	void aWaiterInTheQueueIsServedAfterThePrimaryIsReplaced(RowFigures figures) {
		HarnessClient client = this.harness.client(Harness.LONG, Harness.LONG);
		HarnessClient other = this.harness.client(Harness.LONG, Duration.ofSeconds(90));
		LockHandle handle = client.acquire();
		CompletableFuture<LockHandle> waiting = other.acquireAsync();
		SetMember old = this.set.primary();
		await().atMost(Harness.LONG).until(() -> old.stored().filter((lock) -> lock.queue().size() == 1).isPresent());
		this.set.killPrimary();
		SetMember next = this.set.elect();
		long elected = System.nanoTime();
		handle.close();
		assertThat(waiting).succeedsWithin(Duration.ofSeconds(90));
		long granted = System.nanoTime();
		assertThat(waiting.join().fence()).isGreaterThan(handle.fence());
		Expect.heldBy(waiting.join(), next.holders());
		assertThat(next.stored().orElseThrow().queue()).isEmpty();
		figures.server(ScriptedSet.SERVER).add("granted after the election", Harness.millis(granted - elected));
	}

	@Test
	@ShowsRow(value = 24, level = Level.PROXY)
	void aNextPrimaryWhoseClockIsAheadByLessThanTheMarginOverlapsWithNobody(RowFigures figures) {
		HarnessClient client = this.harness.client(Duration.ofSeconds(10), Harness.LONG);
		HarnessClient other = this.harness.client(Harness.LONG, Harness.LONG);
		LockHandle handle = client.acquireUnrenewed();
		failOver(Duration.ofMillis(300));
		Expect.notifiedBeforeTheNextGrant(client, handle, other, figures.server(ScriptedSet.SERVER));
		figures.add("ahead", "300 ms of a margin of 2000 ms").add("overlap", "0 ms");
	}

	@ParameterizedTest(name = "{0} ms")
	@ValueSource(longs = { 24_000, 26_000, 28_000 })
	@ShowsRow(value = 24, level = Level.PROXY)
	void aNextPrimaryWhoseClockIsAheadByMoreOverlapsForTheExcessAndTheFenceTells(long ahead, RowFigures figures) {
		Duration margin = Duration.ofSeconds(6);
		HarnessClient client = this.harness.client(Duration.ofSeconds(30), Harness.LONG);
		HarnessClient other = this.harness.client(Harness.LONG, Harness.LONG);
		LockHandle handle = client.acquireUnrenewed();
		failOver(Duration.ofMillis(ahead));
		LockHandle next = other.acquire();
		Duration overlap = handle.remaining();
		Duration excess = Duration.ofMillis(ahead).minus(margin);
		assertThat(overlap).as("what no lease can prevent").isPositive();
		// The clocks of the stores are in whole milliseconds
		assertThat(overlap).isLessThan(excess.plusMillis(5));
		assertThat(next.fence()).isGreaterThan(handle.fence());
		Expect.lost(handle::renew);
		client.heard().awaitLoss();
		await().atMost(Harness.LONG).until(() -> !other.heard().steps().isEmpty());
		figures.server(ScriptedSet.SERVER).add("ahead", ahead + " ms of a margin of 6000 ms");
		figures.add("overlap", overlap.toMillis() + " ms, " + excess.toMillis() + " ms expected at most");
		figures.add("step reported", other.heard().steps().get(0).toMillis() + " ms").add("fence", "rose");
	}

	@Test
	@ShowsRow(value = 24, level = Level.PROXY)
	void aNextPrimaryWhoseClockIsBehindTakesOverLaterByThat(RowFigures figures) {
		HarnessClient client = this.harness.client(TTL, Harness.LONG);
		HarnessClient other = this.harness.client(Harness.LONG, Harness.LONG);
		long begun = System.nanoTime();
		LockHandle handle = client.acquireUnrenewed();
		failOver(Duration.ofSeconds(-2));
		Expect.notifiedBeforeTheNextGrant(client, handle, other, figures.server(ScriptedSet.SERVER));
		Duration late = Duration.ofNanos(System.nanoTime() - begun).minus(TTL);
		assertThat(late).isGreaterThan(Duration.ofMillis(1900));
		figures.add("behind", "2000 ms").add("take-over late by", late.toMillis() + " ms").add("overlap", "0 ms");
	}

	@Test
	@ShowsRow(value = 24, level = Level.PROXY)
	void theFenceRisesEvenIfTheClockOfTheNextPrimaryIsFarBehind(RowFigures figures) {
		HarnessClient client = this.harness.client(TTL, Harness.LONG);
		LockHandle handle = client.acquire();
		handle.close();
		failOver(Duration.ofMinutes(-1));
		long rise = client.acquire().fence() - handle.fence();
		assertThat(rise).isPositive();
		figures.server(ScriptedSet.SERVER).add("behind", "60000 ms").add("fence", "rose by " + rise);
	}

	private void failOver(Duration ahead) {
		SetMember next = this.set.members().get(1);
		next.clock().step(ahead);
		this.set.stepDown();
		this.set.elect(next);
	}

	@Test
	@ShowsRow(value = 59, level = Level.PROXY)
	void aMemberWhoseClockIsOffIsNamedBeforeItIsElected(RowFigures figures) {
		SetMember wrong = this.set.members().get(2);
		wrong.clock().step(Duration.ofSeconds(5));
		Map<String, Duration> reported = new ConcurrentHashMap<>();
		ServerClockWatch watch = new ServerClockWatch(LockClock.system(), MARGIN);
		watch.onClockOff(reported::put);
		MongoClientSettings.Builder settings = MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(this.set.connectionString()));
		watch.attachTo(settings);
		try (MongoClient client = MongoClients.create(settings.build())) {
			await().atMost(Harness.LONG).until(() -> reported.containsKey(wrong.address()));
			assertThat(client.getClusterDescription().getServerDescriptions()).hasSize(3);
		}
		assertThat(reported.get(wrong.address())).isGreaterThan(MARGIN);
		figures.server(ScriptedSet.SERVER).add("ahead", "5000 ms of 1000 ms tolerated");
		figures.add("said", reported.get(wrong.address()).toMillis() + " ms");
	}

	// How long the lease still lasts there
	private static Duration left(SetMember member) {
		StoredHolder holder = member.holders().get(0);
		return Duration.between(member.clock().instant(), holder.renewedAt().plus(holder.ttl()));
	}

}
