package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;

import com.mongodb.client.ClientSession;
import com.mongodb.client.model.Updates;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.rows.DocumentLockRowsTests.Article;
import io.mongolock.faults.rows.DocumentLockRowsTests.Editor;
import io.mongolock.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Row 94: a document that an open transaction of the application has written, and what
 * else ends at the same time.
 */
@Tag("real-server")
@Timeout(180)
class BlockedEndRowsTests {

	private static final Duration BUDGET = Duration.ofSeconds(50);

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
							.countDocuments(new Document("lock.holders.0", new Document("$exists", true))),
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
			for (int i = 0; i < 10; i++) {
				LockRequest lingering = LockRequest.builder("k" + i).linger(Duration.ofMinutes(1)).build();
				client.locks().execute(lingering, LockHandle::fence);
				client.locks().execute(lingering, LockHandle::fence);
			}
			assertThat(client.locks().idle().size()).isEqualTo(10);
			try (Transaction transaction = Transaction.on(harness, Harness.COLLECTION, "k0")) {
				stopsAllBut(transaction, () -> client.locks().stop(BUDGET), () -> taken(harness), 10, figures);
			}
			figures.server(harness.label());
		}
	}

	private static void stopsAllBut(Transaction transaction, Runnable stop, IntSupplier taken, int held,
			RowFigures figures) {
		assertThat(taken.getAsInt()).isEqualTo(held);
		long begun = System.nanoTime();
		CompletableFuture<Void> stopped = CompletableFuture.runAsync(stop);
		await().atMost(BUDGET).until(() -> taken.getAsInt() == 1);
		figures.add("others", held - 1).add("all of them free after", Harness.millis(System.nanoTime() - begun));
		assertThat(stopped).as("the one that is blocked is waited for").isNotDone();
		transaction.close();
		assertThat(stopped).succeedsWithin(BUDGET);
		assertThat(taken.getAsInt()).isZero();
	}

	private static int taken(Harness harness) {
		return (int) harness.store()
			.list(1000, Harness.LONG)
			.stream()
			.map(StoredLock::liveHolders)
			.filter((holders) -> !holders.isEmpty())
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
