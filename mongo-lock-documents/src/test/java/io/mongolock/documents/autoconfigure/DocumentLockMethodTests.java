package io.mongolock.documents.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.ApplicationContext;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.LockTicket;
import io.mongolock.documents.LockedDocument;
import io.mongolock.documents.NoSuchDocumentException;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for methods that run under the lock of a document.
 */
class DocumentLockMethodTests {

	private static final LockSettings EDITING = LockSettings.builder().ttl(Duration.ofMinutes(30)).build();

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	private final ApplicationContextRunner runner = DocumentContexts.on(this.server)
		.withPropertyValues("mongo-lock.wait-timeout=0s", "mongo-lock.locks.post.ttl=30m",
				"mongo-lock.locks.headline.ttl=50m")
		.withBean(Desk.class)
		.withBean(Told.class);

	@Test
	void aMethodSavesTheDocumentItIsHandedAndNothingMoreIsReleased() {
		run((context, desk) -> {
			desk.edit("a", "saved", null);
			assertThat(text(context)).isEqualTo("saved");
			assertThat(editors(context)).isEmpty();
			await().untilAsserted(() -> assertThat(context.getBean(Told.class).events())
				.containsExactly("acquired post:a", "released post:a"));
		});
	}

	@Test
	void theDocumentIsLockedWhileTheMethodRunsAndReleasedAfterIt() {
		run((context, desk) -> {
			assertThat(desk.look("a")).isEqualTo("post:a held by 1");
			assertThat(editors(context)).isEmpty();
			assertThat(text(context)).isEqualTo("draft");
		});
	}

	@Test
	void aDocumentThatTheMethodReleasesItselfIsReleasedOnce() {
		run((context, desk) -> {
			assertThat(desk.release("a", null)).isEmpty();
			await().untilAsserted(() -> assertThat(context.getBean(Told.class).events())
				.containsExactly("acquired post:a", "released post:a"));
		});
	}

	@Test
	void aLockThatTheMethodPassesOnOutlivesTheMethod() {
		run((context, desk) -> {
			LockTicket ticket = desk.passOn("a", null);
			assertThat(editors(context)).isPresent();
			assertThat(context.getBean(DocumentLockOperations.class).release(Post.class, "a", ticket)).isTrue();
		});
	}

