package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockSettings;
import io.mongolock.data.FencedWrites;
import io.mongolock.data.Sequences;
import io.mongolock.documents.LockedDocument;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.MemberFate;
import io.mongolock.faults.harness.RealSet;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.rows.DocumentLockRowsTests.Editor;
import io.mongolock.faults.rows.UnconfirmedRowsTests.Account;
import io.mongolock.faults.rows.UnconfirmedRowsTests.Article;
import io.mongolock.store.Claim;
import io.mongolock.store.LeaseId;
import io.mongolock.store.ReleaseListener;
import io.mongolock.store.StoreSubscription;
import io.mongolock.test.server.RealMember;
import io.mongolock.test.server.RealMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 42, 49, 57, 65, 66, 71 and 89 on three real members that the tests start: the
 * stream of released locks, the queue, guarded writes, sequences and locked documents
 * while the primary dies, stands still, steps down or is cut off.
 */
@Tag("real-server")
@Timeout(180)
class ReplicaSetDataRowsTests {

	private static final LockOwner OWNER = new LockOwner("rows", "1", "localhost", 1, "");

	@AutoClose
	private final RealSet set = new RealSet();

	private final RealMongo members = this.set.members();

	private final HarnessClient client = this.set.client(Harness.LONG, Duration.ofSeconds(60));

	@ParameterizedTest
	@EnumSource(names = "CUT_OFF", mode = EnumSource.Mode.EXCLUDE)
	@ShowsRow(value = 42, level = Level.REPLICA_SET)
	void whateverBecomesOfThePrimaryTheStreamTellsOfReleasesAgain(MemberFate fate, RowFigures figures) {
		Notified notified = new Notified();
		try (StoreSubscription watch = HarnessClient.store(this.client.mongo()).watchReleases(notified)) {
			awaitRelease(notified);
			fate.befall(this.set);
			long befallen = System.nanoTime();
			awaitRelease(notified);
			assertThat(watch.isLive()).isTrue();
			figures.server(this.set.label()).add("notified again after", Harness.millis(System.nanoTime() - befallen));
		}
	}

