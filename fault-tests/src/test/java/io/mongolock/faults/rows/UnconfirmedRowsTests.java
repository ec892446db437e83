package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.Document;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

import io.mongolock.LockHandle;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.data.FencedWrites;
import io.mongolock.data.Sequences;
import io.mongolock.documents.LockedDocument;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.PrimaryFate;
import io.mongolock.faults.harness.ReplicaSetHarness;
import io.mongolock.faults.harness.ScriptedSet;
import io.mongolock.faults.harness.SetMember;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.rows.DocumentLockRowsTests.Editor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Rows 17, 49, 66 and 71: the primary executes a write, reaches nobody to confirm it, and
 * is replaced. What it alone has is then kept or rolled back.
 */
@Timeout(120)
class UnconfirmedRowsTests {

	private static final LockSettings EDITING = HarnessClient.settings(Harness.LONG, Duration.ofSeconds(60));

	@AutoClose
	private final ReplicaSetHarness harness = new ReplicaSetHarness();

	private final ScriptedSet set = this.harness.set();

	@ParameterizedTest(name = "{displayName}: {0}, retryWrites={1}")
	@MethodSource("fates")
	@ShowsRow(value = 17, level = Level.PROXY)
	void aClaimIsGrantedOnce(PrimaryFate fate, boolean retryWrites, RowFigures figures) {
		HarnessClient client = client("&retryWrites=" + retryWrites);
		SetMember old = this.set.primary();
		CompletableFuture<LockHandle> granted = this.set.executeUnconfirmed(client::acquire);
		long executed = old.stored().orElseThrow().fence();
		SetMember next = fate.befall(this.set);
		assertThat(granted).succeedsWithin(Harness.LONG);
		LockHandle handle = granted.join();
		assertThat(handle.fence() == executed).isEqualTo(fate.keeps());
		assertThat(next.stored().orElseThrow().fence()).isEqualTo(handle.fence());
		assertThat(this.set.members()).allSatisfy((member) -> Expect.heldBy(handle, member.holders()));
		handle.close();
		figures.server(ScriptedSet.SERVER).add("double grants", 0);
	}

	@ParameterizedTest(name = "{displayName}: {0}, retryWrites={1}")
	@MethodSource("fates")
	@ShowsRow(value = 66, level = Level.PROXY)
	void aNumberOfASequenceIsGivenToNobody(PrimaryFate fate, boolean retryWrites, RowFigures figures) {
		MongoClient client = client("&retryWrites=" + retryWrites).mongo();
		Sequences one = SequenceRowsTests.sequences(client, Harness.LONG);
		List<Long> given = new ArrayList<>(SequenceRowsTests.block(one));
		CompletableFuture<Long> next = this.set.executeUnconfirmed(() -> one.next(SequenceRowsTests.NAME));
		fate.befall(this.set);
		assertThat(next).succeedsWithin(Harness.LONG);
		given.add(next.join());
		given.addAll(SequenceRowsTests.block(one));
		given.addAll(SequenceRowsTests.block(SequenceRowsTests.sequences(client, Harness.LONG)));
		assertThat(given).doesNotHaveDuplicates();
		long value = numbersTaken(this.set.primary());
		assertThat(this.set.members()).allSatisfy((member) -> assertThat(numbersTaken(member)).isEqualTo(value));
		figures.server(ScriptedSet.SERVER).add("twice", 0).add("gaps and blocks in use", value - given.size());
	}

	static Stream<Arguments> fates() {
		return Arrays.stream(PrimaryFate.values())
			.flatMap((fate) -> Stream.of(Arguments.of(fate, true), Arguments.of(fate, false)));
	}

	@Test
	@ShowsRow(value = 49, level = Level.PROXY)
	void aGuardedWriteThatNobodyElseHasWhenThePrimaryDiesWasNotAccepted(RowFigures figures) {
		CompletableFuture<Long> written = write(false);
		PrimaryFate.DIES.befall(this.set);
		assertThat(written).failsWithin(Harness.LONG);
		assertBalanceEverywhere(100);
		figures.server(ScriptedSet.SERVER).add("accepted and rolled back", 0);
	}

	@Test
	@ShowsRow(value = 49, level = Level.PROXY)
	void aGuardedWriteThatIsAcceptedStandsOnTheNextPrimary(RowFigures figures) {
		CompletableFuture<Long> written = write(true);
		PrimaryFate.STEPS_DOWN.befall(this.set);
		assertThat(written).succeedsWithin(Harness.LONG).isEqualTo(1L);
		assertBalanceEverywhere(50);
		figures.server(ScriptedSet.SERVER).add("accepted and kept", 1);
	}