	@Test
	void theExceptionOfTheMethodReachesTheCallerAndTheDocumentIsReleased() {
		run((context, desk) -> {
			IllegalStateException thrown = new IllegalStateException("mine");
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> desk.fail("a", thrown))
				.isSameAs(thrown);
			assertThat(editors(context)).isEmpty();
		});
	}

	@Test
	void settingsAreThoseOfTheCollectionOrOfTheNameAndThenOfTheMethod() {
		run((context, desk) -> {
			// less the margin
			assertThat(desk.remaining("a")).isBetween(Duration.ofMinutes(20), Duration.ofMinutes(30));
			assertThat(desk.named("a")).isBetween(Duration.ofMinutes(35), Duration.ofMinutes(50));
			assertThat(desk.own("a")).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(10));
		});
	}

	@Test
	void aDocumentThatAnotherEditsFailsTheCallOrSkipsIt() {
		run((context, desk) -> {
			context.getBean(DocumentLockOperations.class).lock(Post.class, "a", EDITING).ticket();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> desk.look("a"))
				.withMessageContaining("post:a");
			assertThat(desk.lookIfFree("a")).isEmpty();
			assertThat(desk.looks()).isZero();
		});
	}

	@Test
	void aFallbackAnswersForADocumentThatAnotherEdits() {
		run((context, desk) -> {
			context.getBean(DocumentLockOperations.class).lock(Post.class, "a", EDITING).ticket();
			assertThat(desk.lookOrSayWho("a", null)).isEqualTo("edited under post:a");
			assertThat(desk.lookOrSayWho("a", null)).as("asked again").isEqualTo("edited under post:a");
			assertThat(desk.looks()).isZero();
		});
	}

	@Test
	void aDocumentIsLockedOnlyWhereTheConditionHolds() {
		run((context, desk) -> {
			assertThat(desk.lookIf("a", true)).isEqualTo(1);
			assertThat(desk.lookIf("a", false)).isZero();
			assertThat(desk.lookIf(null, false)).as("the id is not asked for").isZero();
		});
	}

	@Test
	void aConditionAndAParameterForTheDocumentAreRefused() {
		this.runner.withBean(OfSome.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining("OfSome.run(")
				.hasMessageContaining("has the condition '#id != null' and a parameter LockedDocument"));
	}

	@Test
	void aDocumentThatIsNotThereFailsTheCallAlsoIfItMaySkip() {
		run((context, desk) -> {
			assertThatExceptionOfType(NoSuchDocumentException.class).isThrownBy(() -> desk.look("b"));
			assertThatExceptionOfType(NoSuchDocumentException.class).isThrownBy(() -> desk.lookIfFree("b"))
				.withMessageContaining("There is no")
				.withMessageContaining("to lock");
			assertThat(context.getBean(MongoTemplate.class).findAll(Post.class)).hasSize(1);
		});
	}

	@Test
	void aLossFailsTheCallUnlessItIsToBeIgnored() {
		run((context, desk) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> desk.lose("a"));
			desk.loseUnnoticed("a");
		});
	}

	@Test
	void aMethodInsideSharesTheLockAndWhatItSavesIsOverForTheOuterOneToo() {
		run((context, desk) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> desk.outer("a", null, () -> context.getBean(Desk.class).edit("a", "inside", null)))
				.withMessageContaining("released too early");
			assertThat(text(context)).isEqualTo("inside");
			assertThat(editors(context)).isEmpty();
		});
	}

	@Test
	void idsAreOfTheTypeThatTheMappingKnows() {
		this.runner.run((context) -> {
			Sheet sheet = context.getBean(MongoTemplate.class).insert(new Sheet(null, 1, null));
			assertThat(context.getBean(Desk.class).turn(sheet.id(), null)).isEqualTo(1);
		});
	}

	@Test
	void aNullIdSaysWhichKey() {
		run((context, desk) -> assertThatIllegalArgumentException().isThrownBy(() -> desk.look(null))
			.withMessageContaining("Desk.look(String)")
			.withMessageContaining("'#p0'")
			.withMessageContaining("the value is null"));
	}

	@Test
	void withoutSpringDataItIsRefused() {
		DocumentContexts.bare()
			.withPropertyValues("mongo-lock.enabled=false")
			.withClassLoader(new FilteredClassLoader("com.mongodb.client"))
			.withBean(Alone.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining("Alone.run(")
				.hasMessageContaining("has document = Post.class, but the application cannot lock documents")
				.hasMessageContaining("Spring Data MongoDB"));
	}

	@Test
	void aParameterForAnotherDocumentIsRefused() {
		this.runner.withBean(OfAnother.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining(
						"but its parameter io.mongolock.documents.LockedDocument<java.lang.String> cannot")
				.hasMessageContaining("Declare the parameter as LockedDocument<Post>."));
	}

	private void run(Trial trial) {
		ContextConsumer<ApplicationContext> consumer = (context) -> {
			context.getBean(MongoTemplate.class).insert(new Post("a", "draft", null));
			trial.run(context, context.getBean(Desk.class));
		};
		this.runner.run(consumer::accept);
	}

	private static String text(ApplicationContext context) {
		return context.getBean(MongoTemplate.class).findById("a", Post.class).text();
	}

	private static Optional<?> editors(ApplicationContext context) {
		return context.getBean(DocumentLockOperations.class).find(Post.class, "a");
	}

	record Post(@Id String id, String text, @Version Long version) {

	}

	record Sheet(@Id ObjectId id, int side, @Version @Nullable Long version) {

	}

	static class OfAnother {

		@DistributedLock(document = Post.class, key = "#id")
		void run(String id, LockedDocument<String> locked) {
		}

	}

	static class OfSome {

		@DistributedLock(document = Post.class, key = "#id", condition = "#id != null")
		void run(String id, LockedDocument<Post> locked) {
		}

	}

	@FunctionalInterface
	interface Trial {

		void run(ApplicationContext context, Desk desk) throws Exception;

	}

	static class Told implements LockListener {

		private final List<String> events = new CopyOnWriteArrayList<>();

		List<String> events() {
			return this.events;
		}

		@Override
		public void onAcquired(LockHandle handle) {
			this.events.add("acquired " + handle.key());
		}

		@Override
		public void onReleased(LockHandle handle) {
			this.events.add("released " + handle.key());
		}

	}

	static class Desk {

		private final DocumentLockOperations documents;

		private int looks;

		Desk(DocumentLockOperations documents) {
			this.documents = documents;
		}

		int looks() {
			return this.looks;
		}

		@DistributedLock(document = Post.class, key = "#p0")
		void edit(String id, String text, LockedDocument<Post> locked) {
			Post post = locked.entity();
			locked.save(new Post(post.id(), text, post.version()));
		}

		@DistributedLock(document = Post.class, key = "#p0")
		String look(String id) {
			LockHandle handle = LockContext.current();
			return handle.key() + ((handle.isHeld()) ? " held" : " lost") + " by "
					+ this.documents.list(Post.class).size();
		}

		@DistributedLock(document = Post.class, key = "#p0", onUnavailable = OnUnavailable.SKIP)
		Optional<String> lookIfFree(String id) {
			this.looks++;
			return Optional.of("looked");
		}

		@DistributedLock(document = Post.class, key = "#p0", fallback = "sayWho")
		String lookOrSayWho(String id, LockedDocument<Post> locked) {
			this.looks++;
			return "looked";
		}

		private String sayWho(String id, LockedDocument<Post> locked, LockUnavailableException ex) {
			assertThat(locked).isNull();
			return "edited under " + ex.getKey();
		}

		@DistributedLock(document = Post.class, key = "#p0", condition = "#p1")
		int lookIf(String id, boolean lock) {
			return this.documents.list(Post.class).size();
		}

		@DistributedLock(document = Post.class, key = "#p0")
		Optional<?> release(String id, LockedDocument<Post> locked) {
			locked.close();
			return this.documents.find(Post.class, id);
		}

		@DistributedLock(document = Post.class, key = "#p0")
		LockTicket passOn(String id, LockedDocument<? extends Post> locked) {
			return locked.ticket();
		}

		@DistributedLock(document = Post.class, key = "#p0")
		void fail(String id, RuntimeException thrown) {
			throw thrown;
		}

		@DistributedLock(document = Post.class, key = "#p0")
		Duration remaining(String id) {
			return LockContext.current().remaining();
		}

		@DistributedLock(document = Post.class, key = "#p0", name = "headline")
		Duration named(String id) {
			return LockContext.current().remaining();
		}

		@DistributedLock(document = Post.class, key = "#p0", name = "headline", ttl = "10m")
		Duration own(String id) {
			return LockContext.current().remaining();
		}

		@DistributedLock(document = Post.class, key = "#p0")
		void lose(String id) {
			this.documents.breakLock(Post.class, id);
			LockContext.current().renew();
		}

		@DistributedLock(document = Post.class, key = "#p0", onLost = OnLost.IGNORE)
		void loseUnnoticed(String id) {
			this.documents.breakLock(Post.class, id);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> LockContext.current().renew());
		}

		@DistributedLock(document = Post.class, key = "#p0")
		void outer(String id, LockedDocument<Post> locked, Runnable inner) {
			long fence = locked.fence();
			inner.run();
			assertThat(LockContext.current().fence()).isEqualTo(fence);
		}

		@DistributedLock(document = Sheet.class, key = "#p0")
		int turn(ObjectId id, LockedDocument<Sheet> locked) {
			return locked.entity().side();
		}

	}

	static class Alone {

		@DistributedLock(document = Post.class, key = "#p0")
		void run(String id) {
		}

	}

}
