package io.mongolock.documents;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.ApplicationListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.convert.converter.Converter;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.annotation.CreatedDate;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.LastModifiedDate;
import org.springframework.data.annotation.ReadOnlyProperty;
import org.springframework.data.annotation.Version;
import org.springframework.data.auditing.IsNewAwareAuditingHandler;
import org.springframework.data.mapping.context.PersistentEntities;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.convert.MappingMongoConverter;
import org.springframework.data.mongodb.core.convert.MongoCustomConversions;
import org.springframework.data.mongodb.core.mapping.Field;
import org.springframework.data.mongodb.core.mapping.FieldName;
import org.springframework.data.mongodb.core.mapping.Unwrapped;
import org.springframework.data.mongodb.core.mapping.event.AbstractMongoEventListener;
import org.springframework.data.mongodb.core.mapping.event.AfterConvertEvent;
import org.springframework.data.mongodb.core.mapping.event.AfterLoadEvent;
import org.springframework.data.mongodb.core.mapping.event.AfterSaveCallback;
import org.springframework.data.mongodb.core.mapping.event.AfterSaveEvent;
import org.springframework.data.mongodb.core.mapping.event.AuditingEntityCallback;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertCallback;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertEvent;
import org.springframework.data.mongodb.core.mapping.event.BeforeSaveCallback;
import org.springframework.data.mongodb.core.mapping.event.BeforeSaveEvent;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.util.Assert;
import org.springframework.util.backoff.FixedBackOff;

import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DocumentLockOperations} with what Spring Data maps.
 */
class LockedEntitiesTests {

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.start();

	@AutoClose
	private final MongoClient client = MongoClients
		.create(this.server.connectionString() + "/?uuidRepresentation=standard");

	private final MongoTemplate template = new MongoTemplate(this.client, "test");

	private final List<String> seen = new ArrayList<>();

	private final GenericApplicationContext context = new GenericApplicationContext();

	private DocumentLocksFixture here;

	@BeforeEach
	void begin() {
		MappingMongoConverter converter = (MappingMongoConverter) this.template.getConverter();
		converter.setCustomConversions(new MongoCustomConversions(List.of(new ToText(), new FromText())));
		converter.afterPropertiesSet();
		this.context.registerBean(AuditingEntityCallback.class, () -> new AuditingEntityCallback(
				() -> new IsNewAwareAuditingHandler(PersistentEntities.of(converter.getMappingContext()))));
		this.context.registerBean(Seen.class, () -> new Seen(this.seen));
		this.context.registerBean(Refusing.class, Refusing::new);
		this.here = new DocumentLocksFixture("here", this.template, this.context);
		this.template.setApplicationContext(this.context);
	}

	@AfterEach
	void end() {
		this.here.close();
	}

	static Stream<Object> entities() {
		return Stream.of(new WithObjectId(new ObjectId(), 1, null), new WithUuid(UUID.randomUUID(), 1, null),
				new WithNumber(Long.MAX_VALUE, 1, null), new WithCompositeId(new Key("tenant", 7), 1, null));
	}

	@ParameterizedTest
	@MethodSource("entities")
	void anIdMayBeOfAnyType(Object entity) {
		this.template.insert(entity);
		Object id = this.template.getConverter()
			.getMappingContext()
			.getRequiredPersistentEntity(entity.getClass())
			.getIdentifierAccessor(entity)
			.getRequiredIdentifier();
		Object saved = saveAsItIs(entity.getClass(), id);
		assertThat(this.template.findById(id, entity.getClass())).isEqualTo(saved);
	}

	private <T> T saveAsItIs(Class<T> type, Object id) {
		LockedDocument<T> locked = documents().lock(type, id);
		T entity = locked.entity();
		LockedDocument<T> resumed = documents().resume(type, id, LockTicket.of(locked.ticket().text()));
		assertThat(resumed.entity()).isEqualTo(entity);
		return resumed.save(resumed.entity());
	}

	@Test
	void anIdMayBeAnotherKindOfNumberThanItsProperty() {
		this.template.insert(new WithNumber(7, 1, null));
		LockedDocument<WithNumber> locked = documents().lock(WithNumber.class, 7);
		assertThat(locked.handle().key()).isEqualTo("withNumber:7");
		assertThat(locked.save(new WithNumber(7, 2, locked.entity().version())).n()).isEqualTo(2);
	}

