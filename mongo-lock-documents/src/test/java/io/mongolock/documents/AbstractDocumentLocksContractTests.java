package io.mongolock.documents;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.domain.Sort.Direction;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.index.Index;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.util.backoff.FixedBackOff;

import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockHolder;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;
import io.mongolock.documents.store.DocumentKey;
import io.mongolock.documents.store.DocumentLockStore;
import io.mongolock.documents.store.LeaseSecrets;
import io.mongolock.store.LockFilter;
import io.mongolock.store.LockPage;
import io.mongolock.store.StoredLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests for {@link DocumentLockOperations} on any kind of server, by two instances.
 */
abstract class AbstractDocumentLocksContractTests extends AbstractMongoTests {

	private static final LockSettings UNRENEWED = LockSettings.builder().autoRenew(false).build();

	private static final LockSettings ONCE = LockSettings.builder().waitTimeout(Duration.ZERO).build();

	private static final String NOT_YOURS = "Lock 'posts:p1' is not held by this ticket. Perhaps the document does not "
			+ "exist, was saved with this ticket before, or was overwritten by a plain save. Or perhaps the lock was "
			+ "taken over, released, or released by force";

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	/** In the order in which MongoDB sorts them. */
	private static final List<String> IDS = List.of("null", "-1", "2.5", "3", "20", "NumberLong(\"9007199254740993\")",
			"NumberLong(\"9007199254740994\")", "\"\"", "\"4\"", "A", "a", "aß", "a\uFB00", "a\uD83D\uDD12", "b",
			"{\"of\": \"c\"}", "{\"of\": \"c\", \"and\": 1}", "new BinData(4, \"AQIDBAUGBwgJCgsMDQ4PEA==\")",
			"ObjectId(\"65a1b2c3d4e5f60718293a4a\")", "ObjectId(\"65a1b2c3d4e5f60718293a4b\")", "false", "true");

	private final List<String> broken = new CopyOnWriteArrayList<>();

	private LockTicket lastTicket;

	private DocumentLocksFixture here;

	private DocumentLocksFixture there;

	private MongoTemplate template;

	@Test
	void whenTheHolderSaysWhatItDoesThenTheDocumentHasItAfterTheNextRenewal() {
		LockedDocument<Post> locked = lock(LockSettings.builder().renewInterval(Duration.ofMillis(100)).build());
		locked.handle().note("proofreading");
		Awaitility.await().until(() -> "proofreading".equals(holders().get(0).getString("note")));
		locked.close();
	}