	// It goes on there, and says nothing, because nothing happens there
	@Test
	@ShowsRow(value = 42, level = Level.REPLICA_SET)
	void whileTheStreamIsOnAMemberThatIsCutOffWhoeverWaitsIsGrantedByALook(RowFigures figures) {
		HarnessClient other = this.set.client(Harness.LONG, Duration.ofSeconds(60));
		Notified notified = new Notified();
		try (StoreSubscription watch = this.set.store().watchReleases(notified)) {
			awaitRelease(notified);
			LockHandle handle = other.acquire();
			CompletableFuture<LockHandle> waiting = this.client.acquireAsync();
			await().atMost(Harness.LONG)
				.until(() -> this.set.store().find(Harness.KEY, Harness.LONG).orElseThrow().queue().size() == 1);
			RealMember old = this.members.primary();
			old.isolate();
			this.members.primaryOtherThan(old);
			await().atMost(Harness.LONG)
				.ignoreExceptionsInstanceOf(DataAccessException.class)
				.untilAsserted(handle::renew);
			handle.close();
			long released = System.nanoTime();
			assertThat(waiting).as("before the lease runs out").succeedsWithin(Harness.LONG.dividedBy(2));
			figures.server(this.set.label())
				.add("granted after", Harness.millis(System.nanoTime() - released))
				.add("stream", (notified.seen.get()) ? "open" : "silent");
			waiting.join().close();
			this.members.heal();
			awaitRelease(notified);
			assertThat(watch.isLive()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 89, level = Level.REPLICA_SET)
	void anIdleLeaseIsRecalledWhateverBecomesOfThePrimary(MemberFate fate, RowFigures figures) {
		LockSettings lingering = LockSettings.builder()
			.ttl(Duration.ofSeconds(60))
			.waitTimeout(Duration.ofSeconds(90))
			.linger(Duration.ofSeconds(20))
			.build();
		HarnessClient keeper = this.set.client(lingering);
		HarnessClient other = this.set.client(lingering);
		AtomicLong fence = new AtomicLong();
		await().atMost(Harness.LONG).until(() -> {
			try (LockHandle handle = keeper.acquire()) {
				fence.set(handle.fence());
			}
			return !keeper.locks().idle().isEmpty();
		});
		fate.befall(this.set);
		long befallen = System.nanoTime();
		try (LockHandle granted = other.acquire()) {
			figures.server(this.set.label())
				.add(fate + ", granted after", Harness.millis(System.nanoTime() - befallen));
			assertThat(granted.fence()).isGreaterThan(fence.get());
			assertThat(keeper.locks().idle()).as("nobody takes it there").isEmpty();
		}
		try (LockHandle again = keeper.acquire()) {
			assertThat(again.fence()).isGreaterThan(fence.get());
		}
		assertThat(keeper.heard().losses()).as("nobody held it").isEmpty();
	}

	@Test
	@ShowsRow(value = 57, level = Level.REPLICA_SET)
	void aWaiterInTheQueueIsServedAfterThePrimaryIsKilled(RowFigures figures) {
		HarnessClient other = this.set.client(Harness.LONG, Duration.ofSeconds(90));
		LockHandle handle = this.client.acquire();
		CompletableFuture<LockHandle> waiting = other.acquireAsync();
		await().atMost(Harness.LONG)
			.until(() -> this.set.store().find(Harness.KEY, Harness.LONG).orElseThrow().queue().size() == 1);
		RealMember old = this.members.primary();
		old.kill();
		this.members.primaryOtherThan(old);
		long elected = System.nanoTime();
		handle.close();
		assertThat(waiting).succeedsWithin(Duration.ofSeconds(90));
		long granted = System.nanoTime();
		assertThat(waiting.join().fence()).isGreaterThan(handle.fence());
		this.members.heal();
		assertThat(this.set.holdersEverywhere(Harness.KEY)).containsOnly(List.of(waiting.join().fence()));
		figures.server(this.set.label()).add("granted after the election", Harness.millis(granted - elected));
	}

	@ParameterizedTest(name = "{displayName}: retryWrites={0}")
	@ValueSource(booleans = { false, true })
	@ShowsRow(value = 49, level = Level.REPLICA_SET)
	void aGuardedWriteOfAnApplicationWithOneMemberIsThereOrWasNotAccepted(boolean retryWrites, RowFigures figures) {
		HarnessClient single = this.set.client("retryWrites=" + retryWrites, WriteConcern.W1);
		MongoTemplate mongo = new MongoTemplate(single.mongo(), Harness.DATABASE);
		new MongoTemplate(this.set.observer(), Harness.DATABASE).insert(new Account("account", 100));
		FencedWrites writes = FencedWrites.of(mongo, HarnessClient.store(single.mongo()));
		LockHandle lock = single.acquire();
		CompletableFuture<Long> written = this.set.executeUnconfirmed(() -> writes
			.update(lock, Query.query(Criteria.where("id").is("account")), Update.update("balance", 50), Account.class)
			.getMatchedCount(), () -> balance(this.members.primary()) == 50);
		this.set.killUnconfirmed();
		if (retryWrites) {
			assertThat(written).succeedsWithin(Harness.LONG).isEqualTo(1L);
		}
		else {
			assertThat(written).failsWithin(Harness.LONG);
		}
		this.members.heal();
		assertThat(this.members.members())
			.allSatisfy((member) -> assertThat(balance(member)).isEqualTo((retryWrites) ? 50 : 100));
		figures.server(this.set.label()).add("accepted and rolled back", 0);
		figures.add("accepted, retryWrites=" + retryWrites, (retryWrites) ? 1 : 0);
	}

	private int balance(RealMember member) {
		return this.set.seenBy(member, "account").orElseThrow().getInteger("balance");
	}

	@Test
	@ShowsRow(value = 65, level = Level.REPLICA_SET)
	void aLostAnswerIsAGapAtMostAndNeverANumberTwice(RowFigures figures) {
		Sequences one = sequences(this.client.mongo());
		Sequences other = sequences(this.set.observer());
		Queue<Long> given = new ConcurrentLinkedQueue<>();
		for (int i = 0; i < 4 * SequenceRowsTests.BLOCK; i++) {
			if (i % SequenceRowsTests.BLOCK == 0) {
				this.members.primary().fromClients().on("findAndModify").cutBeforeReply().once();
			}
			given.add(one.next(SequenceRowsTests.NAME));
			given.add(other.next(SequenceRowsTests.NAME));
		}
		assertThat(given).doesNotHaveDuplicates();
		figures.server(this.set.label()).add("numbers", given.size()).add("twice", 0);
		figures.add("gaps and blocks in use", numbersTaken() - given.size());
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 66, level = Level.REPLICA_SET)
	void noNumberIsGivenTwiceWhateverBecomesOfThePrimary(MemberFate fate, RowFigures figures) {
		Queue<Long> given = new ConcurrentLinkedQueue<>();
		AtomicBoolean enough = new AtomicBoolean();
		HarnessClient unretried = this.set.client("retryWrites=false", WriteConcern.MAJORITY);
		List<CompletableFuture<Void>> takers = Stream.of(this.client, unretried)
			.map((taker) -> sequences(taker.mongo()))
			.map((sequences) -> Daemon.run(() -> {
				while (!enough.get()) {
					takeOne(sequences, given);
				}
			}))
			.toList();
		await().atMost(Harness.LONG).until(() -> given.size() > 20);
		fate.befall(this.set);
		int before = given.size();
		await().atMost(Duration.ofSeconds(60)).until(() -> given.size() > before + 200);
		this.members.heal();
		enough.set(true);
		assertThat(takers).allSatisfy((taker) -> assertThat(taker).succeedsWithin(Duration.ofSeconds(60)));
		given.addAll(SequenceRowsTests.block(sequences(this.set.observer())));
		assertThat(given).doesNotHaveDuplicates();
		figures.server(this.set.label()).add("numbers", given.size()).add("twice", 0);
		figures.add("gaps and blocks in use", numbersTaken() - given.size());
	}

	private static void takeOne(Sequences sequences, Queue<Long> given) {
		try {
			given.add(sequences.next(SequenceRowsTests.NAME));
		}
		catch (DataAccessException ex) {
			// Says that it is safe to ask again
		}
	}

	private static Sequences sequences(MongoClient client) {
		return SequenceRowsTests.sequences(client, Duration.ofSeconds(3));
	}

	private long numbersTaken() {
		return this.set.seenBy(this.members.primary(), SequenceRowsTests.NAME).orElseThrow().getLong("value");
	}

	@ParameterizedTest
	@EnumSource(names = { "KILLED", "CUT_OFF" })
	@ShowsRow(value = 71, level = Level.REPLICA_SET)
	void aLockOutlivesThePrimaryThatGrantedItAndTheSaveIsThere(MemberFate fate, RowFigures figures) {
		try (Editor here = new Editor("here", this.client.mongo());
				Editor there = new Editor("there", this.set.client(Harness.LONG, Harness.LONG).mongo())) {
			LockedDocument<Article> locked = UnconfirmedRowsTests.lock(here);
			fate.befall(this.set);
			UnconfirmedRowsTests.assertDenied(there);
			assertThat(UnconfirmedRowsTests.save(here, locked)).isEqualTo("saved");
			assertSavedOnceAndFree(locked, there);
		}
		figures.server(this.set.label()).add("granted to another meanwhile, " + fate, 0).add("saves", 1);
	}

	@Test
	@ShowsRow(value = 71, level = Level.REPLICA_SET)
	void aSaveThatThePrimaryAloneHasWhenItIsKilledIsMadeOnceByTheNextOne(RowFigures figures) {
		HarnessClient unretried = this.set.client("retryWrites=false", WriteConcern.MAJORITY);
		try (Editor here = new Editor("here", unretried.mongo());
				Editor there = new Editor("there", this.client.mongo())) {
			LockedDocument<Article> locked = UnconfirmedRowsTests.lock(here);
			CompletableFuture<String> save = this.set.executeUnconfirmed(() -> UnconfirmedRowsTests.save(here, locked),
					() -> "saved".equals(article(this.members.primary()).getString("text")));
			this.set.killUnconfirmed();
			assertThat(save).succeedsWithin(Harness.LONG).isEqualTo("failed");
			await().atMost(Harness.LONG)
				.untilAsserted(() -> assertThat(UnconfirmedRowsTests.saveAgain(here, locked)).isEqualTo("saved"));
			assertSavedOnceAndFree(locked, there);
		}
		figures.server(this.set.label()).add("saves", 1);
	}

	private Document article(RealMember member) {
		return this.set.seenBy(member, "a").orElseThrow();
	}

	private void assertSavedOnceAndFree(LockedDocument<Article> locked, Editor other) {
		this.members.heal();
		await().atMost(Harness.LONG).untilAsserted(() -> assertThat(this.members.members()).allSatisfy((member) -> {
			assertThat(article(member)).containsEntry("text", "saved").containsEntry("version", 2L);
			assertThat(article(member).get("lock", Document.class).getList("holders", Document.class)).isEmpty();
		}));
		UnconfirmedRowsTests.assertSavedOnce(locked, other);
	}

	// Releases locks, because the stream shows none that were released while it was away
	private void awaitRelease(Notified notified) {
		notified.seen.set(false);
		await().pollInterval(Duration.ofMillis(50))
			.atMost(Duration.ofSeconds(60))
			.ignoreExceptionsInstanceOf(DataAccessException.class)
			.until(() -> {
				LeaseId lease = new LeaseId("released:" + System.nanoTime(), "a");
				Duration timeout = Duration.ofSeconds(2);
				this.set.store().acquire(Claim.of(lease, OWNER, Harness.LONG), timeout);
				this.set.store().release(lease, timeout);
				return notified.seen.get();
			});
	}

	private static final class Notified implements ReleaseListener {

		private final AtomicBoolean seen = new AtomicBoolean();

		@Override
		public void released(String key) {
			this.seen.set(true);
		}

		@Override
		public void missed() {
			// A release is shown, not what may have been one
		}

	}

}
