package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

import com.mongodb.MongoException;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

import io.mongolock.LockHandle;
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
import io.mongolock.faults.rows.DocumentLockRowsTests.Article;
import io.mongolock.faults.rows.DocumentLockRowsTests.Editor;
import io.mongolock.test.proxy.CommandSelection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 67 to 69 and 71 inside transactions on three real members: each saves a locked
 * document, proves a lock of a key, takes a number of a sequence and writes a document
 * that no lock knows of.
 */
@Tag("real-server")
@Timeout(180)
class TransactionRowsTests {

	private static final LockSettings EDITING = HarnessClient.settings(Harness.LONG, Harness.LONG);

	@AutoClose
	private final RealSet set = new RealSet();

	private final HarnessClient client = this.set.client(Harness.LONG, Harness.LONG);

	@AutoClose
	private final Editor here = new Editor("here", this.client.mongo());

	@AutoClose
	private final Editor there = new Editor("there", this.set.observer());

	private final Sequences sequences = SequenceRowsTests.sequences(this.client.mongo(), Harness.LONG);

	private final FencedWrites writes = FencedWrites.of(this.here.template(), HarnessClient.store(this.client.mongo()));

	private final Queue<Long> numbers = new ConcurrentLinkedQueue<>();

	private LockHandle guard;

	@BeforeEach
	void insert() {
		this.here.template().insert(new Article("a", "draft", null));
		this.here.template().createCollection("entries");
		this.guard = this.client.acquire();
	}

	@AfterEach
	void noNumberTwice() {
		this.numbers.addAll(SequenceRowsTests.block(this.sequences));
		assertThat(this.numbers).doesNotHaveDuplicates();
	}

	@ParameterizedTest(name = "{displayName}: {1} of {0}")
	@CsvSource({ "commitTransaction, reply lost", "commitTransaction, request lost", "update, reply lost",
			"update, request lost", "insert, reply lost" })
	@ShowsRow(value = 67, level = Level.REPLICA_SET)
	void aTransactionWhoseMessageIsLostIsMadeOnceOrNotAtAll(String command, String what, RowFigures figures) {
		LockedDocument<Article> locked = lock(EDITING);
		lose(what, command);
		int attempts = 1;
		while (!isMade(() -> save(locked))) {
			assertNothingOf("draft", 1);
			assertThat(locked.handle().isHeld()).isTrue();
			attempts++;
		}
		assertMadeOnce(locked);
		figures.server(this.set.label()).add("attempts, " + what + " of " + command, attempts).add("saves", 1);
	}

	@Test
	@ShowsRow(value = 67, level = Level.REPLICA_SET)
	void aClaimInsideATransactionWhoseAnswerIsLostIsGrantedOnce(RowFigures figures) {
		this.set.members().primary().fromClients().on("findAndModify").collection("article").cutBeforeReply().once();
		LockedDocument<Article> locked = this.here.transactions().execute((status) -> {
			LockedDocument<Article> mine = lock(EDITING);
			save(mine);
			return mine;
		});
		assertMadeOnce(locked);
		figures.server(this.set.label()).add("raises of the version", 1).add("saves", 1);
	}

	@Test
	@ShowsRow(value = 68, level = Level.REPLICA_SET)
	void aTransactionOfAHolderThatWasTakenOverLeavesNothing(RowFigures figures) {
		LockedDocument<Article> mine = lock(LockSettings.builder().ttl(Duration.ofSeconds(1)).autoRenew(false).build());
		LockedDocument<Article> theirs = this.there.documents().lock(Article.class, "a", EDITING);
		Expect.lost(() -> save(mine));
		assertNothingOf("draft", 2);
		theirs.save(new Article("a", "theirs", 2L));
		Expect.lost(() -> save(mine));
		assertNothingOf("theirs", 3);
		assertThat(theirs.fence()).isGreaterThan(mine.fence());
		figures.server(this.set.label()).add("late transactions that left anything", 0);
	}

	@Test
	@ShowsRow(value = 68, level = Level.REPLICA_SET)
	void whoeverTakesOverWhileATransactionKeepsTheLockIsGrantedItAfterTheCommit(RowFigures figures) {
		LockedDocument<Article> mine = lock(LockSettings.builder().ttl(Duration.ofSeconds(1)).autoRenew(false).build());
		CompletableFuture<LockedDocument<Article>> theirs = this.here.transactions().execute((status) -> {
			// Renewed after that, it would be a write conflict
			this.writes.touch(this.guard);
			CompletableFuture<LockedDocument<Article>> waiting = Daemon
				.supply(() -> this.there.documents().lock(Article.class, "a", EDITING));
			await().atMost(Harness.LONG).until(() -> this.there.documents().find(Article.class, "a").isEmpty());
			assertThat(waiting).as("the lease has run out").isNotDone();
			write(mine);
			return waiting;
		});
		assertThat(theirs).succeedsWithin(Harness.LONG);
		assertThat(theirs.join().entity()).isEqualTo(new Article("a", "saved", 3L));
		assertThat(entries()).isOne();
		theirs.join().close();
		figures.server(this.set.label()).add("grants before the commit", 0);
	}

