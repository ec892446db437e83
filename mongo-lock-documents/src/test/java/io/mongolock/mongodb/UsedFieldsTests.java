package io.mongolock.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.ReadOnlyProperty;
import org.springframework.data.annotation.Transient;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.Unwrapped;
import org.springframework.data.mongodb.core.mapping.event.AbstractMongoEventListener;
import org.springframework.data.mongodb.core.mapping.event.AfterConvertCallback;
import org.springframework.data.mongodb.core.mapping.event.AfterLoadEvent;
import org.springframework.data.mongodb.core.mapping.event.BeforeSaveEvent;
import org.springframework.util.Assert;

import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for what becomes of fields that reading uses and writing does not repeat: a saved
 * entity reads back as it was saved.
 */
class UsedFieldsTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	@AutoClose
	private final MongoClient client = MongoClients.create(this.server.connectionString());

	private final MongoTemplate template = new MongoTemplate(this.client, "test");

	private final GenericApplicationContext context = new GenericApplicationContext();

	private final Listener listener = new Listener();

	private DocumentLocksFixture here;

	@BeforeEach
	void begin() {
		this.context.registerBean(Listener.class, () -> this.listener);
		this.context.registerBean(Titled.class, Titled::new);
		this.here = new DocumentLocksFixture("here", this.template, this.context);
		this.template.setApplicationContext(this.context);
	}

	@AfterEach
	void end() {
		this.here.close();
	}

	static Stream<Named<Save>> saves() {
		return Stream.of(Named.of("save", (test, text) -> {
			LockedDocument<Page> locked = test.here.documents().lock(Page.class, "p");
			test.here.documents().save(locked, locked.entity().with(text));
		}), Named.of("saveAndKeep", (test, text) -> {
			LockedDocument<Page> locked = test.here.documents().lock(Page.class, "p");
			Page kept = test.here.documents().saveAndKeep(locked, locked.entity().with("draft of " + text));
			test.here.documents().save(locked, kept.with(text));
		}), Named
			.of("update",
					(test, text) -> OptimisticUpdater.of(test.template,
							new FullJitterBackOff(1, Duration.ofMillis(1), 1, Duration.ofMillis(1)), test.context)
						.update(Page.class, "p", (page) -> page.with(text))));
	}

	@ParameterizedTest
	@MethodSource("saves")
	void whatAListenerMovesIsNotMovedAgain(Save save) {
		this.listener.loading = (document) -> {
			if (document.containsKey("oldText")) {
				document.put("text", document.remove("oldText"));
			}
		};
		store(new Document("oldText", "old").append("other", 1));
		save.run(this, "new");
		assertThat(read().text()).isEqualTo("new");
		assertThat(stored()).doesNotContainKey("oldText").containsEntry("other", 1);
	}

	@ParameterizedTest
	@MethodSource("saves")
	void whatAListenerMovesOutOfAnotherFieldIsNotMovedAgain(Save save) {
		this.listener.loading = (document) -> {
			Document meta = document.get("meta", Document.class);
			if (meta.containsKey("oldText")) {
				document.put("text", meta.remove("oldText"));
			}
		};
		store(new Document("meta", new Document("oldText", "old").append("by", "me")));
		save.run(this, "new");
		assertThat(read().text()).isEqualTo("new");
		assertThat(stored()).containsEntry("meta", new Document("by", "me"));
	}

	@ParameterizedTest
	@MethodSource("saves")
	void whatAListenerCopiesIsNotCopiedAgain(Save save) {
		this.listener.loading = (document) -> {
			if (document.containsKey("oldText")) {
				document.put("text", document.getString("oldText"));
			}
		};
		store(new Document("oldText", "old").append("other", 1));
		save.run(this, "new");
		assertThat(read().text()).isEqualTo("new");
		assertThat(stored()).containsEntry("other", 1);
	}

	@ParameterizedTest
	@MethodSource("saves")
	void whatACreatorTakesFromAnotherFieldIsNotTakenAgain(Save save) {
		store(new Document("title", "old").append("other", 1));
		assertThat(read().text()).isEqualTo("old");
		save.run(this, "new");
		assertThat(read().text()).isEqualTo("new");
		assertThat(stored()).containsEntry("other", 1);
	}

	@ParameterizedTest
	@MethodSource("saves")
	void whatACallbackTakesFromTheDocumentIsNotTakenAgain(Save save) {
		store(new Document("callbackText", "old").append("other", 1));
		assertThat(read().text()).isEqualTo("old");
		save.run(this, "new");
		assertThat(read().text()).isEqualTo("new");
		assertThat(stored()).containsEntry("other", 1);
	}

	@ParameterizedTest
	@MethodSource("saves")
	void whatAListenerAddsToSomeDocumentsGoesWhereItAddsItNoLonger(Save save) {
		this.listener.saving = (document) -> {
			if ("long".equals(document.get("text"))) {
				document.put("summary", "l");
			}
		};
		store(new Document("text", "long").append("summary", "l").append("other", 1));
		save.run(this, "new");
		assertThat(stored()).doesNotContainKey("summary").containsEntry("other", 1);
		save.run(this, "long");
		assertThat(stored()).containsEntry("summary", "l");
	}

	@ParameterizedTest
	@MethodSource("saves")
	void aListenerThatRefusesWhatWasStoredHasAddedNothing(Save save) {
		this.listener.saving = (document) -> {
			if ("invalid".equals(document.get("text"))) {
				throw new IllegalArgumentException("invalid");
			}
		};
		store(new Document("text", "invalid").append("other", 1));
		save.run(this, "new");
		assertThat(stored()).containsEntry("text", "new").containsEntry("other", 1);
	}

	@ParameterizedTest
	@MethodSource("saves")
	void whatNobodyWritesStaysAlsoIfItIsReadOrLookedAt(Save save) {
		this.listener.loading = (document) -> assertThat(document.getString("tenant")).isEqualTo("t");
		store(new Document("text", "old").append("tenant", "t").append("views", 7).append("fence", 3L));
		save.run(this, "new");
		assertThat(stored()).containsEntry("tenant", "t").containsEntry("views", 7).containsEntry("fence", 3L);
		assertThat(read().views()).isEqualTo(7);
	}

	@ParameterizedTest
	@MethodSource("saves")
	void aFieldWithADotThatAListenerAddsIsRefusedBeforeItIsTakenForAPath(Save save) {
		this.listener.saving = (document) -> document.put("meta.by", "you");
		store(new Document("text", "old").append("meta", new Document("by", "me")));
		assertThatIllegalArgumentException().isThrownBy(() -> save.run(this, "new"))
			.withMessageContaining("stored in the field 'meta.by', which no update can name");
		assertThat(stored()).containsEntry("text", "old").containsEntry("meta", new Document("by", "me"));
	}

	@ParameterizedTest
	@MethodSource("saves")
	void whatDecidesOnAChangeStays(Save save) {
		this.listener.loading = (document) -> {
			if ("t".equals(document.getString("tenant"))) {
				document.put("text", document.getString("text").replace("sealed ", ""));
			}
		};
		this.listener.saving = (document) -> document.put("text", "sealed " + document.getString("text"));
		store(new Document("text", "sealed old").append("tenant", "t"));
		save.run(this, "new");
		assertThat(read().text()).isEqualTo("new");
		assertThat(stored()).containsEntry("tenant", "t").containsEntry("text", "sealed new");
	}

	@ParameterizedTest
	@MethodSource("saves")
	void whatBringsNoOldValueBackYetGoesWhenItWould(Save save) {
		store(new Document("title", "draft of new").append("other", 1));
		save.run(this, "new");
		assertThat(read().text()).isEqualTo("new");
		assertThat(stored()).containsEntry("other", 1);
	}

	@ParameterizedTest
	@MethodSource("saves")
	void whatReadsOtherwiseEachTimeLosesNothing(Save save) {
		this.listener.loading = (document) -> document.put("text", UUID.randomUUID().toString());
		store(new Document("text", "old").append("other", 1));
		save.run(this, "new");
		assertThat(stored()).containsEntry("text", "new").containsEntry("other", 1);
	}

	@ParameterizedTest
	@MethodSource("saves")
	void whatAListenerCannotReadWithoutAFieldLosesNothing(Save save) {
		this.listener.loading = (document) -> {
			Assert.state(document.containsKey("other"), "other is missing");
			document.put("text", UUID.randomUUID().toString());
		};
		store(new Document("text", "old").append("other", 1));
		save.run(this, "new");
		assertThat(stored()).containsEntry("text", "new").containsEntry("other", 1);
	}

	@Test
	void whatIsShownAndNotWrittenStays() {
		store(new Document("text", "old").append("views", 7), "shown");
		LockedDocument<Shown> locked = this.here.documents().lock(Shown.class, "p");
		locked.entity().text = "draft";
		Shown kept = this.here.documents().saveAndKeep(locked, locked.entity());
		kept.text = "new";
		this.here.documents().save(locked, kept);
		assertThat(stored("shown")).containsEntry("text", "new").containsEntry("views", 7);
		assertThat(this.here.documents().lock(Shown.class, "p").entity().views).isEqualTo(7);
	}

	@Test
	void whatIsReadOnlyStaysAlsoIfItIsUnwrapped() {
		store(new Document("text", "old").append("views", 7).append("all_views", 8), "note");
		LockedDocument<Note> locked = this.here.documents().lock(Note.class, "p");
		locked.entity().text = "new";
		this.here.documents().save(locked, locked.entity());
		assertThat(stored("note")).containsEntry("text", "new").containsEntry("views", 7).containsEntry("all_views", 8);
	}

	@Test
	void aListenerThatHidesTheLockDoesNotHaveAnUpdateRemoveIt() {
		store(new Document("text", "old"));
		try (LockedDocument<Page> locked = this.here.documents().lock(Page.class, "p")) {
			this.listener.loading = (document) -> document.remove("lock");
			saves().filter((save) -> save.getName().equals("update"))
				.forEach((save) -> save.getPayload().run(this, "new"));
			assertThat(stored()).containsEntry("text", "new");
			assertThat(locked.handle().isHeld()).isTrue();
			assertThat(this.here.documents().find(Page.class, "p")).isPresent();
		}
	}

	@Test
	void listenersHearOfASaveOnceWhereNothingIsLeft() {
		List<String> saved = new ArrayList<>();
		this.listener.saving = (document) -> saved.add(String.valueOf(document.get("text")));
		store(new Document("text", "old").append("views", 7));
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "p");
		this.here.documents().save(locked, locked.entity().with("new"));
		assertThat(saved).containsExactly("new");
	}

	private void store(Document document) {
		store(document, "page");
	}

	private void store(Document document, String collection) {
		this.template.getCollection(collection).insertOne(document.append("_id", "p").append("version", 1L));
	}

	private Document stored() {
		return stored("page");
	}

	private Document stored(String collection) {
		return Objects.requireNonNull(this.template.getCollection(collection).find().first());
	}

	private Page read() {
		return Objects.requireNonNull(this.template.findById("p", Page.class));
	}

	interface Save {

		void run(UsedFieldsTests test, String text);

	}

	static class Page {

		@Id
		private final String id;

		private final @Nullable String text;

		private final @Nullable Document meta;

		@ReadOnlyProperty
		private final @Nullable Integer views;

		@Version
		private final @Nullable Long version;

		Page(String id, @Value("#root.title ?: #root.text") @Nullable String text, @Nullable Document meta,
				@Nullable Integer views, @Nullable Long version) {
			this.id = id;
			this.text = text;
			this.meta = meta;
			this.views = views;
			this.version = version;
		}

		@Nullable String text() {
			return this.text;
		}

		@Nullable Integer views() {
			return this.views;
		}

		Page with(String text) {
			return new Page(this.id, text, this.meta, this.views, this.version);
		}

		// As Spring Data raises it
		Page withVersion(@Nullable Long version) {
			return new Page(this.id, this.text, this.meta, this.views, version);
		}

	}

	static class Views {

		@ReadOnlyProperty
		@Nullable Integer views;

	}

	static class Note {

		@Id
		@Nullable String id;

		@Nullable String text;

		@Unwrapped(onEmpty = Unwrapped.OnEmpty.USE_NULL)
		@Nullable Views own;

		@ReadOnlyProperty
		@Unwrapped(onEmpty = Unwrapped.OnEmpty.USE_NULL, prefix = "all_")
		@Nullable Views all;

		@Version
		@Nullable Long version;

	}

	static class Shown {

		@Id
		@Nullable String id;

		@Nullable String text;

		@Transient
		final @Nullable Integer views;

		@Version
		@Nullable Long version;

		Shown(@Value("#root.views") @Nullable Integer views) {
			this.views = views;
		}

	}

	static class Titled implements AfterConvertCallback<Page> {

		@Override
		public Page onAfterConvert(Page page, Document document, String collection) {
			String text = document.getString("callbackText");
			return (text != null) ? page.with(text) : page;
		}

	}

	static class Listener extends AbstractMongoEventListener<Page> {

		private Consumer<Document> loading = (document) -> {
		};

		private Consumer<Document> saving = (document) -> {
		};

		@Override
		public void onAfterLoad(AfterLoadEvent<Page> event) {
			this.loading.accept(event.getDocument());
		}

		@Override
		public void onBeforeSave(BeforeSaveEvent<Page> event) {
			this.saving.accept(event.getDocument());
		}

	}

}
