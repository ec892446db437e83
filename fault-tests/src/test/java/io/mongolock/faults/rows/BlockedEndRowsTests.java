package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.mongodb.client.ClientSession;
import com.mongodb.client.model.Updates;
import org.bson.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.RealServer;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.rows.DocumentLockRowsTests.Article;
import io.mongolock.faults.rows.DocumentLockRowsTests.Editor;
import io.mongolock.test.proxy.Hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 94 and 95: a document that an open transaction of the application has written, and
 * what else ends at the same time.
 */
@Tag("real-server")
@Timeout(180)
class BlockedEndRowsTests {

	private static final Duration BUDGET = Duration.ofSeconds(50);

	@BeforeEach
	void needsTransactions() {
		RealServer.replicaSet();
	}

	@ParameterizedTest
	@ValueSource(ints = { 50, 600 })
	@ShowsRow(value = 94, level = Level.SERVER)
	void ofAllThatIsHeldAtAStopItAloneStaysTaken(int held, RowFigures figures) {
		try (Harness harness = Harness.onAnyServer()) {
			HarnessClient client = harness.direct(Duration.ofMinutes(5));
			for (int i = 0; i < held; i++) {
				client.locks().acquire(LockRequest.of("k" + i));
			}
			try (Transaction transaction = Transaction.on(harness, Harness.COLLECTION, "k0")) {
				stopsAllBut(transaction, () -> client.locks().stop(BUDGET), () -> taken(harness), held, figures);
			}
			figures.server(harness.label());
		}
	}

	@ParameterizedTest
	@CsvSource({ "0, 100, 1", "150, 100, 1", "300, 100, 1", "0, 3000, 8", "300, 3000, 8" })
	@ShowsRow(value = 94, level = Level.SERVER)
	void whenServerIsSlowThenTheBlockedAloneKeepTheirLeases(int millis, int held, int blocked, RowFigures figures) {
		try (Harness harness = Harness.onAnyServer()) {
			HarnessClient client = harness.client(harness.proxied(),
					HarnessClient.settings(Duration.ofMinutes(5), Harness.LONG), LockClock.system());
			for (int i = 0; i < held; i++) {
				client.locks().acquire(LockRequest.of("k" + i));
			}
			List<Transaction> transactions = IntStream.range(0, blocked)
				.mapToObj((i) -> Transaction.on(harness, Harness.COLLECTION, "k" + i * (held / blocked)))
				.toList();
			harness.proxy().on("update").delayRequest(Duration.ofMillis(millis)).always();
			long begun = System.nanoTime();
			CompletableFuture<Void> stopped = Daemon.run(() -> client.locks().stop(BUDGET));
			await().atMost(BUDGET)
				.until(() -> harness.observer()
					.getDatabase(Harness.DATABASE)
					.getCollection(Harness.COLLECTION)
					.countDocuments(new Document("holders.0", new Document("$exists", true)).append("holders.kept",
							new Document("$ne", true))) == blocked);
			figures.add("all others left to their margins after", Harness.millis(System.nanoTime() - begun));
			assertThat(stopped).isNotDone();
			transactions.forEach(Transaction::close);
			assertThat(stopped).succeedsWithin(BUDGET);
			figures.server(harness.label()).add("held", held).add("blocked", blocked).add("an update takes", millis);
		}
	}

	@Test
	@ShowsRow(value = 94, level = Level.SERVER)
	void ofTheDocumentsThatAreHeldAtAStopItAloneStaysTaken(RowFigures figures) {
		try (Harness harness = Harness.onAnyServer(); Editor editor = new Editor("here", harness.observer())) {
			LockSettings settings = HarnessClient.settings(Duration.ofMinutes(5), Harness.LONG);
			for (int i = 0; i < 30; i++) {
				editor.template().insert(new Article("a" + i, "draft", null));
				editor.documents().lock(Article.class, "a" + i, settings);
			}
			try (Transaction transaction = Transaction.on(harness, "article", "a0")) {
				stopsAllBut(transaction, () -> editor.stop(BUDGET),
						() -> (int) harness.observer()
							.getDatabase(Harness.DATABASE)
							.getCollection("article")
							.countDocuments(new Document("lock.holders.0", new Document("$exists", true))
								.append("lock.holders.kept", new Document("$ne", true))),
						30, figures);
			}
			figures.server(harness.label());
		}
	}