	@Test
	void whenTheTemplatePublishesNoEventsThenALockedSaveStillDoes() {
		List<Object> saved = new ArrayList<>();
		this.context
			.addApplicationListener((ApplicationListener<AfterSaveEvent<?>>) (event) -> saved.add(event.getSource()));
		this.template.setEntityLifecycleEventsEnabled(false);
		this.template.insert(new WithNumber(7, 1, null));
		assertThat(saved).isEmpty();
		WithNumber entity = saveAsItIs(WithNumber.class, 7);
		assertThat(saved).containsExactly(entity);
	}

	@Test
	void aWaiterIsFoundEvenIfTheIdIsStoredAsAnotherKindOfNumber() {
		this.template.getCollection("withNumber").insertOne(new Document("_id", 7).append("n", 1));
		LockedDocument<WithNumber> locked = documents().lock(WithNumber.class, 7L);
		try (DocumentLocksFixture there = new DocumentLocksFixture("there", this.template,
				new GenericApplicationContext())) {
			CompletableFuture<LockedDocument<WithNumber>> next = CompletableFuture
				.supplyAsync(() -> there.documents().lock(WithNumber.class, 7L, DocumentLocksFixture.WAITING));
			await().until(() -> documents().find(WithNumber.class, 7L).orElseThrow().waiting() == 1);
			locked.save(new WithNumber(7, 2, locked.entity().version()));
			assertThat(next.join().entity().n()).isEqualTo(2);
		}
	}

	@Test
	void aDefaultThatWasNotStoredIsSaved() {
		this.template.insert(new Document("_id", "d").append("text", "old"), "withDefault");
		LockedDocument<WithDefault> locked = documents().lock(WithDefault.class, "d");
		locked.entity().text = "new";
		locked.save(locked.entity());
		Document stored = Objects.requireNonNull(this.template.findById("d", Document.class, "withDefault"));
		assertThat(stored).containsEntry("text", "new").containsEntry("status", "NEW");
	}

	@Test
	void changesInPlaceAreSavedEvenInDatesAndArrays() {
		this.template.insert(new InPlace("p"));
		LockedDocument<InPlace> locked = documents().lock(InPlace.class, "p");
		locked.entity().bytes[0] = 9;
		locked.entity().date.setTime(7);
		locked.entity().texts.add("b");
		InPlace kept = locked.saveAndKeep(locked.entity());
		assertThat(Objects.requireNonNull(this.template.findById("p", InPlace.class)).bytes).containsExactly(9, 2);
		kept.bytes[1] = 9;
		locked.save(kept);
		InPlace stored = Objects.requireNonNull(this.template.findById("p", InPlace.class));
		assertThat(stored.bytes).containsExactly(9, 9);
		assertThat(stored.date).hasTime(7);
		assertThat(stored.texts).containsExactly("a", "b");
	}

	@Test
	void anEntityMayBeMutableWithNamesOfItsOwnAndATextAsObjectId() {
		Mutable entity = new Mutable();
		entity.title = "draft";
		this.template.insert(entity);
		LockedDocument<Mutable> locked = documents().lock(Mutable.class, entity.id);
		locked.entity().title = "saved";
		assertThat(locked.save(locked.entity()).version).isEqualTo(3);
		Document stored = this.template.getCollection("mutable").find().first();
		assertThat(stored.get("_id")).isInstanceOf(ObjectId.class);
		assertThat(stored).containsEntry("t", "saved").containsEntry("v", 3);
	}

	@Test
	void aSaveThatACallbackRefusesLeavesTheVersionAndTheLock() {
		Mutable entity = new Mutable();
		this.template.insert(entity);
		LockedDocument<Mutable> locked = documents().lock(Mutable.class, entity.id);
		Mutable mine = locked.entity();
		mine.title = "refused";
		assertThatIllegalStateException().isThrownBy(() -> locked.save(mine)).withMessage("not valid");
		assertThat(mine.version).isEqualTo(2);
		mine.title = "saved";
		assertThat(locked.save(mine).version).isEqualTo(3);
	}

	@Test
	void whenAListenerTakesTheVersionAwayThenNothingIsWritten() {
		Mutable entity = new Mutable();
		this.template.insert(entity);
		LockedDocument<Mutable> locked = documents().lock(Mutable.class, entity.id);
		this.context.addApplicationListener(
				(ApplicationListener<BeforeSaveEvent<?>>) (event) -> event.getDocument().remove("v"));
		Mutable mine = locked.entity();
		assertThatIllegalStateException().isThrownBy(() -> locked.save(mine))
			.withMessageContaining("without its version");
		assertThat(mine.version).isEqualTo(2);
		assertThat(this.template.getCollection("mutable").find().first()).containsEntry("v", 2);
		assertThat(locked.handle().isHeld()).isTrue();
	}