	@ParameterizedTest(name = "{displayName}: {0}")
	@ValueSource(strings = { "replaced", "deleted" })
	@ShowsRow(value = 69, level = Level.REPLICA_SET)
	void aTransactionDoesNotOverwriteAChangeThatWasMadeWithoutTheLock(String what, RowFigures figures) {
		LockedDocument<Article> locked = lock(EDITING);
		Document theirs = new Document("_id", "a").append("text", "plain").append("version", 1L);
		if (what.equals("replaced")) {
			this.there.template().getCollection("article").replaceOne(new Document("_id", "a"), theirs);
		}
		else {
			this.there.template().getCollection("article").deleteOne(new Document("_id", "a"));
		}
		Expect.lost(() -> save(locked));
		assertThat(this.there.template().getCollection("article").find().first())
			.isEqualTo((what.equals("replaced")) ? theirs : null);
		assertThat(entries()).isZero();
		figures.server(this.set.label()).add("overwritten, " + what, 0);
	}

	@ParameterizedTest
	@EnumSource(names = { "KILLED", "CUT_OFF", "STEPPED_DOWN" })
	@ShowsRow(value = 71, level = Level.REPLICA_SET)
	void aTransactionWhosePrimaryIsReplacedLeavesNothingAndIsMadeByTheNextOne(MemberFate fate, RowFigures figures) {
		LockSettings brief = HarnessClient.settings(Duration.ofSeconds(15), Duration.ofSeconds(90));
		LockedDocument<Article> first = lock(brief);
		assertThat(isMade(() -> this.here.transactions().executeWithoutResult((status) -> {
			enter();
			fate.befall(this.set);
			write(first);
		}))).isFalse();
		// If its commit was sent, nobody knows what became of it until it is locked again
		boolean held = first.handle().isHeld();
		LockedDocument<Article> locked = (held) ? first : lock(brief);
		assertThat(locked.entity().text()).isEqualTo("draft");
		await().atMost(Harness.LONG).until(() -> isMade(() -> save(locked)));
		this.set.members().heal();
		assertMadeOnce(locked);
		figures.server(this.set.label()).add("saves, " + fate, 1).add("lock held on, " + fate, held);
	}

	private LockedDocument<Article> lock(LockSettings settings) {
		return this.here.documents().lock(Article.class, "a", settings);
	}

	private void save(LockedDocument<Article> locked) {
		this.here.transactions().executeWithoutResult((status) -> write(locked));
	}

	private void write(LockedDocument<Article> locked) {
		enter();
		locked.save(new Article("a", "saved", locked.entity().version()));
	}

	private void enter() {
		this.writes.touch(this.guard);
		this.numbers.add(this.sequences.next(SequenceRowsTests.NAME));
		this.here.template().insert(new Document("by", "here"), "entries");
	}

	private static boolean isMade(Runnable transaction) {
		try {
			transaction.run();
			return true;
		}
		catch (DataAccessException | TransactionException | MongoException ex) {
			// The last is what a transaction ends with that could not keep a lock
			return false;
		}
	}

	// Of the next transaction
	private void lose(String what, String command) {
		CommandSelection next = this.set.members()
			.primary()
			.fromClients()
			.on(command)
			.when((sent) -> sent.containsKey("autocommit"));
		((what.equals("reply lost")) ? next.cutBeforeReply() : next.cut()).once();
	}

	private void assertMadeOnce(LockedDocument<Article> locked) {
		try (LockedDocument<Article> next = this.there.documents().lock(Article.class, "a", EDITING)) {
			assertThat(next.entity()).isEqualTo(new Article("a", "saved", locked.entity().version() + 1));
			assertThat(next.fence()).isGreaterThan(locked.fence());
		}
		assertThat(entries()).isOne();
	}

	private void assertNothingOf(String text, long version) {
		assertThat(this.there.template().findById("a", Article.class)).isEqualTo(new Article("a", text, version));
		assertThat(entries()).isZero();
	}

	private long entries() {
		return this.there.template().getCollection("entries").countDocuments();
	}

}
