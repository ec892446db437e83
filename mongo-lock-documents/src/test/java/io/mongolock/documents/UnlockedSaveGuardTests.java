package io.mongolock.documents;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.AdditionalAnswers;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.BulkOperations.BulkMode;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertCallback;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.backoff.FixedBackOff;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LockUnavailableException;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link UnlockedSaveGuard}.
 */
class UnlockedSaveGuardTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	/** What this thread has sent. */
	private final List<String> commands = new ArrayList<>();

	private final Thread thread = Thread.currentThread();

	@AutoClose
	private final MongoClient client = MongoClients.create(MongoClientSettings.builder()
		.applyConnectionString(new ConnectionString(this.server.connectionString()))
		.addCommandListener(new CommandListener() {

			@Override
			public void commandStarted(CommandStartedEvent event) {
				if (Thread.currentThread() == UnlockedSaveGuardTests.this.thread) {
					UnlockedSaveGuardTests.this.commands.add(event.getCommandName());
				}
			}

		})
		.build());

	private final MongoTemplate template = new MongoTemplate(this.client, "test");

	private final GenericApplicationContext context = new GenericApplicationContext();

	@AutoClose
	private DocumentLocksFixture here;

	@AutoClose
	private final DocumentLocksFixture there = new DocumentLocksFixture("there", new MongoTemplate(this.client, "test"),
			new GenericApplicationContext());

	private UnaryOperator<Sheet> copied = (sheet) -> sheet;

	@BeforeEach
	void begin() {
		DocumentLocksFixture.guardPlainSaves(this.context, this.template, () -> this.here);
		this.context.registerBean(Copying.class, () -> new Copying((sheet) -> this.copied.apply(sheet)));
		this.here = new DocumentLocksFixture("here", this.template, this.context);
		this.template.setApplicationContext(this.context);
		this.template.insert(new Page("a", "draft", null));
		this.template.insert(new Guarded("a", "draft", null));
	}

	@Test
	void aPlainSaveOfWhatIsLockedHereIsRefusedAndTheOthersPass() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		assertThatIllegalStateException().isThrownBy(() -> plain("plain"))
			.withMessageContaining("The locked Page 'page:a'")
			.withMessageContaining("Save the document with locked.save(entity)");
		this.template.save(new Page("b", "plain", null));
		this.template.save(new Page("a", "elsewhere", null), "pages");
		locked.save(locked.entity().with("saved"));
		plain("plain");
		assertThat(text()).isEqualTo("plain");
	}

	@Test
	void whenOperationsOfTheApplicationWrapOursThenAGuardedDocumentIsGuarded() {
		DocumentLockOperations wrapper = mock(DocumentLockOperations.class,
				AdditionalAnswers.delegatesTo(this.there.documents()));
		MongoMappingContext mappings = (MongoMappingContext) this.template.getConverter().getMappingContext();
		UnlockedSaveGuard saves = new UnlockedSaveGuard(DocumentLocksFixture.provider(() -> wrapper),
				DocumentLocksFixture.provider(() -> mappings));
		saves.refuseIfGuarded(Guarded.class, "a", "guarded");
		this.there.documents().lock(Guarded.class, "a");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> saves.refuseIfGuarded(Guarded.class, "a", "guarded"));
		saves.refuseIfGuarded(Guarded.class, "a", "archive");
	}

	@Test
	void aPlainSaveIsRefusedAlsoAfterAGarbageCollection() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		WeakReference<Object> garbage = new WeakReference<>(new Object());
		await().until(() -> {
			System.gc();
			return garbage.get() == null;
		});
		assertThatIllegalStateException().isThrownBy(() -> plain("plain"));
		locked.close();
	}

	@Test
	void aHandleAloneKeepsItsGuards() {
		LockHandle handle = this.here.documents().lock(Page.class, "a").handle();
		WeakReference<Object> garbage = new WeakReference<>(new Object());
		await().until(() -> {
			System.gc();
			return garbage.get() == null;
		});
		assertThat(handle.isHeld()).isTrue();
		assertThatIllegalStateException().isThrownBy(() -> plain("plain"));
		handle.close();
		plain("plain");
	}

	@Test
	void aPlainSaveUnderTheLockOfAMethodIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> this.here.documents().execute(Page.class, "a", (request) -> {
		}, (locked) -> plain("plain")));
		assertThat(text()).isEqualTo("draft");
		plain("plain");
	}

	@Test
	void aPlainSaveOfWhatWasClosedInsideATransactionIsRefusedUntilItsEnd() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		new TransactionTemplate(new ForeignTransactionManager()).executeWithoutResult((status) -> {
			locked.close();
			this.here.documents().lock(Guarded.class, "a").close();
			assertThatIllegalStateException().isThrownBy(() -> plain("plain"))
				.withMessageContaining("the surrounding locked call or transaction keeps the lock");
			LockedDocument<Page> relocked = this.here.documents().lock(Page.class, "a");
			relocked.save(relocked.entity().with("locked again"));
		});
		assertThat(text()).isEqualTo("locked again");
		plain("plain");
		LockTicket ticket = this.here.documents().lock(Page.class, "a").ticket();
		LockedDocument<Page> resumed = this.here.documents().resume(Page.class, "a", ticket);
		assertThatIllegalStateException().isThrownBy(() -> plain("plain"));
		resumed.close();
		LockedDocument<Page> again = this.here.documents().resume(Page.class, "a", ticket);
		assertThatIllegalStateException().isThrownBy(() -> plain("plain"));
		this.here.documents().release(Page.class, "a", ticket);
		plain("after the release");
		again.close();
		LockTicket other = this.here.documents().lock(Page.class, "a").ticket();
		LockedDocument<Page> last = this.here.documents().resume(Page.class, "a", other);
		last.save(last.entity().with("saved"));
		plain("after the save");
	}

	// That is when Spring calls a @TransactionalEventListener
	@Test
	void aListenerOfTheCommitMaySaveWhatWasClosedInTheTransaction() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		MongoTemplate template = this.template;
		new TransactionTemplate(new ForeignTransactionManager()).executeWithoutResult((status) -> {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					template.save(template.findById("a", Page.class).with("by a listener"));
				}

			});
			locked.close();
		});
		assertThat(text()).isEqualTo("by a listener");
		assertThat(this.here.client().held()).isZero();
	}

	@Test
	void aPlainSaveWithinASaveThatKnowsTheLockIsRefused() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		UnlockedSaveGuard saves = this.context.getBean(UnlockedSaveGuard.class);
		saves.own().set(locked.entity());
		saves.onBeforeConvert(locked.entity(), "page");
		assertThatIllegalStateException().isThrownBy(() -> plain("plain"));
		assertThatIllegalStateException().isThrownBy(() -> this.template.save(locked.entity()));
	}

	@Test
	void aPlainSavePassesAfterTheLockWasPassedOnToATicket() {
		this.here.documents().lock(Page.class, "a").ticket();
		plain("plain");
		assertThat(text()).isEqualTo("plain");
	}

	@Test
	void aPlainSaveOfWhatAnotherHasLockedIsRefusedWhereTheTypeSaysSo() {
		Guarded before = this.template.findById("a", Guarded.class);
		LockedDocument<Guarded> locked = this.there.documents().lock(Guarded.class, "a");
		Guarded current = this.template.findById("a", Guarded.class);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.save(current))
			.withMessageContaining("Guarded 'a' was not saved, because the document has been locked by desk there")
			.satisfies((ex) -> assertThat(ex.getHolders()).hasSize(1));
		locked.close();
		assertThatExceptionOfType(OptimisticLockingFailureException.class).isThrownBy(() -> this.template.save(before));
		this.template.save(current);
		this.template.insert(new Guarded(null, "new", null));
	}

	@Test
	void whenMongoDbCannotSayWhoHasLockedAGuardedDocumentThenTheWriteFailsAsSpringsDo() {
		DocumentLockOperations silent = mock(DocumentLockOperations.class, (asked) -> {
			throw new LockStoreException("a", Outcome.NOT_EXECUTED, "Could not look", null);
		});
		MongoMappingContext mappings = (MongoMappingContext) this.template.getConverter().getMappingContext();
		UnlockedSaveGuard saves = new UnlockedSaveGuard(DocumentLocksFixture.provider(() -> silent),
				DocumentLocksFixture.provider(() -> mappings));
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> saves.refuseIfGuarded(Guarded.class, "a", "guarded"))
			.withMessage("Guarded 'a' was not saved, because it is unknown whether the document is locked: "
					+ "Could not look");
	}

	@Test
	void anUpdateOfWhatAnotherHasLockedIsRefusedWhereTheTypeSaysSo() {
		LockedDocument<Guarded> locked = this.there.documents().lock(Guarded.class, "a");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> updates().update(Guarded.class, "a", (one) -> one.with("by an update")))
			.withMessageContaining("Guarded 'a' was not saved, because the document has been locked by desk there");
		locked.close();
		assertThat(updates().update(Guarded.class, "a", (one) -> one.with("by an update"))).isPresent();
	}

	@Test
	void anUpdateByABaseOfWhatAnotherHasLockedIsRefusedWhereTheTypeItselfSaysSo() {
		this.template.insert(new GuardedSpecial("s"), "base");
		LockedDocument<Base> locked = this.there.documents().lock(Base.class, "s");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> updates().update(Base.class, "s", (one) -> {
				one.text = "by an update";
				return one;
			}))
			.withMessageContaining(
					"GuardedSpecial 's' was not saved, because the document has been locked by desk there");
		locked.close();
	}

	@Test
	void aSaveIntoAnotherCollectionIsNoneOfTheLockedDocument() {
		this.there.documents().lock(Guarded.class, "a");
		this.template.save(new Guarded("a", "copy", null), "archive");
		assertThat(this.template.findById("a", Guarded.class, "archive").text()).isEqualTo("copy");
		assertThat(((DocumentLocks) this.here.documents()).find(Guarded.class, "a", "archive")).isEmpty();
	}

	@Test
	void aSaveThatIsRefusedLeavesTheVersionInTheObjectAsItWas() {
		this.template.insert(new Sheet("a"));
		Sheet mine = this.template.findById("a", Sheet.class);
		LockedDocument<Sheet> locked = this.there.documents().lock(Sheet.class, "a");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.save(mine));
		assertThat(mine.version).isZero();
		locked.close();
		LockedDocument<Sheet> kept = this.here.documents().lock(Sheet.class, "a");
		Sheet here = kept.entity();
		assertThatIllegalStateException().isThrownBy(() -> this.template.save(here));
		assertThat(here.version).isEqualTo(2);
		kept.close();
	}

	@Test
	void aNewEntityWithTheIdOfALockedDocumentStaysNew() {
		this.template.insert(new Sheet("a"));
		this.template.insert(new Primitive("a"));
		this.here.documents().lock(Primitive.class, "a");
		for (DocumentLocksFixture holder : List.of(this.here, this.there)) {
			LockedDocument<Sheet> locked = holder.documents().lock(Sheet.class, "a");
			for (Consumer<Object> write : List.<Consumer<Object>>of(this.template::save, this.template::insert,
					(one) -> this.template.insertAll(List.of(one)))) {
				Sheet made = new Sheet("a");
				assertThatException().isThrownBy(() -> write.accept(made)).withMessageContaining("locked");
				assertThat(made.version).isNull();
				Primitive primitive = new Primitive("a");
				assertThatIllegalStateException().isThrownBy(() -> write.accept(primitive));
				assertThat(primitive.version).isZero();
			}
			locked.close();
		}
	}

	@Test
	void aSaveThatIsRefusedReachesNoOtherCallback() {
		this.template.insert(new Sheet("a"));
		LockedDocument<Sheet> locked = this.here.documents().lock(Sheet.class, "a");
		this.copied = (sheet) -> {
			throw new AssertionError("it is refused before that");
		};
		Sheet mine = locked.entity();
		assertThatIllegalStateException().isThrownBy(() -> this.template.save(mine));
		assertThat(mine.version).isEqualTo(1);
		Sheet made = new Sheet("a");
		assertThatIllegalStateException().isThrownBy(() -> this.template.save(made));
		assertThat(made.version).isNull();
		locked.close();
	}

	@Test
	void whenAWriteWithinASaveIsRefusedThenTheVersionInItsObjectStays() {
		this.template.insert(List.of(new Sheet("a"), new Sheet("b")), Sheet.class);
		LockedDocument<Sheet> locked = this.here.documents().lock(Sheet.class, "b");
		Query other = new Query(Criteria.where("id").is("b"));
		List<Sheet> outer = new ArrayList<>();
		this.copied = (sheet) -> {
			// As one that cascades
			outer.add(sheet);
			assertThatIllegalStateException().isThrownBy(() -> this.template.save(locked.entity()));
			assertThatIllegalStateException().isThrownBy(() -> this.template.replace(other, locked.entity()));
			assertThatIllegalStateException().isThrownBy(
					() -> this.template.bulkOps(BulkMode.ORDERED, Sheet.class).replaceOne(other, locked.entity()));
			return sheet;
		};
		this.template.save(this.template.findById("a", Sheet.class));
		assertThat(outer).hasSize(1);
		assertThat(locked.entity().version).isEqualTo(1);
		locked.close();
	}

	@Test
	void whenAReplacementNamesNoIdThenItsHolderNoticesThatItDropsTheLock() {
		Query any = new Query(Criteria.where("text").is("draft"));
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		this.template.replace(any, new Page(null, "plain", null));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> locked.save(locked.entity().with("never")));
		assertThat(text()).isEqualTo("plain");
	}

	@Test
	void whenAReplacementIsRefusedThenTheVersionInTheObjectStays() {
		this.template.insert(new Sheet("a"));
		LockedDocument<Sheet> locked = this.there.documents().lock(Sheet.class, "a");
		Sheet mine = this.template.findById("a", Sheet.class);
		Query own = new Query(Criteria.where("id").is("a"));
		for (Consumer<Sheet> write : List.<Consumer<Sheet>>of((one) -> this.template.replace(own, one),
				(one) -> this.template.findAndReplace(own, one),
				(one) -> this.template.bulkOps(BulkMode.ORDERED, Sheet.class).replaceOne(own, one).execute(),
				this.template::insert)) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> write.accept(mine));
			assertThat(mine.version).isEqualTo(1);
		}
		locked.close();
		this.template.save(mine);
	}

	@Test
	void whenATemplateOfTheApplicationIsRefusedASaveThenTheVersionIsTakenBack() {
		MongoTemplate own = new MongoTemplate(this.template.getMongoDatabaseFactory(), this.template.getConverter()) {

			@Override
			protected <T> T maybeCallBeforeConvert(T object, String collection) {
				return super.maybeCallBeforeConvert(object, collection);
			}

		};
		own.setApplicationContext(this.context);
		this.template.insert(new Sheet("a"));
		LockedDocument<Sheet> locked = this.there.documents().lock(Sheet.class, "a");
		Sheet mine = own.findById("a", Sheet.class);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> own.save(mine));
		assertThat(mine.version).isEqualTo(1);
		locked.close();
	}

	@Test
	void whenAReplacementByTheHolderIsRefusedThenItsSavePasses() {
		this.template.insert(new Sheet("a"));
		LockedDocument<Sheet> locked = this.here.documents().lock(Sheet.class, "a");
		Query own = new Query(Criteria.where("id").is("a"));
		assertThatIllegalStateException().isThrownBy(() -> this.template.replace(own, locked.entity()));
		locked.save(locked.entity());
	}

	@Test
	void anInsertAsksForNoLock() {
		LockedDocument<Page> locked = this.here.documents().lock(Page.class, "a");
		this.commands.clear();
		this.template.insert(new Page(null, "new", null));
		assertThat(this.commands).containsExactly("insert");
		locked.close();
	}

	@Test
	void aGuardedTypeWithoutAVersionIsRefusedAtTheStartAndByItsFirstSave() {
		assertThatIllegalStateException().isThrownBy(() -> this.template.save(new Unversioned("u")))
			.withMessageContaining("Unversioned is @LockGuarded and has no @Version");
		UnlockedSaveGuard saves = this.context.getBean(UnlockedSaveGuard.class);
		assertThatIllegalStateException().isThrownBy(saves::afterSingletonsInstantiated)
			.withMessageContaining("'@Version Long version'");
	}

	private OptimisticUpdater updates() {
		return OptimisticUpdater.of(this.template, new FixedBackOff(1, 0), this.context);
	}

	private Page plain(String text) {
		return this.template.save(this.template.findById("a", Page.class).with(text));
	}

	private String text() {
		return this.template.findById("a", Page.class).text();
	}

	record Page(@Id @Nullable String id, String text, @Version @Nullable Long version) {

		Page with(String text) {
			return new Page(this.id, text, this.version);
		}

	}

	static class Base {

		@Id
		String id;

		@Nullable String text;

		@Version
		@Nullable Long version;

		Base(String id) {
			this.id = id;
		}

	}

	@LockGuarded
	static class GuardedSpecial extends Base {

		GuardedSpecial(String id) {
			super(id);
		}

	}

	@LockGuarded
	record Guarded(@Id @Nullable String id, String text, @Version @Nullable Long version) {

		Guarded with(String text) {
			return new Guarded(this.id, text, this.version);
		}

	}

	@LockGuarded
	record Unversioned(@Id String id) {

	}

	@LockGuarded
	static class Sheet {

		@Id
		@Nullable String id;

		@Version
		@Nullable Long version;

		Sheet(@Nullable String id) {
			this.id = id;
		}

	}

	static class Primitive {

		@Id
		String id;

		@Version
		int version;

		Primitive(String id) {
			this.id = id;
		}

	}

	record Copying(UnaryOperator<Sheet> copied) implements BeforeConvertCallback<Sheet> {

		@Override
		public Sheet onBeforeConvert(Sheet sheet, String collection) {
			return ("a".equals(sheet.id)) ? this.copied.apply(sheet) : sheet;
		}

	}

}