	@Test
	void whenAListenerPutsWhatASaveOfAWholeCannotStoreThenNothingIsWritten() {
		Mutable entity = new Mutable();
		this.template.insert(entity);
		LockedDocument<Mutable> locked = documents().lock(Mutable.class, entity.id);
		Map<String, Object> put = new HashMap<>();
		this.context.addApplicationListener(
				(ApplicationListener<BeforeSaveEvent<?>>) (event) -> event.getDocument().putAll(put));
		Map.of("lock", "text", "$title", "text", "changed", new BsonTimestamp()).forEach((name, value) -> {
			put.clear();
			put.put(name, value);
			assertThatIllegalStateException().isThrownBy(() -> locked.save(locked.entity()))
				.withMessageContaining("'" + name + "'");
			assertThat(locked.entity().version).isEqualTo(2);
		});
		put.clear();
		put.put("nested", new Document("changed", new BsonTimestamp()));
		assertThat(locked.save(locked.entity()).version).isEqualTo(3);
	}

	@Test
	void whenALockedDocumentIsSavedThenItsLockAndItsFenceStayInWhatIsLoadedAgain() {
		Mutable entity = new Mutable();
		this.template.insert(entity);
		this.template.updateFirst(new Query(), Update.update("fence", 7L), Mutable.class);
		LockedDocument<Mutable> locked = documents().lock(Mutable.class, entity.id);
		locked.saveAndKeep(locked.entity());
		assertThat(((HeldDocument<Mutable>) locked).loaded().stored()).containsKeys("lock", "fence");
		assertThat(this.template.getCollection("mutable").find().first()).containsEntry("fence", 7L)
			.containsKey("lock");
	}

	@Test
	void whenAFenceIsAPropertyThenItIsStoredAsAnyOther() {
		OptimisticUpdater updater = OptimisticUpdater.of(this.template, new FixedBackOff(1, 0), this.context);
		this.template.insert(new WithFence("f", 7L, null));
		updater.update(WithFence.class, "f", (one) -> new WithFence("f", null, one.version()));
		assertThat(this.template.getCollection("withFence").find().first()).doesNotContainKey("fence");
		this.template.updateFirst(new Query(), Update.update("fence", 8L), WithFence.class);
		LockedDocument<WithFence> locked = documents().lock(WithFence.class, "f");
		locked.save(new WithFence("f", null, locked.entity().version()));
		assertThat(this.template.getCollection("withFence").find().first()).doesNotContainKey("fence");
	}

	@Test
	void whenAListenerPutsTheFenceThenThatIsStored() {
		this.template.insert(new Mapped("m1", 1, null, null));
		this.template.updateFirst(new Query(), Update.update("fence", 7L), Mapped.class);
		this.context.addApplicationListener(
				(ApplicationListener<BeforeSaveEvent<?>>) (event) -> event.getDocument().put("fence", 9L));
		LockedDocument<Mapped> locked = documents().lock(Mapped.class, "m1");
		keep(locked, 2, locked.entity().version());
		assertThat(this.template.getCollection("mapped").find().first()).containsEntry("fence", 9L);
	}

	@Test
	void whenTheLockIsMappedToBeReadThenAnOptimisticUpdateKeepsIt() {
		this.template.insert(new Mapped("m", 1, null, null));
		documents().lock(Mapped.class, "m");
		OptimisticUpdater.of(this.template, new FixedBackOff(1, 0), this.context)
			.update(Mapped.class, "m", (one) -> new Mapped("m", 2, null, one.version()));
		assertThat(this.template.findById("m", Mapped.class)).satisfies((stored) -> {
			assertThat(stored.n()).isEqualTo(2);
			assertThat(stored.lock()).isNotNull();
		});
	}

	@Test
	void whenACallbackAfterASaveReturnsAnotherEntityThenTheDocumentGoesOnWithIt() {
		this.context.getBeanFactory().registerSingleton("after", new Renumbering());
		try (DocumentLocksFixture other = new DocumentLocksFixture("other", this.template, this.context)) {
			this.template.insert(new Mapped("m", 1, null, null));
			LockedDocument<Mapped> locked = other.documents().lock(Mapped.class, "m");
			Mapped saved = locked.saveAndKeep(new Mapped("m", 2, null, locked.entity().version()));
			assertThat(saved.n()).isEqualTo(-2);
			assertThat(locked.entity()).isSameAs(saved);
			locked.close();
		}
	}