	@Test
	void whenAnInstanceBreaksItsOwnLockThenItsNextWaiterIsGrantedItAtOnce() throws Exception {
		LockSettings lasting = LockSettings.builder()
			.ttl(Duration.ofMinutes(30))
			.waitTimeout(Duration.ofMinutes(10))
			.build();
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, "p1", lasting);
		CompletableFuture<LockedDocument<Post>> next = CompletableFuture
			.supplyAsync(() -> this.here.documents().lock(Post.class, "p1", lasting));
		Awaitility.await().until(() -> this.here.client().waiting() == 1);
		assertThat(this.here.documents().breakLock(Post.class, "p1")).isPresent();
		assertThat(locked.handle().isHeld()).isFalse();
		next.get(30, TimeUnit.SECONDS).close();
	}

	@BeforeEach
	void begin() {
		this.template = template();
		this.here = new DocumentLocksFixture("here", this.template, new GenericApplicationContext());
		this.there = new DocumentLocksFixture("there", template(), new GenericApplicationContext(), new LockListener() {

			@Override
			public void onBroken(String key, LockHolder holder) {
				AbstractDocumentLocksContractTests.this.broken.add(key + " " + holder.owner().instance());
			}

		});
		this.broken.clear();
		this.template.insert(new Post("p1", "draft", null));
	}

	@AfterEach
	void end() {
		this.here.close();
		this.there.close();
	}

	@Test
	void aLockBringsTheEntityAsItStoodAtTheGrant() {
		try (LockedDocument<Post> locked = lock()) {
			assertThat(locked.entity()).isEqualTo(new Post("p1", "draft", 1L));
			assertThat(locked.handle().isHeld()).isTrue();
			assertThat(locked.handle().key()).isEqualTo("posts:p1");
			assertThat(locked.fence()).isEqualTo(locked.handle().fence()).isPositive();
			assertThat(stored().get("lock", Document.class).getList("holders", Document.class)).hasSize(1);
		}
		assertThat(holders()).isEmpty();
	}

	@Test
	void aLockThatCannotBeReadHidesNoOtherFromAListOrALook() {
		this.template.insert(Document.parse("{_id: 'p0', lock: {holders: [{token: 1}]}}"), "posts");
		try (LockedDocument<Post> locked = lock()) {
			assertThat(this.there.documents().list(Post.class)).extracting(DocumentLock::id).containsExactly("p1");
			assertThat(store().findAll(List.of("posts:p0", "posts:p1"), TIMEOUT)).extracting(StoredLock::key)
				.containsExactly(locked.handle().key());
		}
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.there.documents().find(Post.class, "p0"))
			.withMessageContaining("posts:p0");
	}

	@Test
	void aDocumentThatDoesNotExistIsRefusedAndNotCreated() {
		assertThatExceptionOfType(NoSuchDocumentException.class)
			.isThrownBy(() -> this.here.documents().lock(Post.class, "p2"))
			.withMessage(
					"There is no Post 'posts:p2' to lock. The given id has the type STRING. Check whether the stored ids have this type");
		assertThatExceptionOfType(NoSuchDocumentException.class)
			.isThrownBy(() -> this.here.documents().lock(Post.class, 1))
			.withMessage(
					"There is no Post 'posts:1' to lock. The given id has the type INT32. Check whether the stored ids have this type");
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.documents().lock(Post.class, null))
			.withMessage("The id of the Post to lock is null");
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.documents().resume(Post.class, "p1", null))
			.withMessageStartingWith("The ticket is null");
		assertThat(this.template.findById("p2", Document.class, "posts")).isNull();
	}

	@Test
	void aDenialNamesTheHolderItsStartAndItsRemainingTime() {
		try (LockedDocument<Post> locked = lock(UNRENEWED)) {
			Document before = stored();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.there.documents().lock(Post.class, "p1", ONCE))
				.withMessageContaining("is held by desk here")
				.satisfies((ex) -> assertThat(ex.getHolders()).singleElement().satisfies((holder) -> {
					assertThat(holder.owner().instance()).isEqualTo("here");
					assertThat(holder.acquiredAt()).isCloseTo(Instant.now(), Assertions.within(Duration.ofMinutes(5)));
					assertThat(holder.remaining()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30));
					assertThat(holder.fence()).isEqualTo(locked.fence());
				}));
			assertThat(stored()).isEqualTo(before);
		}
	}

	@Test
	void tryLockLocksAFreeDocumentAndIsEmptyAtOnceForALockedOne() {
		LockSettings seldomRenewed = LockSettings.builder().ttl(Duration.ofMinutes(30)).build();
		try (LockedDocument<Post> locked = this.there.documents()
			.tryLock(Post.class, "p1", seldomRenewed)
			.orElseThrow()) {
			assertThat(locked.entity()).isEqualTo(new Post("p1", "draft", 1L));
			Document before = stored();
			assertThat(this.here.documents().tryLock(Post.class, "p1")).isEmpty();
			assertThat(this.here.documents().tryLock(Post.class, "p1", DocumentLocksFixture.WAITING)).isEmpty();
			assertThat(CompletableFuture.supplyAsync(() -> this.there.documents().tryLock(Post.class, "p1")).join())
				.as("another thread")
				.isEmpty();
			assertThat(stored()).isEqualTo(before);
			assertThat(this.template.getCollection("locks").countDocuments()).as("queues").isZero();
			assertThat(this.here.client().waiting()).isZero();
		}
		assertThat(this.here.documents().tryLock(Post.class, "p1")).isPresent();
		assertThatExceptionOfType(NoSuchDocumentException.class)
			.isThrownBy(() -> this.here.documents().tryLock(Post.class, "none"));
	}

	@Test
	void aWaiterIsGrantedTheSavedDocument() throws Exception {
		LockedDocument<Post> locked = lock();
		CompletableFuture<LockedDocument<Post>> other = CompletableFuture
			.supplyAsync(() -> this.there.documents().lock(Post.class, "p1", DocumentLocksFixture.WAITING));
		Awaitility.await()
			.until(() -> this.here.documents()
				.find(Post.class, "p1")
				.filter((lock) -> lock.waiting() == 1)
				.isPresent());
		assertThat(stored().get("lock", Document.class).getList("queue", Document.class)).isEmpty();
		locked.save(new Post("p1", "saved", locked.entity().version()));
		try (LockedDocument<Post> next = other.get()) {
			assertThat(next.entity()).isEqualTo(new Post("p1", "saved", 3L));
			assertThat(next.fence()).isGreaterThan(locked.fence());
		}
	}

	@Test
	void theHolderIsShownAsThePersonNamedInItsRequest() {
		try (LockedDocument<Post> locked = lock(LockSettings.builder().as("$Ann").build())) {
			assertThat(locked.handle().isHeld()).isTrue();
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> this.there.documents().lock(Post.class, "p1", ONCE))
				.withMessageContaining("is held by $Ann at desk here (host")
				.satisfies((ex) -> assertThat(ex.getHolders().get(0).owner().as()).isEqualTo("$Ann"));
			assertThat(this.there.documents().list(Post.class).get(0).holder().owner().as()).isEqualTo("$Ann");
		}
		this.here.documents()
			.execute(Post.class, "p1", (how) -> how.as("Bob"),
					(locked) -> assertThat(this.there.documents().find(Post.class, "p1").orElseThrow().holder().owner())
						.hasToString("Bob at desk here (host host, pid 1, thread main)"));
	}

	@Test
	void aSaveWritesTheEntityAndReleasesTheLock() {
		this.template.updateFirst(byId(), new Update().set("extra", "not in the entity"), Post.class);
		this.template.updateFirst(byId(), new Update().set("fence", 7L), "posts");
		LockedDocument<Post> locked = lock();
		Post saved = locked.save(new Post("p1", "$title", locked.entity().version()));
		assertThat(saved).isEqualTo(new Post("p1", "$title", 3L));
		assertThat(this.template.findById("p1", Post.class)).isEqualTo(saved);
		assertThat(stored()).doesNotContainKey("extra")
			.containsEntry("fence", 7L)
			.containsEntry("_class", Post.class.getName());
		assertThat(holders()).isEmpty();
		assertThat(locked.handle().isHeld()).isFalse();
		assertThat(this.here.client().held()).isZero();
		assertThatIllegalStateException().isThrownBy(() -> locked.save(saved))
			.withMessageContaining("was already released by close(), or by a save other than saveAndKeep. Lock the "
					+ "document again. To keep the lock after a save, use saveAndKeep");
		locked.close();
		this.there.documents().lock(Post.class, "p1").close();
	}

	@Test
	void aSaveThatKeepsTheLockWritesTheEntityAndRenewsIt() {
		this.template.updateFirst(byId(), new Update().set("extra", "not in the entity"), "posts");
		LockedDocument<Post> locked = lock(UNRENEWED);
		for (int i = 1; i <= 3; i++) {
			Date before = renewedAt();
			Awaitility.await().until(() -> Instant.now().isAfter(before.toInstant().plusMillis(1)));
			Post saved = locked.saveAndKeep(locked.entity().titled("kept " + i));
			assertThat(saved).isEqualTo(new Post("p1", "kept " + i, i + 1L)).isEqualTo(locked.entity());
			assertThat(this.template.findById("p1", Post.class)).isEqualTo(saved);
			assertThat(renewedAt()).isAfter(before);
			assertThat(locked.handle().isHeld()).isTrue();
		}
		assertThat(this.there.documents().tryLock(Post.class, "p1")).isEmpty();
		locked.save(locked.entity().titled(null));
		assertThat(stored()).doesNotContainKeys("extra", "title");
		assertThat(holders()).isEmpty();
		assertThat(this.here.client().held()).isZero();
	}

	@Test
	void aSaveThatKeepsTheLockMovesTheDeadlineOfItsHandle() {
		LockSettings unrenewed = LockSettings.builder().autoRenew(false).build();
		LockedDocument<Post> locked = lock(unrenewed);
		LockedDocument<Post> resumed = this.there.documents().resume(Post.class, "p2", lockAnother(unrenewed).ticket());
		assertMovesTheDeadline(this.here, locked);
		assertMovesTheDeadline(this.there, resumed);
		resumed.save(resumed.entity().titled("resumed"));
		locked.close();
	}

	// Only a renewal makes more of what remains, however long the machine stands still
	private static void assertMovesTheDeadline(DocumentLocksFixture instance, LockedDocument<Post> locked) {
		Duration granted = locked.handle().remaining();
		Awaitility.await().until(() -> locked.handle().remaining().compareTo(granted.minusMillis(200)) < 0);
		Duration before = locked.handle().remaining();
		Awaitility.await().until(() -> {
			locked.saveAndKeep(locked.entity());
			return locked.handle().remaining().compareTo(before) > 0;
		});
	}

	private LockedDocument<Post> lockAnother(LockSettings settings) {
		this.template.insert(new Post("p2", "draft", null));
		return this.here.documents().lock(Post.class, "p2", settings);
	}

	@Test
	void aSaveThatKeepsTheLockProvesThatItIsHeldAlsoIfItChangesNothing() {
		this.template.insert(new Note("n1", "a", null));
		LockedDocument<Note> locked = this.here.documents().lock(Note.class, "n1");
		assertThat(locked.saveAndKeep(locked.entity())).isEqualTo(locked.entity());
		assertThat(locked.entity().version()).isEqualTo(2);
		this.there.documents().breakLock(Note.class, "n1");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locked.saveAndKeep(locked.entity()))
			.withMessageEndingWith("Nothing was written");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(locked::close);
	}

	@Test
	void aSaveThatKeepsTheLockIsRefusedIfItIsLostAndLeavesTheVersionAsItWas() {
		this.template.insert(new Draft("d1", "one"));
		LockedDocument<Draft> locked = this.here.documents()
			.lock(Draft.class, "d1", LockSettings.builder().autoRenew(false).build());
		Draft mine = locked.saveAndKeep(locked.entity());
		assertThat(mine.version).isEqualTo(2);
		this.template.updateFirst(new Query(), new Update().inc("version", 1).set("title", "theirs"), Draft.class);
		assertThatExceptionOfType(OptimisticLockingFailureException.class).isThrownBy(() -> locked.saveAndKeep(mine));
		assertThat(locked.handle().isHeld()).isTrue();
		this.there.documents().breakLock(Draft.class, "d1");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locked.saveAndKeep(mine));
		assertThat(mine.version).isEqualTo(2);
		assertThat(this.template.findById("d1", Draft.class).title).isEqualTo("theirs");
	}

	@Test
	void aDeletionTakesTheDocumentAndItsLock() {
		LockedDocument<Post> locked = lock();
		Post kept = locked.saveAndKeep(locked.entity().titled("last"));
		assertThat(kept.version()).isEqualTo(2);
		locked.delete();
		assertThat(this.template.findAll(Post.class)).isEmpty();
		assertThat(locked.handle().isHeld()).isFalse();
		assertThat(this.here.client().held()).isZero();
		locked.close();
		assertThatIllegalStateException().isThrownBy(() -> locked.delete());
		assertThatExceptionOfType(NoSuchDocumentException.class).isThrownBy(this::lock);
	}

	@Test
	void aDeletionIsRefusedIfTheLockIsLostOrTheDocumentWasWritten() {
		LockedDocument<Post> locked = lock();
		this.template.updateFirst(byId(), new Update().inc("version", 1), Post.class);
		assertThatExceptionOfType(OptimisticLockingFailureException.class).isThrownBy(() -> locked.delete());
		assertThat(locked.handle().isHeld()).isTrue();
		locked.close();
		LockedDocument<Post> lost = lock();
		this.there.documents().breakLock(Post.class, "p1");
		try (LockedDocument<Post> other = this.there.documents().lock(Post.class, "p1")) {
			this.template.updateFirst(byId(), new Update().set("version", lost.entity().version()), Post.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lost.delete())
				.withMessageContaining("has been locked by desk there");
			assertThat(other.handle().isHeld()).isTrue();
		}
		assertThat(stored()).containsEntry("title", "draft");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close);
	}

	@Test
	void whenADocumentIsDeletedThenItsWaitersLearnThatThereIsNone() {
		LockedDocument<Post> locked = lock();
		List<CompletableFuture<LockedDocument<Post>>> waiters = List.of(wait(this.here), wait(this.here),
				wait(this.there), wait(this.there));
		Awaitility.await()
			.until(() -> this.here.client().waiting() == 2 && this.there.client().waiting() == 2
					&& this.here.documents().find(Post.class, "p1").filter((lock) -> lock.waiting() > 0).isPresent());
		locked.delete();
		waiters.forEach((waiter) -> assertThat(waiter).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(NoSuchDocumentException.class));
		assertThat(this.there.client().waiting()).isZero();
	}

	private static CompletableFuture<LockedDocument<Post>> wait(DocumentLocksFixture instance) {
		return CompletableFuture.supplyAsync(
				() -> instance.documents().lock(Post.class, "p1", DocumentLocksFixture.WAITING),
				(wait) -> new Thread(wait).start());
	}

	@Test
	void aSaveRemovesWhatIsNotWrittenAnyMore() {
		LockedDocument<Post> locked = lock();
		locked.save(new Post("p1", null, locked.entity().version()));
		assertThat(stored()).doesNotContainKey("title");
	}

	@Test
	void anOptimisticUpdateLeavesATicketGood() {
		LockTicket ticket = lock().ticket();
		OptimisticUpdater updates = OptimisticUpdater.of(this.template, new FixedBackOff(1, 0), context());
		updates.update(Post.class, "p1", (post) -> new Post("p1", "by another", post.version()));
		assertThatExceptionOfType(DocumentChangedException.class)
			.isThrownBy(() -> this.there.documents().resume(Post.class, "p1", ticket))
			.satisfies((ex) -> assertThat(ex.getDocument(Post.class).title()).isEqualTo("by another"));
		assertThat(this.there.documents().release(Post.class, "p1", ticket)).isTrue();
	}

	@Test
	void resumeOfADocumentChangedSinceTheTicketIsRefusedUntilItsHolderHasSeenTheChange() {
		OptimisticUpdater updates = OptimisticUpdater.of(this.template, new FixedBackOff(1, 0), context());
		DocumentLockOperations documents = this.there.documents();
		for (Runnable theirs : List.<Runnable>of(
				() -> this.template.updateFirst(byId(), Update.update("title", "theirs"), Post.class),
				() -> updates.update(Post.class, "p1", (post) -> post.titled("theirs")),
				() -> secondWindow(this.here.documents()))) {
			this.template.updateFirst(byId(), Update.update("title", "draft"), Post.class);
			this.lastTicket = lock().ticket();
			documents.renew(Post.class, "p1", this.lastTicket);
			theirs.run();
			documents.renew(Post.class, "p1", this.lastTicket);
			assertThatExceptionOfType(DocumentChangedException.class)
				.isThrownBy(() -> documents.resume(Post.class, "p1", this.lastTicket))
				.withMessageContaining("was changed since it was opened")
				.satisfies((ex) -> {
					assertThat(ex.getDocument(Post.class).title()).isEqualTo("theirs");
					this.lastTicket = LockTicket.of(ex.getTicket().text());
				});
			LockedDocument<Post> resumed = documents.resume(Post.class, "p1", this.lastTicket);
			resumed.save(resumed.entity().titled(resumed.entity().title() + " and mine"));
			assertThat(stored()).containsEntry("title", "theirs and mine");
		}
	}

	// A page that was loaded twice has the same ticket twice
	private void secondWindow(DocumentLockOperations documents) {
		LockedDocument<Post> second = documents.resume(Post.class, "p1", this.lastTicket);
		second.saveAndKeep(second.entity().titled("theirs"));
		documents.renew(Post.class, "p1", second.ticket());
	}

	@Test
	void anEntityOfAnotherTimeIsNotSavedUnderTheLock() {
		LockedDocument<Post> locked = lock();
		this.template.updateFirst(byId(), Update.update("title", "theirs"), Post.class);
		Post theirs = Objects.requireNonNull(this.template.findById("p1", Post.class));
		for (ThrowingCallable write : List.<ThrowingCallable>of(() -> locked.save(theirs.titled("mine")),
				() -> locked.saveAndKeep(theirs.titled("mine")), () -> locked.delete())) {
			assertThatExceptionOfType(OptimisticLockingFailureException.class).isThrownBy(write);
		}
		assertThat(stored()).containsEntry("title", "theirs");
		locked.close();
	}

	@Test
	void aDocumentWhoseLeaseRanOutIsSavedIfNoOtherHolderHasLockedIt() {
		LockedDocument<Post> locked = lock(UNRENEWED);
		runOut();
		locked.save(new Post("p1", "late", locked.entity().version()));
		assertThat(stored()).containsEntry("title", "late");
		assertThat(holders()).isEmpty();
	}

	@Test
	void aSaveIsRefusedIfAnotherHasLockedTheDocumentSinceTheLeaseRanOut() {
		LockedDocument<Post> locked = lock(UNRENEWED);
		runOut();
		try (LockedDocument<Post> other = this.there.documents().lock(Post.class, "p1")) {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> locked.save(new Post("p1", "late", locked.entity().version())))
				.withMessageContaining("has been locked by desk there")
				.withMessageEndingWith("Nothing was written");
			assertThat(stored()).containsEntry("title", "draft");
			assertThat(other.fence()).isGreaterThan(locked.fence());
		}
		assertThatExceptionOfType(LockLostException.class).isThrownBy(locked::close);
	}

	@Test
	void aSaveIsRefusedIfAPlainSaveHasReplacedTheDocument() {
		this.template.insert(new Note("n1", "a", null));
		LockedDocument<Note> locked = this.here.documents().lock(Note.class, "n1");
		this.template.save(this.template.findById("n1", Note.class).with("plain"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locked.save(locked.entity().with("mine")))
			.withMessageContaining("or the document was saved by code that does not know the lock");
		assertThat(this.template.findById("n1", Note.class)).extracting(Note::text).isEqualTo("plain");
	}

	@Test
	void aWriteIsRefusedIfALateClaimOfItsTokenWasGranted() {
		this.template.insert(new Note("n1", "a", null));
		LockedDocument<Note> locked = this.here.documents().lock(Note.class, "n1");
		this.template.updateFirst(new Query(), new Update().inc("lock.holders.0.fence", 1).set("text", "theirs"),
				"note");
		DocumentLockOperations documents = this.here.documents();
		for (ThrowingCallable late : List.<ThrowingCallable>of(() -> locked.saveAndKeep(locked.entity().with("mine")),
				() -> locked.save(locked.entity().with("mine")), () -> locked.delete())) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(late);
		}
		assertThat(this.template.findById("n1", Note.class)).extracting(Note::text).isEqualTo("theirs");
	}

	@Test
	void aDeletedDocumentIsNotSaved() {
		LockedDocument<Post> locked = lock();
		this.template.remove(byId(), Post.class);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locked.save(locked.entity()))
			.withMessageContaining("does not exist any more");
		assertThat(this.template.findAll(Post.class)).isEmpty();
	}

	@Test
	void aCopyFromBeforeTheGrantCannotBeSavedByCodeThatKnowsNothingOfTheLock() {
		Post copy = this.template.findById("p1", Post.class);
		try (LockedDocument<Post> locked = lock()) {
			assertThatExceptionOfType(OptimisticLockingFailureException.class)
				.isThrownBy(() -> this.template.save(copy));
			locked.save(new Post("p1", "mine", locked.entity().version()));
		}
		assertThat(stored()).containsEntry("title", "mine");
	}

	@Test
	void anotherVersionIsNotSavedAndTheLockIsKept() {
		LockedDocument<Post> locked = lock();
		this.template.updateFirst(byId(), new Update().inc("version", 1), Post.class);
		assertThatExceptionOfType(OptimisticLockingFailureException.class)
			.isThrownBy(() -> locked.save(locked.entity()))
			.withMessageContaining("was changed since it was opened");
		assertThat(stored()).containsEntry("title", "draft");
		assertThat(locked.handle().isHeld()).isTrue();
		locked.handle().renew();
		locked.close();
		assertThat(holders()).isEmpty();
	}

	@Test
	void aSaveThatFailsLeavesTheVersionInTheObjectAsItWas() {
		this.template.indexOps(Draft.class).createIndex(new Index("title", Direction.ASC).unique());
		this.template.insert(new Draft("d1", "one"));
		this.template.insert(new Draft("d2", "two"));
		LockedDocument<Draft> locked = this.here.documents().lock(Draft.class, "d1");
		Draft mine = locked.entity();
		mine.title = "two";
		assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> locked.save(mine));
		assertThat(mine.version).isEqualTo(1);
		assertThat(locked.handle().isHeld()).as("the server has refused it").isTrue();
		locked.handle().assertHeld();
		mine.title = "saved";
		assertThat(locked.save(mine)).isSameAs(mine);
		assertThat(mine.version).isEqualTo(2);
		assertThat(this.template.findById("d1", Draft.class).version).isEqualTo(2);
	}

	@Test
	void aSaveThatNoServerWasSentLeavesTheLockAsItWas() {
		this.template.insert(new Draft("d1", "one"));
		LockedDocument<Draft> locked = this.here.documents().lock(Draft.class, "d1");
		Draft mine = locked.entity();
		mine.title = "x".repeat(17_000_000);
		assertThatRuntimeException().isThrownBy(() -> locked.save(mine));
		locked.handle().assertHeld();
		mine.title = "saved";
		locked.save(mine);
		assertThat(this.template.findById("d1", Draft.class).title).isEqualTo("saved");
	}

	@Test
	void anEntityWhoseSaveWasRefusedCannotOverwriteAnotherChangeByAPlainSave() {
		this.template.insert(new Draft("d1", "one"));
		LockedDocument<Draft> locked = this.here.documents().lock(Draft.class, "d1");
		Draft mine = locked.entity();
		this.template.updateFirst(new Query(), new Update().inc("version", 1).set("title", "theirs"), Draft.class);
		assertThatExceptionOfType(OptimisticLockingFailureException.class).isThrownBy(() -> locked.save(mine));
		assertThatExceptionOfType(OptimisticLockingFailureException.class).isThrownBy(() -> this.template.save(mine));
		mine.version = 1;
		this.there.documents().breakLock(Draft.class, "d1");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locked.save(mine));
		assertThat(mine.version).isEqualTo(1);
		assertThat(this.template.findById("d1", Draft.class).title).isEqualTo("theirs");
	}

	@Test
	void anEntityOfAnotherDocumentIsRefused() {
		try (LockedDocument<Post> locked = lock()) {
			assertThatIllegalArgumentException().isThrownBy(() -> locked.save(new Post("p2", "", 1L)))
				.withMessageContaining("'posts:p2'");
		}
	}

	@Test
	void aFieldThatIsNoLockIsToldAsAMistakeOfTheMapping() {
		this.template.getCollection("posts").insertOne(new Document("_id", "p3").append("lock", "text"));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.here.documents().lock(Post.class, "p3"))
			.withMessageContaining("the lock is kept in the document's field 'lock', but this field holds other data")
			.withMessageContaining("mongo-lock.document-locks.field");
	}

	@Test
	void settingsThatMakeNoSenseHereAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> lock(LockSettings.builder().limit(2).build()))
			.withMessageContaining("the limit 2");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> lock(LockSettings.builder().minHold(Duration.ofSeconds(1)).build()))
			.withMessageContaining("the minimum hold PT1S");
	}

	@Test
	void manyWhoEditTheSameDocumentLoseNothing() {
		List<CompletableFuture<Void>> editors = IntStream.range(0, 6)
			.mapToObj((i) -> CompletableFuture.runAsync(() -> append((i % 2 == 0) ? this.here : this.there)))
			.toList();
		editors.forEach(CompletableFuture::join);
		assertThat(stored()).containsEntry("title", "draft" + "+".repeat(30));
	}

	private static void append(DocumentLocksFixture instance) {
		for (int i = 0; i < 5; i++) {
			LockedDocument<Post> locked = instance.documents().lock(Post.class, "p1", DocumentLocksFixture.WAITING);
			Post post = locked.entity();
			locked.save(new Post(post.id(), post.title() + "+", post.version()));
		}
	}

	@Test
	void aHoldWhoseLockWasReleasedBySaveWithinItEndsAsLost() {
		List<Boolean> held = new ArrayList<>();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.here.documents().execute(Post.class, "p1", (how) -> {
			}, (outer) -> {
				this.here.documents().execute(Post.class, "p1", (how) -> {
				}, (inner) -> inner.save(new Post("p1", "saved", inner.entity().version())));
				held.add(outer.handle().isHeld());
				return null;
			}))
			.withMessageContaining("released too early");
		assertThat(held).containsExactly(false);
		assertThat(stored()).containsEntry("title", "saved");
		this.here.documents().execute(Post.class, "p1", (how) -> {
		}, (outer) -> this.here.documents().execute(Post.class, "p1", (how) -> {
		}, LockedDocument::entity));
	}

	@Test
	void workWithinAHoldIsHandedTheSameLockedDocument() {
		DocumentLockOperations documents = this.here.documents();
		LockedDocument<Post> locked = lock();
		assertWithinIsSame(locked);
		LockedDocument<Post> resumed = documents.resume(Post.class, "p1", locked.ticket());
		assertWithinIsSame(resumed);
		documents.execute(Post.class, "p1", (how) -> {
		}, (within) -> {
			assertThat(within).isSameAs(resumed);
			within.saveAndKeep(within.entity().titled("within"));
			return null;
		});
		resumed.save(resumed.entity().titled(resumed.entity().title() + " and around"));
		assertThat(stored()).containsEntry("title", "within and around");
		documents.execute(Post.class, "p1", (how) -> {
		}, (outer) -> {
			assertWithinIsSame(outer);
			return null;
		});
		assertThat(holders()).isEmpty();
	}

	private void assertWithinIsSame(LockedDocument<Post> around) {
		DocumentLockOperations documents = this.here.documents();
		documents.execute(Post.class, "p1", (how) -> {
		}, (within) -> {
			assertThat(within).isSameAs(around);
			assertThat(LockContext.current().fence()).isEqualTo(around.fence());
			return null;
		});
		assertThat(around.handle().isHeld()).isTrue();
		for (ThrowingCallable second : List.<ThrowingCallable>of(() -> documents.lock(Post.class, "p1"),
				() -> documents.tryLock(Post.class, "p1"))) {
			assertThatIllegalStateException().isThrownBy(second)
				.withMessageContaining("This thread already holds the")
				.withMessageContaining("Pass its LockedDocument to the nested code");
		}
	}

	@Test
	void theLatestResumeOfAThreadReplacesTheEarlierOne() {
		LockTicket ticket = lock().ticket();
		LockedDocument<Post> forgotten = this.there.documents().resume(Post.class, "p1", ticket);
		LockedDocument<Post> resumed = this.there.documents().resume(Post.class, "p1", ticket);
		assertThatIllegalStateException().isThrownBy(() -> forgotten.save(forgotten.entity()))
			.withMessageContaining("Go on with resume(");
		resumed.save(resumed.entity().titled("saved"));
		assertThat(stored()).containsEntry("title", "saved");
	}

	@Test
	void aTypeWithoutAVersionIsRefusedWithTheLineToAdd() {
		DocumentLockOperations documents = this.here.documents();
		for (ThrowingCallable call : List.<ThrowingCallable>of(() -> documents.check(Unversioned.class),
				() -> documents.lock(Unversioned.class, "u"), () -> documents.tryLock(Unversioned.class, "u"),
				() -> documents.list(Unversioned.class))) {
			assertThatIllegalArgumentException().isThrownBy(call)
				.withMessageContaining("Unversioned can be neither locked nor updated")
				.withMessageContaining("a field '@Version Long version'");
		}
	}

	@Test
	void aResumedHandleIsHeldAsLongAsItsTicketIsRenewedAndNotAfterItsSave() {
		LockTicket ticket = lock(UNRENEWED).ticket();
		runOut();
		LockedDocument<Post> resumed = this.there.documents().resume(Post.class, "p1", ticket);
		assertThat(resumed.handle().isHeld()).isFalse();
		resumed.handle().renew();
		assertThat(resumed.handle().isHeld()).isTrue();
		assertThat(resumed.handle().remaining()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(24));
		resumed.save(resumed.entity());
		assertThat(resumed.handle().isHeld()).isFalse();
		assertThat(resumed.handle().remaining()).isZero();
	}

	@Test
	void aResumedHandleWhoseLockIsGoneIsNotHeld() {
		LockedDocument<Post> resumed = this.there.documents().resume(Post.class, "p1", lock().ticket());
		this.here.documents().breakLock(Post.class, "p1");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> resumed.handle().renew());
		assertThat(resumed.handle().isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> resumed.handle().assertHeld());
	}

	@Test
	void anIdThatIsNoneOfTheTypeHidesNoOtherFromAList() {
		this.template.insert(new Numbered(7, null));
		this.template.insert(Document.parse("{_id: 'text'}"), "numbered");
		this.template.insert(Document.parse("{_id: 'free'}"), "numbered");
		this.template.insert(Document.parse("{_id: {of: 'another'}}"), "numbered");
		try (LockedDocument<Numbered> one = this.here.documents().lock(Numbered.class, 7);
				LockedDocument<Loose> other = this.here.documents().lock(Loose.class, "text");
				LockedDocument<Compound> odd = this.here.documents()
					.lock(Compound.class, new Document("of", "another"))) {
			assertThat(this.there.documents().list(Numbered.class)).extracting(DocumentLock::id)
				.containsExactlyInAnyOrder(one.entity().id(), other.entity().id(), odd.entity().id());
			assertThat(this.there.documents().list(Seated.class)).extracting(DocumentLock::id).hasSize(3);
		}
	}

	@Test
	void aTicketGoesOnAtAnotherInstance() {
		LockedDocument<Post> locked = lock();
		LockTicket ticket = LockTicket.of(locked.ticket().text());
		assertThat(this.here.client().held()).isZero();
		assertThat(holders()).hasSize(1);
		this.there.documents().renew(Post.class, "p1", ticket);
		LockedDocument<Post> resumed = this.there.documents().resume(Post.class, "p1", ticket);
		assertThat(resumed.entity()).isEqualTo(new Post("p1", "draft", 1L));
		assertThat(resumed.handle().isHeld()).isTrue();
		assertThat(resumed.fence()).isEqualTo(locked.fence());
		resumed.save(new Post("p1", "edited", resumed.entity().version()));
		assertThat(stored()).containsEntry("title", "edited");
		assertThat(holders()).isEmpty();
	}

	@Test
	void aTicketKeepsTheLockWhenTheInstanceStopsOrTheDocumentIsClosed() {
		LockTicket ticket;
		try (LockedDocument<Post> locked = lock()) {
			ticket = locked.ticket();
			assertThatIllegalStateException().isThrownBy(() -> locked.save(locked.entity()))
				.withMessageContaining("passed on to its ticket");
			assertThat(locked.ticket()).isEqualTo(ticket);
		}
		this.here.close();
		this.there.documents().resume(Post.class, "p1", ticket).close();
		assertThat(holders()).hasSize(1);
		assertThat(this.there.documents().release(Post.class, "p1", ticket)).isTrue();
		assertThat(holders()).isEmpty();
		assertThat(this.there.documents().release(Post.class, "p1", ticket)).isFalse();
	}

	@Test
	void aTicketThatWasOutlivedIsRefused() {
		LockedDocument<Post> locked = lock(UNRENEWED);
		LockTicket ticket = locked.ticket();
		runOut();
		assertThat(this.there.documents().resume(Post.class, "p1", ticket).handle().isHeld()).isFalse();
		try (LockedDocument<Post> other = this.there.documents().lock(Post.class, "p1")) {
			assertThat(other.fence()).isGreaterThan(locked.fence());
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.here.documents().resume(Post.class, "p1", ticket))
				.withMessage(NOT_YOURS);
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.here.documents().renew(Post.class, "p1", ticket));
			assertThat(this.here.documents().release(Post.class, "p1", ticket)).isFalse();
			assertThat(other.handle().isHeld()).isTrue();
		}
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.here.documents().renew(Post.class, "p1", ticket))
			.withMessage(NOT_YOURS);
	}

	@Test
	void aTicketMadeFromTheStoredTokenIsRefused() {
		LockedDocument<Post> locked = lock();
		LockTicket ticket = locked.ticket();
		byte[] known = HexFormat.of().parseHex(holders().get(0).getString("token"));
		for (int from = 0; from < known.length; from += LeaseSecrets.BYTES) {
			LockTicket forged = new LeaseProof(((HeldDocument<Post>) locked).proof().lease(),
					Arrays.copyOfRange(known, from, from + LeaseSecrets.BYTES), locked.fence(), 1, 0)
				.ticket();
			assertNotHeld(forged);
		}
		this.there.documents().resume(Post.class, "p1", ticket);
	}

	@Test
	void aTicketOfADocumentThatWasDeletedIsRefused() {
		LockTicket ticket = lock().ticket();
		this.template.remove(byId(), Post.class);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.there.documents().resume(Post.class, "p1", ticket))
			.withMessage(NOT_YOURS);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.there.documents().renew(Post.class, "p1", ticket))
			.withMessage(NOT_YOURS);
		assertThat(this.there.documents().release(Post.class, "p1", ticket)).isFalse();
	}

	@Test
	void aTicketThatIsNotTheDocumentsSaysNothingOfIt() {
		this.template.insert(Document.parse("{_id: 'p2', lock: 'text'}"), "posts");
		LockedDocument<Post> locked = lock();
		LockTicket ticket = locked.ticket();
		LockTicket forged = LockTicket.of(new byte[LeaseProof.SEALED_BYTES]);
		DocumentLockOperations documents = this.there.documents();
		for (String id : List.of("p1", "p2", "none")) {
			LockTicket other = (id.equals("p1")) ? forged : ticket;
			String message = NOT_YOURS.replace("p1", id);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> documents.resume(Post.class, id, other))
				.withMessage(message)
				.withNoCause();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> documents.renew(Post.class, id, other))
				.withMessage(message);
			assertThat(documents.release(Post.class, id, other)).isFalse();
		}
		assertThat(documents.release(Post.class, "p1", ticket)).isTrue();
	}

	@Test
	void aTicketIsGoodForItsOwnGrantAndNotForAnotherOfTheSameToken() {
		LockTicket ticket = lock().ticket();
		this.template.updateFirst(byId(), new Update().inc("lock.holders.0.fence", 1), "posts");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.there.documents().resume(Post.class, "p1", ticket));
		assertThat(this.there.documents().release(Post.class, "p1", ticket)).isFalse();
	}

	@Test
	void whenLocksLingerThenDocumentIsNeverIdle() {
		LockSettings lingering = LockSettings.builder().linger(Duration.ofMinutes(1)).build();
		for (int i = 0; i < 6; i++) {
			try (LockedDocument<Post> locked = lock(lingering)) {
				assertThat(locked.handle().isHeld()).isTrue();
				assertThat(holders()).singleElement()
					.satisfies((holder) -> assertThat(holder).doesNotContainKey("linger"));
			}
			assertThat(holders()).isEmpty();
		}
	}

	@Test
	void aHolderIsListedAndFoundWhileItsLeaseLasts() {
		this.template.insert(new Post("p0", "free", null));
		assertThat(this.there.documents().list(Post.class)).isEmpty();
		assertThat(this.there.documents().find(Post.class, "p1")).isEmpty();
		assertThat(this.there.documents().find(Post.class, "none")).isEmpty();
		try (LockedDocument<Post> locked = lock(UNRENEWED)) {
			assertThat(this.there.documents().list(Post.class)).singleElement().satisfies((one) -> {
				assertThat(one.id()).isEqualTo("p1");
				assertThat(one.waiting()).isZero();
				assertThat(one.holder().owner().instance()).isEqualTo("here");
				assertThat(one.holder().fence()).isEqualTo(locked.fence());
			});
			assertThat(this.there.documents().find(Post.class, "p1")).isPresent();
			runOut();
			assertThat(this.there.documents().list(Post.class)).isEmpty();
			assertThat(this.there.documents().find(Post.class, "p1")).isEmpty();
		}
	}

	@Test
	void locksAreListedPageByPageInTheOrderInWhichMongoDbSortsTheirIds() {
		DocumentLockStore store = store();
		List<String> all = IDS.stream().map((id) -> "kinds:" + id).toList();
		lockAllKindsOfIds(store);
		assertThat(keys(store, "kinds:", "", "", 100)).containsExactlyElementsOf(all);
		assertThat(all).isSortedAccordingTo(store.keyOrder());
		for (int most : new int[] { 1, 2, 3, 7 }) {
			List<String> pages = new ArrayList<>();
			for (String after = ""; after != null;) {
				LockPage page = store.list(new LockFilter("kinds:", "", Duration.ZERO), after, most, 100, TIMEOUT);
				page.locks().forEach((lock) -> pages.add(lock.key()));
				after = page.next();
			}
			assertThat(pages).as("pages of %s", most).containsExactlyElementsOf(all);
		}
	}

	@Test
	void locksAreListedByTheBeginningOfTheirKeysAndByTheirHolders() {
		DocumentLockStore store = store();
		lockAllKindsOfIds(store);
		assertThat(keys(store, "kinds:a", "", "", 100)).containsExactly("kinds:a", "kinds:aß", "kinds:a\uFB00",
				"kinds:a\uD83D\uDD12");
		assertThat(keys(store, "kinds:a", "kinds:aß", "", 1)).containsExactly("kinds:a\uFB00");
		assertThat(keys(store, "kinds:f", "", "", 100)).containsExactly("kinds:false");
		assertThat(keys(store, "kinds:2", "", "", 100)).containsExactly("kinds:2.5", "kinds:20");
		assertThat(keys(store, "kinds:\"", "", "", 100)).containsExactly("kinds:\"\"", "kinds:\"4\"");
		assertThat(keys(store, "", "kinds:ObjectId(\"65a1b2c3d4e5f60718293a4b\")", "", 100))
			.containsExactly("kinds:false", "kinds:true", "others:1");
		assertThat(keys(store, "o", "", "", 100)).containsExactly("others:1");
		assertThat(keys(store, "kinds:", "", "h7, pid 3, thread t)", 100)).containsExactly("kinds:3");
		assertThat(keys(store, "", "kinds:2.5", "i-1 (", 2)).containsExactly("kinds:3", "kinds:20");
		assertThat(keys(store, "kinds:a", "kinds:3", "i-1 (", 2)).containsExactly("kinds:a", "kinds:aß");
		assertThat(keys(store, "kinds:", "", "of none", 100)).isEmpty();
		assertThat(store.list(new LockFilter("kinds:", "", Duration.ofDays(1)), "", 9, 9, TIMEOUT).locks()).isEmpty();
		this.template.updateFirst(Query.query(Criteria.where("_id").is("a")),
				Update.update("lock.holders.0.owner", "none"), "kinds");
		assertThat(keys(store, "kinds:", "", "pid 3, thread t)", 9)).as("though the server cannot describe one")
			.containsExactly("kinds:3");
	}

	private void lockAllKindsOfIds(DocumentLockStore store) {
		store.register("kinds", null);
		store.register("others", null);
		int pid = 0;
		for (String id : IDS) {
			DocumentKey key = DocumentKey.parse("kinds:" + id);
			this.template.insert(new Document("_id", key.id()).append("lock", lockOf(pid++, Instant.now())), "kinds");
		}
		this.template.insert(new Document("_id", 1).append("lock", lockOf(0, Instant.now())), "others");
		this.template.insert(new Document("_id", "ab").append("lock", lockOf(0, Instant.EPOCH)), "kinds");
		this.template.insert(new Document("_id", "ac"), "kinds");
		this.template.insert(new Document("_id", 4).append("lock", new Document("holders", List.of())), "kinds");
		this.template.insert(Document.parse("{_id: 5, lock: {holders: [{token: 1}]}}"), "kinds");
	}

	private static Document lockOf(int pid, Instant now) {
		Document owner = Document.parse("{application: 'shop', instance: 'i-1', host: 'h7', thread: 't'}");
		Document holder = Document.parse("{token: 'tttttttttttttttttttttttttttttttt', limit: 1, ttl: 600000}")
			.append("fence", 7L)
			.append("owner", owner.append("pid", pid))
			.append("acquiredAt", Date.from(now))
			.append("renewedAt", Date.from(now));
		return new Document("holders", List.of(holder)).append("fence", 9_000_000_000_000_000L);
	}

	private DocumentLockStore store() {
		MongoTemplate outside = template();
		outside.setSessionSynchronization(SessionSynchronization.NEVER);
		return new DocumentLockStore(outside, "lock", "locks", LockClock.system());
	}

	private static List<String> keys(DocumentLockStore store, String prefix, String after, String holder, int most) {
		return store.list(new LockFilter(prefix, holder, Duration.ZERO), after, most, 100, TIMEOUT)
			.locks()
			.stream()
			.map(StoredLock::key)
			.toList();
	}

	@Test
	void aLockThatIsBrokenIsTakenFromItsHolderAndTold() {
		assertThat(this.there.documents().breakLock(Post.class, "p1")).isEmpty();
		assertThat(this.there.documents().breakLock(Post.class, "none")).isEmpty();
		LockedDocument<Post> locked = lock();
		assertThat(this.there.documents().breakLock(Post.class, "p1"))
			.hasValueSatisfying((holder) -> assertThat(holder.owner().instance()).isEqualTo("here"));
		Awaitility.await().untilAsserted(() -> assertThat(this.broken).containsExactly("posts:p1 here"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locked.save(locked.entity()))
			.withMessageContaining("the lock was released, possibly by force or by a later holder");
		LockTicket ticket = lock(UNRENEWED).ticket();
		runOut();
		assertThat(this.there.documents().breakLock(Post.class, "p1")).isPresent();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.here.documents().resume(Post.class, "p1", ticket));
	}

	@Test
	void oneHolderIsTakenOverInOneStatementThatNobodyWhoWaitsComesBetween() {
		LockTicket ticket = lock(LockSettings.builder().as("Anna").build()).ticket();
		CompletableFuture<LockedDocument<Post>> next = wait(this.here);
		Awaitility.await().until(() -> this.here.client().waiting() == 1);
		DocumentLockOperations documents = this.there.documents();
		LockUnavailableException busy = catchThrowableOfType(LockUnavailableException.class,
				() -> documents.lock(Post.class, "p1", ONCE));
		LockHolder anna = busy.getHolders().get(0);
		assertThat(anna.owner().as()).isEqualTo("Anna");
		LockedDocument<Post> mine = documents.takeOver(Post.class, "p1", anna.fence(), LockSettings.NONE);
		assertThat(mine.fence()).isGreaterThan(anna.fence());
		assertThat(mine.handle().isHeld()).isTrue();
		Awaitility.await().untilAsserted(() -> assertThat(this.broken).containsExactly("posts:p1 here"));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.here.documents().resume(Post.class, "p1", ticket));
		assertThat(next).isNotDone();
		mine.save(mine.entity().titled("mine"));
		next.join().close();
		assertThat(stored()).containsEntry("title", "mine");
	}

	@Test
	void onlyTheHolderWhoWasShownIsTakenOver() {
		long gone = lock().fence();
		DocumentLockOperations documents = this.there.documents();
		documents.breakLock(Post.class, "p1");
		documents.takeOver(Post.class, "p1", gone, LockSettings.NONE).ticket();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> documents.takeOver(Post.class, "p1", gone, LockSettings.NONE))
			.satisfies((ex) -> assertThat(ex.getHolders()).extracting((holder) -> holder.owner().instance())
				.containsExactly("there"));
		Awaitility.await().untilAsserted(() -> assertThat(this.broken).containsExactly("posts:p1 here"));
		assertThatExceptionOfType(NoSuchDocumentException.class)
			.isThrownBy(() -> documents.takeOver(Post.class, "none", 1, LockSettings.NONE));
	}

	@Test
	void aTakeOverDoesNotWaitBehindThoseOfItsOwnInstance() {
		LockedDocument<Post> passedOn = lock();
		passedOn.ticket();
		long fence = passedOn.fence();
		CompletableFuture<LockedDocument<Post>> next = wait(this.here);
		Awaitility.await().until(() -> this.here.client().waiting() == 1);
		LockedDocument<Post> mine = this.here.documents().takeOver(Post.class, "p1", fence, LockSettings.NONE);
		assertThat(mine.fence()).isGreaterThan(fence);
		assertThat(next).isNotDone();
		mine.close();
		next.join().close();
	}

	@Test
	void aLockOfAnotherThreadOfTheSameInstanceIsTakenOver() {
		LockedDocument<Post> other = CompletableFuture.supplyAsync(this::lock).join();
		LockedDocument<Post> mine = this.here.documents().takeOver(Post.class, "p1", other.fence(), LockSettings.NONE);
		assertThat(other.handle().isHeld()).isFalse();
		mine.save(mine.entity().titled("mine"));
		assertThat(stored()).containsEntry("title", "mine");
	}

	@Test
	void aTakeOverIsNotForWhatThisThreadHolds() {
		try (LockedDocument<Post> locked = lock()) {
			assertThatIllegalStateException()
				.isThrownBy(() -> this.here.documents().takeOver(Post.class, "p1", locked.fence(), LockSettings.NONE));
		}
	}

	@Test
	void aLateEditorOverwritesNothingThatWasChangedSince() {
		for (Runnable theirs : List
			.<Runnable>of(() -> this.template.updateFirst(byId(), Update.update("title", "theirs"), Post.class), () -> {
				LockedDocument<Post> locked = this.there.documents().lock(Post.class, "p1");
				locked.save(locked.entity().titled("theirs"));
			}, () -> secondWindow(this.here.documents()))) {
			this.template.updateFirst(byId(), Update.update("title", "draft"), Post.class);
			this.lastTicket = lock(UNRENEWED).ticket();
			LockTicket late = this.lastTicket;
			runOut();
			theirs.run();
			if (!holders().isEmpty()) {
				runOut();
			}
			this.there.documents().lock(Post.class, "p1").close();
			assertNotHeld(late);
			assertThat(stored()).containsEntry("title", "theirs");
			assertThat(holders()).isEmpty();
		}
	}

	@Test
	void aTicketOfAReleasedOrBrokenLockAndAForgedOneHoldNothing() {
		LockTicket cancelled = lock().ticket();
		assertThat(this.here.documents().release(Post.class, "p1", cancelled)).isTrue();
		assertNotHeld(cancelled);
		LockTicket broken = lock().ticket();
		assertThat(this.there.documents().breakLock(Post.class, "p1")).isPresent();
		assertNotHeld(broken);
		LockTicket forged = LockTicket.of(new byte[LeaseProof.SEALED_BYTES]);
		long version = this.template.findById("p1", Post.class).version();
		assertNotHeld(forged);
		assertThat(this.template.findById("p1", Post.class).version()).isEqualTo(version);
	}

	@Test
	void whoseLockWasTakenOverHoldsNothingAnyMoreAlsoAfterTheOtherHasCancelled() {
		LockedDocument<Post> drafted = lock();
		drafted.saveAndKeep(drafted.entity().titled("draft"));
		LockTicket thrownOut = drafted.ticket();
		this.there.documents().takeOver(Post.class, "p1", drafted.fence(), LockSettings.NONE).close();
		assertNotHeld(thrownOut);
		this.there.documents().lock(Post.class, "p1").close();
		assertNotHeld(thrownOut);
	}

	private void assertNotHeld(LockTicket ticket) {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.here.documents().resume(Post.class, "p1", ticket))
			.withMessage(NOT_YOURS);
	}

	@Test
	void whenADocumentChangesUnderItsLockThenASaveIsRefusedUntilItIsReloaded() {
		LockedDocument<Post> locked = lock();
		this.template.updateFirst(byId(), Update.update("title", "theirs"), Post.class);
		assertThatExceptionOfType(DocumentChangedException.class)
			.isThrownBy(() -> locked.save(locked.entity().titled("mine")))
			.withMessageContaining("To read the stored document, call locked.reload()")
			.satisfies((ex) -> {
				assertThat(ex.getDocument(Post.class).title()).isEqualTo("theirs");
				assertThatIllegalStateException().isThrownBy(ex::getTicket).withMessageContaining("locked.reload()");
			});
		assertThat(locked.reload()).isEqualTo(locked.entity()).isEqualTo(new Post("p1", "theirs", 2L));
		locked.save(locked.entity().titled("both"));
		assertThat(stored()).containsEntry("title", "both");
	}

	@Test
	void aDocumentWhoseLockIsGoneIsNotLoadedAgain() {
		LockedDocument<Post> locked = lock();
		this.there.documents().breakLock(Post.class, "p1");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(locked::reload);
		assertThatIllegalStateException().isThrownBy(released()::reload);
	}

	private LockedDocument<Post> released() {
		LockedDocument<Post> locked = lock();
		locked.close();
		return locked;
	}

	@Test
	void aDraftThatIsSentAgainIsTheSameDraft() {
		LockTicket shown = lock().ticket();
		DocumentLockOperations documents = this.there.documents();
		for (String text : List.of("draft, whose answer is lost", "draft with more text")) {
			LockedDocument<Post> resumed = documents.resume(Post.class, "p1", LockTicket.of(shown.text()).draft(17));
			resumed.saveAndKeep(resumed.entity().titled(text));
		}
		assertThat(stored()).containsEntry("title", "draft with more text");
		for (LockTicket other : List.of(shown, shown.draft(18))) {
			assertThatExceptionOfType(DocumentChangedException.class)
				.isThrownBy(() -> documents.resume(Post.class, "p1", other));
		}
		this.template.updateFirst(byId(), Update.update("title", "theirs"), Post.class);
		assertThatExceptionOfType(DocumentChangedException.class)
			.isThrownBy(() -> documents.resume(Post.class, "p1", shown.draft(17)));
	}

	@Test
	void theTextOfATicketShowsNothingOfTheDocumentNorOfItsLock() {
		String id = "an id too long to appear by chance";
		this.template.insert(new Post(id, "draft", null));
		LockedDocument<Post> locked = this.here.documents().lock(Post.class, id);
		LeaseProof proof = ((HeldDocument<Post>) locked).proof();
		byte[] text = Base64.getUrlDecoder().decode(locked.ticket().text());
		for (byte[] known : List.of("posts".getBytes(StandardCharsets.UTF_8), id.getBytes(StandardCharsets.UTF_8),
				Arrays.copyOf(HexFormat.of().parseHex(proof.lease().leaseToken()), LeaseSecrets.BYTES),
				ByteBuffer.allocate(Long.BYTES).putLong(locked.fence()).array(),
				ByteBuffer.allocate(Long.BYTES).putLong(locked.entity().version()).array())) {
			assertThat(Collections.indexOfSubList(boxed(text), boxed(known))).isNegative();
		}
	}

	private static List<Byte> boxed(byte[] bytes) {
		return IntStream.range(0, bytes.length).mapToObj((i) -> bytes[i]).toList();
	}

	@Test
	void whenADocumentChangesAfterAResumeThenASaveIsRefusedUntilItIsResumedAgain() {
		LockTicket ticket = lock().ticket();
		DocumentLockOperations documents = this.there.documents();
		LockedDocument<Post> resumed = documents.resume(Post.class, "p1", ticket);
		this.template.updateFirst(byId(), Update.update("title", "theirs"), Post.class);
		assertThatExceptionOfType(DocumentChangedException.class)
			.isThrownBy(() -> resumed.save(resumed.entity().titled("mine")))
			.satisfies((ex) -> {
				assertThat(ex.getDocument(Post.class).title()).isEqualTo("theirs");
				this.lastTicket = ex.getTicket();
			});
		LockedDocument<Post> again = documents.resume(Post.class, "p1", this.lastTicket);
		again.save(again.entity().titled("both"));
		assertThat(stored()).containsEntry("title", "both");
	}

	private LockedDocument<Post> lock() {
		return lock(LockSettings.NONE);
	}

	private LockedDocument<Post> lock(LockSettings settings) {
		return this.here.documents().lock(Post.class, "p1", settings);
	}

	// Of a lock that nothing renews, which would be alive again
	private void runOut() {
		Update past = new Update().set("lock.holders.0.renewedAt", Date.from(Instant.now().minusSeconds(3600)));
		this.template.updateFirst(byId(), past, "posts");
	}

	private List<Document> holders() {
		return stored().get("lock", Document.class).getList("holders", Document.class);
	}

	private Date renewedAt() {
		return holders().get(0).getDate("renewedAt");
	}

	private Document stored() {
		return this.template.findById("p1", Document.class, "posts");
	}

	private static Query byId() {
		return new Query(Criteria.where("_id").is("p1"));
	}

	@org.springframework.data.mongodb.core.mapping.Document("posts")
	record Post(@Id String id, @Nullable String title, @Version @Nullable Long version) {

		Post titled(@Nullable String title) {
			return new Post(this.id, title, this.version);
		}

	}

	record Note(@Id String id, String text, @Version @Nullable Long version) {

		Note with(String text) {
			return new Note(this.id, text, this.version);
		}

	}

	@org.springframework.data.mongodb.core.mapping.Document("numbered")
	record Numbered(@Id int id, @Version @Nullable Long version) {

	}

	@org.springframework.data.mongodb.core.mapping.Document("numbered")
	record Loose(@Id String id, @Version @Nullable Long version) {

	}

	@org.springframework.data.mongodb.core.mapping.Document("numbered")
	record Seated(@Id Seat id, @Version @Nullable Long version) {

	}

	record Seat(int row, int number) {

	}

	@org.springframework.data.mongodb.core.mapping.Document("numbered")
	record Compound(@Id Document id, @Version @Nullable Long version) {

	}

	record Unversioned(@Id String id) {

	}

	static class Draft {

		@Id
		String id;

		String title;

		@Version
		@Nullable Integer version;

		Draft(String id, String title) {
			this.id = id;
			this.title = title;
		}

	}

}