	// By an application whose own write concern is w: 1
	private CompletableFuture<Long> write(boolean retryWrites) {
		HarnessClient client = client("&w=1&retryWrites=" + retryWrites);
		MongoTemplate mongo = new MongoTemplate(client.mongo(), Harness.DATABASE);
		mongo.insert(new Account("account", 100));
		FencedWrites writes = FencedWrites.of(mongo, HarnessClient.store(client.mongo()));
		LockHandle lock = client.acquireUnrenewed();
		return this.set.executeUnconfirmed(() -> writes
			.update(lock, Query.query(Criteria.where("id").is("account")), Update.update("balance", 50), Account.class)
			.getMatchedCount());
	}

	@ParameterizedTest
	@EnumSource(names = { "DIES", "STEPS_DOWN" })
	@ShowsRow(value = 71, level = Level.PROXY)
	void aLockOutlivesThePrimaryThatGrantedItAndTheSaveIsThere(PrimaryFate fate, RowFigures figures) {
		try (Editor here = editor("here"); Editor there = editor("there")) {
			LockedDocument<Article> locked = lock(here);
			fate.befall(this.set);
			assertDenied(there);
			// Its own driver may not have found the next primary yet, or lose the answer
			await().atMost(Harness.LONG).untilAsserted(() -> assertThat(goOn(here, locked)).isIn("saved", "lost"));
			assertSavedOnceAndFree(locked, there);
		}
		figures.server(ScriptedSet.SERVER).add("granted to another meanwhile, " + fate, 0).add("saves", 1);
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 71, level = Level.PROXY)
	void aSaveThatOneMemberAloneHasIsMadeOnceOrSaysSo(PrimaryFate fate, RowFigures figures) {
		try (Editor here = editor("here"); Editor there = editor("there")) {
			LockedDocument<Article> locked = lock(here);
			CompletableFuture<String> save = this.set.executeUnconfirmed(() -> save(here, locked));
			fate.befall(this.set);
			assertThat(save).succeedsWithin(Harness.LONG).isEqualTo("failed");
			await().atMost(Harness.LONG)
				.untilAsserted(() -> assertThat(saveAgain(here, locked)).isEqualTo((fate.keeps()) ? "lost" : "saved"));
			assertSavedOnceAndFree(locked, there);
		}
		figures.server(ScriptedSet.SERVER).add("saves, " + fate, 1);
	}

	// The set knows no retried writes, so that these tests see what they would hide
	private Editor editor(String instance) {
		return new Editor(instance, client("&retryWrites=false").mongo());
	}

	static LockedDocument<Article> lock(Editor editor) {
		editor.template().insert(new Article("a", "draft", null));
		return editor.documents().lock(Article.class, "a", EDITING);
	}

	static String save(Editor editor, LockedDocument<Article> locked) {
		return editor.save(locked, new Article("a", "saved", 1L));
	}

	static String saveAgain(Editor editor, LockedDocument<Article> locked) {
		return editor.saveAgain(locked, Article.class, (found) -> new Article("a", "saved", found.version()));
	}

	private static String goOn(Editor editor, LockedDocument<Article> locked) {
		try {
			return save(editor, locked);
		}
		catch (IllegalStateException ex) {
			assertThat(ex).hasMessageContaining("answer was lost");
			return saveAgain(editor, locked);
		}
	}

	private void assertSavedOnceAndFree(LockedDocument<Article> locked, Editor other) {
		assertThat(this.set.members()).allSatisfy((member) -> {
			assertThat(member.document("a").getString("text").getValue()).isEqualTo("saved");
			assertThat(member.document("a").getInt64("version").getValue()).isEqualTo(2);
			assertThat(member.document("a").getDocument("lock").getArray("holders")).isEmpty();
		});
		assertSavedOnce(locked, other);
	}

	// As the next one sees it
	static void assertSavedOnce(LockedDocument<Article> locked, Editor other) {
		try (LockedDocument<Article> next = other.documents().lock(Article.class, "a", EDITING)) {
			assertThat(next.entity()).isEqualTo(new Article("a", "saved", 3L));
			assertThat(next.fence()).isGreaterThan(locked.fence());
		}
	}

	// Until the driver has found the next primary there is no answer
	static void assertDenied(Editor other) {
		await().atMost(Harness.LONG)
			.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> other.documents()
					.lock(Article.class, "a", LockSettings.builder().waitTimeout(Duration.ZERO).build()))
				.withMessageContaining("desk here"));
	}

	private HarnessClient client(String options) {
		return this.harness.client(this.set.connectionString() + options, Harness.LONG, Harness.LONG);
	}

	private void assertBalanceEverywhere(int balance) {
		assertThat(this.set.members()).allSatisfy(
				(member) -> assertThat(member.document("account").getInt32("balance").getValue()).isEqualTo(balance));
	}

	private static long numbersTaken(SetMember member) {
		return member.document(SequenceRowsTests.NAME).getInt64("value").getValue();
	}

	@Document(Harness.COLLECTION)
	record Account(@Id String id, int balance) {
	}

	@Document(Harness.COLLECTION)
	record Article(@Id String id, String text, @Version @Nullable Long version) {

	}

}