	@Test
	void theClassOfASubclassIsKept() {
		Special special = new Special();
		special.id = "s";
		special.extra = "more";
		this.template.insert(special, "bases");
		LockedDocument<Base> locked = documents().lock(Base.class, "s");
		assertThat(locked.entity()).isInstanceOf(Special.class);
		((Special) locked.entity()).extra = "saved";
		locked.save(locked.entity());
		assertThat(this.template.findById("s", Base.class)).isInstanceOfSatisfying(Special.class,
				(saved) -> assertThat(saved.extra).isEqualTo("saved"));
	}

	@Test
	void aLockThatIsMappedIsToBeReadOnly() {
		this.template.insert(new Mapped("m", 1, null, null));
		LockedDocument<Mapped> locked = documents().lock(Mapped.class, "m");
		assertThat(locked.entity().lock()).containsKey("holders");
		locked.save(new Mapped("m", 2, new Document("holders", "mine"), locked.entity().version()));
		assertThat(this.template.findById("m", Mapped.class).lock().getList("holders", Document.class)).isEmpty();
		documents().lock(Mapped.class, "m").close();
	}

	static Stream<Object> occupants() {
		return Stream.of(new Door("d", "of bronze", null), new House("h", new Front("of bronze"), null));
	}

	@ParameterizedTest
	@MethodSource("occupants")
	void aPropertyOfItsOwnInTheFieldOfTheLockIsRefused(Object entity) {
		this.template.insert(entity, "doors");
		assertThatIllegalArgumentException().isThrownBy(() -> documents().check(entity.getClass()))
			.withMessageContaining("lock is stored in the field 'lock'")
			.withMessageContaining("mongo-lock.document-locks.field");
		assertThatIllegalArgumentException().isThrownBy(() -> documents().lock(entity.getClass(), "d"));
		documents().check(Mapped.class);
	}

	@Test
	void aPropertyOfASubclassInTheFieldOfTheLockIsRefusedByItsSave() {
		Base base = new Base();
		base.id = "b";
		this.template.insert(base);
		Locked mine = new Locked();
		mine.id = "b";
		mine.lock = "mine";
		try (LockedDocument<Base> locked = documents().lock(Base.class, "b")) {
			assertThatIllegalArgumentException().isThrownBy(() -> locked.save(mine));
			assertThat(locked.handle().isHeld()).isTrue();
		}
	}

	@Test
	void convertersAuditingAndCallbacksAreThoseOfAnySave() {
		insertAudited();
		this.seen.clear();
		LockedDocument<Audited> locked = documents().lock(Audited.class, "a");
		Audited saved = locked.save(locked.entity().with(new Money(7)));
		assertThat(saved.modified()).isNotNull();
		assertThat(saved.created()).isNull();
		assertThat(this.template.getCollection("audited").find().first()).containsEntry("money", "7 EUR")
			.containsKey("modified");
		assertThat(this.seen).containsExactly("afterLoad", "afterConvert", "beforeConvert", "beforeSave", "afterSave");
	}

	private void insertAudited() {
		this.template.getCollection("audited")
			.insertOne(new Document("_id", "a").append("money", "5 EUR").append("version", 0L));
	}

	private DocumentLockOperations documents() {
		return this.here.documents();
	}

	@Test
	void aSaveThatAnotherOvertakesLeavesWhatThatHasSaved() {
		this.template.insert(new Mapped("m1", 1, null, null));
		try (LockedDocument<Mapped> locked = this.here.documents().lock(Mapped.class, "m1")) {
			Mapped first = locked.entity();
			this.context.addApplicationListener(new AbstractMongoEventListener<Mapped>() {

				@Override
				public void onBeforeSave(BeforeSaveEvent<Mapped> event) {
					if (event.getSource().n() == 3) {
						keep(locked, 2, first.version());
					}
				}

			});
			assertThatExceptionOfType(OptimisticLockingFailureException.class)
				.isThrownBy(() -> keep(locked, 3, first.version()));
			assertGoesOn(locked);
		}
	}

	@Test
	void aSaveWithinTheEventOfAnotherIsWhatTheDocumentGoesOnWith() {
		this.template.insert(new Mapped("m1", 1, null, null));
		try (LockedDocument<Mapped> locked = this.here.documents().lock(Mapped.class, "m1")) {
			this.context.addApplicationListener(new AbstractMongoEventListener<Mapped>() {

				@Override
				public void onAfterSave(AfterSaveEvent<Mapped> event) {
					if (event.getSource().n() == 3) {
						keep(locked, 2, event.getSource().version());
					}
				}

			});
			keep(locked, 3, locked.entity().version());
			assertGoesOn(locked);
		}
	}

	private void assertGoesOn(LockedDocument<Mapped> locked) {
		assertThat(locked.entity().n()).isEqualTo(2);
		keep(locked, 4, locked.entity().version());
		assertThat(this.template.findById("m1", Mapped.class).n()).isEqualTo(4);
	}