	@Test
	@ShowsRow(value = 94, level = Level.SERVER)
	void ofTheLeasesThatAreIdleAtAStopItAloneStaysTaken(RowFigures figures) {
		try (Harness harness = Harness.onAnyServer()) {
			HarnessClient client = harness.direct(Duration.ofMinutes(5));
			awaitStream(client);
			leaveIdle(client, "k", 10, Duration.ofMinutes(1));
			assertThat(client.locks().idle().size()).isEqualTo(10);
			try (Transaction transaction = Transaction.on(harness, Harness.COLLECTION, "k0")) {
				stopsAllBut(transaction, () -> client.locks().stop(BUDGET), () -> taken(harness), 10, figures);
			}
			figures.server(harness.label());
		}
	}

	@Test
	@ShowsRow(value = 95, level = Level.SERVER)
	void ofManyLeasesThatAreIdleTheyAloneStayTaken(RowFigures figures) {
		try (Harness harness = Harness.onAnyServer()) {
			HarnessClient client = harness.direct(Duration.ofMinutes(5));
			awaitStream(client);
			leaveIdle(client, "first", 40, Duration.ofSeconds(6));
			leaveIdle(client, "second", 40, Duration.ofSeconds(10));
			List<Transaction> transactions = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				transactions.add(Transaction.on(harness, Harness.COLLECTION, "first" + i));
			}
			transactions.add(Transaction.on(harness, Harness.COLLECTION, "second0"));
			long begun = System.nanoTime();
			await().atMost(BUDGET).until(() -> taken(harness) <= 60);
			figures.add("others of 40 whose linger is 6 s free after", Harness.millis(System.nanoTime() - begun));
			await().atMost(BUDGET).until(() -> taken(harness) == 21);
			figures.add("others of 40 whose linger is 10 s free after", Harness.millis(System.nanoTime() - begun));
			transactions.forEach(Transaction::close);
			await().atMost(BUDGET).until(() -> taken(harness) == 0);
			figures.server(harness.label()).add("blocked", 21);
		}
	}

	@Test
	@ShowsRow(value = 95, level = Level.SERVER)
	void theQueueOfAnotherLockIsLeftAllTheSame(RowFigures figures) {
		try (Harness harness = Harness.onAnyServer()) {
			HarnessClient client = harness.direct(Harness.LONG);
			HarnessClient other = harness.direct(Harness.LONG);
			List<LockHandle> held = Stream.of("blocked", "other")
				.map((key) -> other.locks().acquire(LockRequest.of(key)))
				.toList();
			List<CompletableFuture<LockHandle>> waiting = held.stream()
				.map((handle) -> client.locks().acquireAsync(LockRequest.of(handle.key())))
				.toList();
			held.forEach((handle) -> await()
				.until(() -> harness.store().find(handle.key(), Harness.LONG).orElseThrow().queue().size() == 1));
			Transaction transaction = Transaction.on(harness, Harness.COLLECTION, "blocked");
			waiting.forEach((one) -> one.cancel(false));
			held.get(1).close();
			long begun = System.nanoTime();
			other.locks().acquire(LockRequest.of("other")).close();
			figures.server(harness.label()).add("free lock granted after", Harness.millis(System.nanoTime() - begun));
			assertThat(harness.store().find("blocked", Harness.LONG).orElseThrow().queue()).hasSize(1);
			transaction.close();
		}
	}

	@Test
	@ShowsRow(value = 95, level = Level.SERVER)
	void anotherLockThatNobodyHoldsIsGrantedAtOnce(RowFigures figures) {
		try (Harness harness = Harness.onAnyServer()) {
			LockSettings settings = LockSettings.builder()
				.ttl(Duration.ofMinutes(10))
				.operationTimeout(Duration.ofMinutes(2))
				.build();
			HarnessClient client = harness.client(harness.proxied(), settings, LockClock.system());
			HarnessClient other = harness.direct(Harness.LONG);
			awaitStream(client);
			leaveIdle(client, "k", 40, Duration.ofSeconds(6));
			List<Transaction> transactions = IntStream.range(0, 20)
				.mapToObj((i) -> Transaction.on(harness, Harness.COLLECTION, "k" + i))
				.toList();
			await().atMost(BUDGET).until(() -> taken(harness) == 20);
			long longest = 0;
			for (int i = 0; i < 5; i++) {
				String free = "free" + i;
				Hold granted = harness.claims().when((claim) -> claim.toJson().contains(free)).holdReply();
				CompletableFuture<LockHandle> gone = client.locks().acquireAsync(LockRequest.of(free));
				granted.awaitHeld(Harness.LONG);
				gone.cancel(false);
				granted.release();
				long begun = System.nanoTime();
				other.locks().acquire(LockRequest.of(free)).close();
				longest = Math.max(longest, System.nanoTime() - begun);
			}
			assertThat(taken(harness)).as("still blocked").isEqualTo(20);
			figures.server(harness.label())
				.add("operation timeout", "120 s")
				.add("free locks granted after at most", Harness.millis(longest));
			transactions.forEach(Transaction::close);
			await().atMost(BUDGET).until(() -> taken(harness) == 0);
		}
	}

	// The first idle lease has the stream opened, and is released as that opens
	private static void awaitStream(HarnessClient client) {
		LockRequest first = LockRequest.builder("stream").linger(Duration.ofSeconds(2)).build();
		await().atMost(Harness.LONG).during(Duration.ofSeconds(1)).until(() -> {
			client.locks().execute(first, LockHandle::fence);
			return !client.locks().idle().isEmpty();
		});
		await().atMost(Harness.LONG).until(() -> client.locks().idle().isEmpty());
	}

	private static void leaveIdle(HarnessClient client, String prefix, int count, Duration linger) {
		for (int i = 0; i < count; i++) {
			LockRequest lingering = LockRequest.builder(prefix + i).linger(linger).build();
			client.locks().execute(lingering, LockHandle::fence);
			client.locks().execute(lingering, LockHandle::fence);
		}
	}

	private static void stopsAllBut(Transaction transaction, Runnable stop, IntSupplier taken, int held,
			RowFigures figures) {
		assertThat(taken.getAsInt()).isEqualTo(held);
		long begun = System.nanoTime();
		CompletableFuture<Void> stopped = Daemon.run(stop);
		await().atMost(BUDGET).until(() -> taken.getAsInt() == 1);
		figures.add("others", held - 1)
			.add("all of them free, or left to their margins, after", Harness.millis(System.nanoTime() - begun));
		assertThat(stopped).as("the one that is blocked is waited for").isNotDone();
		transaction.close();
		assertThat(stopped).succeedsWithin(BUDGET);
		assertThat(taken.getAsInt()).isZero();
	}

	// For longer than work that was cut off has to end
	private static int taken(Harness harness) {
		return (int) harness.store()
			.list(1000, Harness.LONG)
			.stream()
			.flatMap((lock) -> lock.liveHolders().stream())
			.filter((holder) -> holder.remaining().compareTo(Duration.ofSeconds(6)) > 0)
			.count();
	}

	/**
	 * Blocks a document until it is closed.
	 */
	private record Transaction(ClientSession session) implements AutoCloseable {

		static Transaction on(Harness harness, String collection, String id) {
			ClientSession session = harness.observer().startSession();
			session.startTransaction();
			assertThat(harness.observer()
				.getDatabase(Harness.DATABASE)
				.getCollection(collection)
				.updateOne(session, new Document("_id", id), Updates.set("note", "blocked"))
				.getMatchedCount()).isOne();
			return new Transaction(session);
		}

		@Override
		public void close() {
			if (this.session.hasActiveTransaction()) {
				this.session.abortTransaction();
			}
			this.session.close();
		}

	}

}
