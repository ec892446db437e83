package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import com.mongodb.client.MongoClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.mapping.Document;

import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.PrimaryFate;
import io.mongolock.faults.harness.ReplicaSetHarness;
import io.mongolock.faults.harness.ScriptedSet;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.rows.DocumentLockRowsTests.Editor;
import io.mongolock.mongodb.LockedDocument;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Row 71: a locked document when the primary is replaced while it is edited, or while it
 * is saved.
 */
@Timeout(120)
class DocumentLockFailoverRowsTests {

	private static final LockSettings EDITING = LockSettings.builder()
		.ttl(Harness.LONG)
		.waitTimeout(Harness.LONG)
		.build();

	private static final LockSettings AT_ONCE = LockSettings.builder().waitTimeout(Duration.ZERO).build();

	@AutoClose
	private final ReplicaSetHarness rig = new ReplicaSetHarness();

	private final ScriptedSet set = this.rig.set();

	// the set knows no retried writes, so that this test sees what they would hide
	private final MongoClient mongo = this.rig
		.client(this.set.connectionString() + "&retryWrites=false", Harness.LONG, Harness.LONG)
		.mongo();

	@AutoClose
	private final Editor here = new Editor("here", this.mongo);

	@AutoClose
	private final Editor there = new Editor("there", this.mongo);

	@ParameterizedTest
	@EnumSource(names = { "DIES", "STEPS_DOWN" })
	@ShowsRow(value = 71, level = Level.PROXY)
	void aLockOutlivesThePrimaryThatGrantedItAndTheSaveIsThere(PrimaryFate fate, RowFigures figures) {
		LockedDocument<Article> locked = lock();
		fate.befall(this.set);
		// until the driver has found the next primary there is no answer
		await().atMost(Harness.LONG)
			.untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.there.documents().lock(Article.class, "a", AT_ONCE))
				.withMessageContaining("desk here"));
		assertThat(save(locked)).isEqualTo("saved");
		assertSavedOnceAndFree(locked);
		figures.server(ScriptedSet.SERVER).add("granted to another meanwhile, " + fate, 0).add("saves", 1);
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 71, level = Level.PROXY)
	void aSaveThatOneMemberAloneHasIsMadeOnceOrSaysSo(PrimaryFate fate, RowFigures figures) {
		LockedDocument<Article> locked = lock();
		CompletableFuture<String> save = this.set.executeUnconfirmed(() -> save(locked));
		fate.befall(this.set);
		assertThat(save).succeedsWithin(Harness.LONG).isEqualTo("failed");
		await().atMost(Harness.LONG)
			.untilAsserted(() -> assertThat(save(locked)).isEqualTo((fate.keeps()) ? "lost" : "saved"));
		assertSavedOnceAndFree(locked);
		figures.server(ScriptedSet.SERVER).add("saves, " + fate, 1);
	}

	private LockedDocument<Article> lock() {
		this.here.template().insert(new Article("a", "draft", null));
		return this.here.documents().lock(Article.class, "a", EDITING);
	}

	private String save(LockedDocument<Article> locked) {
		return this.here.save(locked, new Article("a", "saved", 1L));
	}

	private void assertSavedOnceAndFree(LockedDocument<Article> locked) {
		assertThat(this.set.members()).allSatisfy((member) -> {
			assertThat(member.document("a").getString("text").getValue()).isEqualTo("saved");
			assertThat(member.document("a").getInt64("version").getValue()).isEqualTo(2);
			assertThat(member.document("a").getDocument("lock").getArray("holders")).isEmpty();
		});
		try (LockedDocument<Article> next = this.there.documents().lock(Article.class, "a", EDITING)) {
			assertThat(next.entity()).isEqualTo(new Article("a", "saved", 3L));
			assertThat(next.fence()).isGreaterThan(locked.fence());
		}
	}

	@Document(Harness.COLLECTION)
	record Article(@Id String id, String text, @Version @Nullable Long version) {

	}

}