	private void keep(LockedDocument<Mapped> locked, int n, @Nullable Long version) {
		locked.saveAndKeep(new Mapped("m1", n, null, version));
	}

	record WithObjectId(@Id ObjectId id, int n, @Version @Nullable Long version) {

	}

	record WithUuid(@Id UUID id, int n, @Version @Nullable Long version) {

	}

	record WithNumber(@Id long id, int n, @Version @Nullable Long version) {

	}

	record Key(String tenant, int number) {

	}

	record WithCompositeId(@Id Key id, int n, @Version @Nullable Long version) {

	}

	record Dotted(@Id String id, @Field(name = "a.b", nameType = FieldName.Type.KEY) String text,
			@Version @Nullable Long version) {

	}

	static class InPlace {

		@Id
		String id;

		@Version
		@Nullable Long version;

		byte[] bytes = { 1, 2 };

		Date date = new Date(1);

		List<String> texts = new ArrayList<>(List.of("a"));

		InPlace(String id) {
			this.id = id;
		}

	}

	static class WithDefault {

		@Id
		@Nullable String id;

		@Version
		@Nullable Long version;

		@Nullable String text;

		String status = "NEW";

	}

	record Mapped(@Id String id, int n, @ReadOnlyProperty @Nullable Document lock, @Version @Nullable Long version) {

	}

	record WithFence(@Id String id, @Nullable Long fence, @Version @Nullable Long version) {

	}

	static final class Renumbering implements AfterSaveCallback<Mapped> {

		@Override
		public Mapped onAfterSave(Mapped entity, Document document, String collection) {
			return new Mapped(entity.id(), -entity.n(), null, entity.version());
		}

	}

	@org.springframework.data.mongodb.core.mapping.Document("doors")
	record Door(@Id String id, String lock, @Version @Nullable Long version) {

	}

	record Front(String lock) {

	}

	@org.springframework.data.mongodb.core.mapping.Document("doors")
	record House(@Id String id, @Unwrapped(onEmpty = Unwrapped.OnEmpty.USE_NULL) Front front,
			@Version @Nullable Long version) {

	}

	record Money(int euros) {

	}

	record Audited(@Id String id, Money money, @CreatedDate @Nullable Instant created,
			@LastModifiedDate @Nullable Instant modified, @Version @Nullable Long version) {

		Audited with(Money money) {
			return new Audited(this.id, money, this.created, this.modified, this.version);
		}

	}

	static class Mutable {

		@Id
		String id;

		@Field("t")
		String title;

		@Version
		@Field("v")
		int version;

	}

	@org.springframework.data.mongodb.core.mapping.Document("bases")
	static class Base {

		@Id
		String id;

		@Version
		@Nullable Long version;

	}

	@org.springframework.data.mongodb.core.mapping.Document("bases")
	static class Special extends Base {

		String extra;

	}

	static class Locked extends Base {

		String lock;

	}

	static class ToText implements Converter<Money, String> {

		@Override
		public String convert(Money money) {
			return money.euros() + " EUR";
		}

	}

	static class FromText implements Converter<String, Money> {

		@Override
		public Money convert(String text) {
			return new Money(Integer.parseInt(text.replace(" EUR", "")));
		}

	}

	static class Doubling implements BeforeConvertCallback<Audited> {

		@Override
		public Audited onBeforeConvert(Audited entity, String collection) {
			return entity.with(new Money(entity.money().euros() * 2));
		}

	}

	static class Refusing implements BeforeSaveCallback<Mutable> {

		@Override
		public Mutable onBeforeSave(Mutable entity, Document document, String collection) {
			Assert.state(!"refused".equals(entity.title), "not valid");
			return entity;
		}

	}

	static class Seen extends AbstractMongoEventListener<Object> {

		private final List<String> seen;

		Seen(List<String> seen) {
			this.seen = seen;
		}

		@Override
		public void onAfterLoad(AfterLoadEvent<Object> event) {
			this.seen.add("afterLoad");
		}

		@Override
		public void onAfterConvert(AfterConvertEvent<Object> event) {
			this.seen.add("afterConvert");
		}

		@Override
		public void onBeforeConvert(BeforeConvertEvent<Object> event) {
			this.seen.add("beforeConvert");
		}

		@Override
		public void onBeforeSave(BeforeSaveEvent<Object> event) {
			this.seen.add("beforeSave");
		}

		@Override
		public void onAfterSave(AfterSaveEvent<Object> event) {
			this.seen.add("afterSave");
		}

	}

}
