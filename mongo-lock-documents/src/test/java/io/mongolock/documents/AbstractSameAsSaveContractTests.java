package io.mongolock.documents;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.BsonDocument;
import org.bson.BsonElement;
import org.bson.BsonInt32;
import org.bson.BsonMaxKey;
import org.bson.BsonRegularExpression;
import org.bson.BsonTimestamp;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.types.Binary;
import org.bson.types.Code;
import org.bson.types.Decimal128;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.PersistenceCreator;
import org.springframework.data.annotation.ReadOnlyProperty;
import org.springframework.data.annotation.Transient;
import org.springframework.data.annotation.Version;
import org.springframework.data.convert.ValueConverter;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.convert.MongoConversionContext;
import org.springframework.data.mongodb.core.convert.MongoValueConverter;
import org.springframework.data.mongodb.core.mapping.Field;
import org.springframework.data.mongodb.core.mapping.Field.Write;
import org.springframework.data.mongodb.core.mapping.Unwrapped;
import org.springframework.data.mongodb.core.mapping.event.AbstractMongoEventListener;
import org.springframework.data.mongodb.core.mapping.event.AfterConvertCallback;
import org.springframework.data.mongodb.core.mapping.event.AfterLoadEvent;
import org.springframework.data.mongodb.core.mapping.event.AfterSaveCallback;
import org.springframework.data.mongodb.core.mapping.event.AfterSaveEvent;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertCallback;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertEvent;
import org.springframework.data.mongodb.core.mapping.event.BeforeSaveCallback;
import org.springframework.data.mongodb.core.mapping.event.BeforeSaveEvent;
import org.springframework.util.backoff.FixedBackOff;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A locked save stores what a plain save stores of the same entity, byte by byte but for
 * the lock and the fence, calls the same callbacks with the same, and returns the same.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class AbstractSameAsSaveContractTests {

	private static final int PROGRAMS = 60;

	private MongoClient client;

	private Side plain;

	private Side locked;

	abstract String uri();

	/**
	 * Whether the server replaces documents as a real one does.
	 * @return {@code false} if it keeps the order of their fields, and refuses names with
	 * dots
	 */
	abstract boolean isReal();

	@BeforeAll
	void begin() {
		this.client = MongoClients.create(uri());
		this.plain = new Side(this.client, "mongo_lock_plain", isReal());
		this.locked = new Side(this.client, "mongo_lock_locked", isReal());
	}

	@AfterAll
	void end() {
		Stream.of(this.plain, this.locked).forEach(Side::close);
		this.client.close();
	}

	static Stream<Way> ways() {
		return Stream.of(Way.values());
	}

	@ParameterizedTest
	@MethodSource("ways")
	void aSaveUnderALockIsASave(Way way) {
		for (int seed = 0; seed < PROGRAMS; seed++) {
			run(seed, way);
		}
	}

	private void run(int seed, Way way) {
		Random random = new Random(seed);
		boolean mutable = random.nextBoolean();
		Class<? extends Page> type = (mutable) ? (random.nextBoolean() ? Page.class : Chapter.class) : null;
		Document stored = stored(random, type);
		int listening = random.nextInt(8);
		List<Integer> changes = random.ints(1 + random.nextInt(3), 0, Integer.MAX_VALUE).boxed().toList();
		for (Side side : List.of(this.plain, this.locked)) {
			side.store(collection(mutable), stored, listening);
		}
		for (int one : changes) {
			Change change = new Change(mutable, one);
			String expected = Way.plain(this.plain, change);
			String found = way.locked(this.locked, change);
			assertThat(found).as("returned, seed %d", seed).isEqualTo(expected);
			assertThat(this.locked.seen).as("called, seed %d", seed).isEqualTo(this.plain.seen);
		}
		this.locked.release();
		assertThat(this.locked.stored(collection(mutable))).as("stored, seed %d", seed)
			.isEqualTo(this.plain.stored(collection(mutable)));
		assertThat(this.locked.read(mutable)).as("read, seed %d", seed).isEqualTo(this.plain.read(mutable));
	}

	private static String collection(boolean mutable) {
		return (mutable) ? "page" : "word";
	}

	private static Document stored(Random random, @Nullable Class<?> type) {
		Document stored = new Document("_id", "p");
		List<Consumer<Document>> fields = new ArrayList<>(List.of((document) -> document.append("text", "old"),
				(document) -> document.append("title", "older"), (document) -> document.append("oldText", "oldest"),
				(document) -> document.append("stamp", "callback"), (document) -> document.append("secret", "0:sesame"),
				(document) -> document.append("views", 7), (document) -> document.append("fence", 5L),
				(document) -> document.append("summary", "s"),
				(document) -> document.append("tags", List.of("$a", new Document("b", 1))),
				(document) -> document.append("unmapped", value(new Random(1), 0)),
				(document) -> document.append("meta", new Document("oldText", "deep").append("by", "me"))));
		Collections.shuffle(fields, random);
		fields.subList(0, random.nextInt(fields.size())).forEach((field) -> field.accept(stored));
		if (type != null && random.nextBoolean()) {
			stored.append("_class", type.getName());
		}
		return stored;
	}

	private static @Nullable Object value(Random random, int depth) {
		return switch (random.nextInt((depth < 3) ? 18 : 16)) {
			case 0 -> null;
			case 1 -> random.nextInt();
			case 2 -> random.nextLong();
			case 3 -> random.nextDouble();
			case 4 -> "$text" + random.nextInt();
			case 5 -> "$$ROOT";
			case 6 -> new ObjectId(new Date(random.nextInt(100000)), random.nextInt(100));
			case 7 -> new Date(random.nextInt(100000));
			case 8 -> new Binary(new byte[] { 1, 2 });
			case 9 -> Decimal128.parse("1.50");
			case 10 -> random.nextBoolean();
			case 11 -> new BsonTimestamp(random.nextInt(1000) + 1, 1);
			case 12 -> new BsonRegularExpression("^a", "i");
			case 13 -> new Code("return 1");
			case 14 -> new BsonMaxKey();
			case 15 -> List.of();
			case 16 -> IntStream.range(0, random.nextInt(3))
				.mapToObj((i) -> value(random, depth + 1))
				.collect(ArrayList::new, List::add, List::addAll);
			default -> {
				Document nested = new Document();
				for (int i = 0; i < random.nextInt(4); i++) {
					nested.append("f" + random.nextInt(5), value(random, depth + 1));
				}
				yield nested;
			}
		};
	}

	/**
	 * How a document is written.
	 */
	enum Way {

		SAVE {

			@Override
			Object locked(Side side, Change change, LockedDocument<Object> locked) {
				return locked.save(change.apply(locked.entity()));
			}

		},

		KEEP {

			@Override
			Object locked(Side side, Change change, LockedDocument<Object> locked) {
				return locked.saveAndKeep(change.apply(locked.entity()));
			}

		},

		TICKET {

			@Override
			Object locked(Side side, Change change, LockedDocument<Object> locked) {
				LockTicket ticket = locked.ticket();
				side.forget();
				LockedDocument<Object> resumed = side.documents().resume(change.type(), "p", ticket);
				return resumed.save(change.apply(resumed.entity()));
			}

		},

		UPDATE {

			@Override
			String locked(Side side, Change change) {
				side.grant(change.mutable());
				side.forget();
				return side.text(side.updater.update(change.type(), "p", change::apply).orElseThrow());
			}

		};

		static String plain(Side side, Change change) {
			side.grant(change.mutable());
			side.forget();
			Object entity = Objects.requireNonNull(side.template.findById("p", change.type()));
			return side.text(side.template.save(change.apply(entity)));
		}

		String locked(Side side, Change change) {
			side.release();
			side.forget();
			LockedDocument<Object> locked = side.documents().lock(change.type(), "p");
			side.held = locked;
			return side.text(locked(side, change, locked));
		}

		Object locked(Side side, Change change, LockedDocument<Object> locked) {
			throw new IllegalStateException();
		}

	}

	/**
	 * What an application changes.
	 */
	record Change(boolean mutable, int seed) {

		@SuppressWarnings("unchecked")
		Class<Object> type() {
			return (Class<Object>) ((this.mutable) ? Page.class : Word.class);
		}

		@SuppressWarnings("unchecked")
		<T> T apply(T entity) {
			Random random = new Random(this.seed);
			if (entity instanceof Word word) {
				return (T) new Word(word.id(), "new " + random.nextInt(), (random.nextBoolean()) ? "secret" : null,
						word.stamped(), value(random, 0), word.version());
			}
			Page page = (Page) entity;
			page.text = "new " + random.nextInt();
			page.secret = (random.nextBoolean()) ? "pass" : null;
			page.any = value(random, 0);
			page.when = (random.nextBoolean()) ? Instant.ofEpochMilli(random.nextInt()) : null;
			page.parts = (random.nextBoolean()) ? new ArrayList<>(List.of(new Chapter(), new Part(random.nextInt())))
					: null;
			page.named = new LinkedHashMap<>(Map.of("k" + random.nextInt(3), String.valueOf(value(random, 1))));
			page.own = (random.nextBoolean()) ? new Part(random.nextInt()) : null;
			if (page instanceof Chapter chapter) {
				chapter.number = random.nextInt();
			}
			return entity;
		}

	}

	/**
	 * One database, with an application's callbacks.
	 */
	static final class Side {

		private final MongoTemplate template;

		private final GenericApplicationContext context = new GenericApplicationContext();

		private final DocumentLocksFixture fixture;

		private final OptimisticUpdater updater;

		private final boolean real;

		private List<String> seen = new ArrayList<>();

		private int listening;

		private @Nullable LockedDocument<?> held;

		Side(MongoClient client, String name, boolean real) {
			this.real = real;
			this.template = new MongoTemplate(client, name);
			this.context.registerBean(Listener.class, () -> new Listener(this));
			this.context.registerBean(Called.class, () -> new Called(this));
			this.fixture = new DocumentLocksFixture(name, this.template, this.context);
			this.template.setApplicationContext(this.context);
			this.updater = OptimisticUpdater.of(this.template, new FixedBackOff(1, 0), this.context);
		}

		DocumentLockOperations documents() {
			return this.fixture.documents();
		}

		void store(String collection, Document document, int listening) {
			this.listening = 0;
			this.template.getCollection(collection).drop();
			this.template.getCollection(collection).insertOne(new Document(document).append("version", 1L));
			this.listening = listening;
		}

		// As a grant does
		void grant(boolean mutable) {
			this.template.getCollection(collection(mutable))
				.updateOne(new Document(), new Document("$inc", new Document("version", 1)));
		}

		void forget() {
			this.seen = new ArrayList<>();
			Salted.salt = 0;
		}

		void release() {
			if (this.held != null) {
				this.held.close();
			}
			this.held = null;
		}

		void call(String event, @Nullable Object entity, @Nullable Document document) {
			Document shown = (document != null) ? new Document(document) : null;
			if (shown != null) {
				shown.remove("lock");
				shown.remove("fence");
			}
			this.seen.add(event + " " + ((entity != null) ? entity.getClass().getSimpleName() + " " + entity : "") + " "
					+ ((shown != null) ? bytes(shown) : ""));
		}

		String bytes(Document document) {
			return new RawBsonDocument(document,
					this.template.getMongoDatabaseFactory().getCodecRegistry().get(Document.class))
				.toJson();
		}

		String text(Object entity) {
			return entity.getClass().getSimpleName() + " " + entity;
		}

		String stored(String collection) {
			BsonDocument stored = Objects
				.requireNonNull(this.template.getDb().getCollection(collection, BsonDocument.class).find().first());
			stored.remove("lock");
			stored.remove("fence");
			return (this.real) ? stored.toJson()
					: new BsonDocument(new TreeMap<>(stored).entrySet()
						.stream()
						.map((field) -> new BsonElement(field.getKey(), field.getValue()))
						.toList()).toJson();
		}

		String read(boolean mutable) {
			forget();
			return text(Objects.requireNonNull(this.template.findById("p", new Change(mutable, 0).type())));
		}

		void close() {
			this.listening = 0;
			this.template.getDb().drop();
			this.fixture.close();
		}

	}

	@org.springframework.data.mongodb.core.mapping.Document("page")
	static class Page {

		@Id
		@Nullable String id;

		@Nullable String text;

		@ValueConverter(Salted.class)
		@Nullable String secret;

		@Transient
		@Nullable String stamp;

		@Nullable Object any;

		@Nullable Instant when;

		@Nullable List<Object> parts;

		@Field(value = "renamed", write = Write.ALWAYS)
		@Nullable Map<String, String> named;

		@Unwrapped(onEmpty = Unwrapped.OnEmpty.USE_NULL, prefix = "own_")
		@Nullable Part own;

		@ReadOnlyProperty
		@Nullable Integer views;

		@Nullable String stamped;

		@Version
		@Nullable Long version;

		@PersistenceCreator
		Page(@Value("#root.title ?: #root.text") @Nullable String text) {
			this.text = text;
		}

		@Override
		public String toString() {
			return Stream
				.of(this.id, this.text, this.secret, this.any, this.when, this.parts, this.named, this.own, this.views,
						this.stamped, this.version)
				.map(String::valueOf)
				.toList()
				.toString();
		}

	}

	@org.springframework.data.mongodb.core.mapping.Document("page")
	static class Chapter extends Page {

		@Nullable Integer number;

		Chapter() {
			super("chapter");
		}

		@PersistenceCreator
		Chapter(@Value("#root.title ?: #root.text") @Nullable String text, @Nullable Integer number) {
			super(text);
			this.number = number;
		}

		@Override
		public String toString() {
			return super.toString() + this.number;
		}

	}

	record Part(@Nullable Integer number) {

	}

	record Word(@Id String id, @Value("#root.title ?: #root.text") @Nullable String text,
			@ValueConverter(Salted.class) @Nullable String secret, @Nullable String stamped, @Nullable Object any,
			@Version @Nullable Long version) {

		Word withText(@Nullable String text) {
			return new Word(this.id, text, this.secret, this.stamped, this.any, this.version);
		}

		Word stamped(String stamped) {
			return new Word(this.id, this.text, this.secret, stamped, this.any, this.version);
		}

	}

	/**
	 * Writes the same in another way each time.
	 */
	static class Salted implements MongoValueConverter<String, String> {

		private static int salt;

		@Override
		public @Nullable String read(String value, MongoConversionContext context) {
			return value.substring(value.indexOf(':') + 1);
		}

		@Override
		public @Nullable String write(String value, MongoConversionContext context) {
			return salt++ + ":" + value;
		}

	}

	/**
	 * Reads old names, adds fields, and is called once each.
	 */
	static class Listener extends AbstractMongoEventListener<Object> {

		private final Side side;

		Listener(Side side) {
			this.side = side;
		}

		@Override
		public void onAfterLoad(AfterLoadEvent<Object> event) {
			Document document = Objects.requireNonNull(event.getDocument());
			if ((this.side.listening & 1) != 0 && document.containsKey("oldText")) {
				document.put("text", document.remove("oldText"));
			}
			if ((this.side.listening & 1) != 0 && document.get("meta") instanceof Document meta
					&& meta.containsKey("oldText")) {
				document.put("text", meta.remove("oldText"));
			}
		}

		@Override
		public void onBeforeConvert(BeforeConvertEvent<Object> event) {
			this.side.call("before convert", event.getSource(), null);
			// An update writes the entity once more, to see whether it has changed
			Salted.salt = 0;
		}

		@Override
		public void onBeforeSave(BeforeSaveEvent<Object> event) {
			Document document = Objects.requireNonNull(event.getDocument());
			this.side.call("before save", event.getSource(), document);
			if ((this.side.listening & 2) != 0) {
				document.append("summary", document.get("text"));
				if (this.side.real) {
					document.append("a.b", new Document("c.d", new BsonInt32(1)));
				}
			}
		}

		@Override
		public void onAfterSave(AfterSaveEvent<Object> event) {
			this.side.call("after save", event.getSource(), event.getDocument());
			if ((this.side.listening & 2) != 0) {
				Objects.requireNonNull(event.getDocument()).append("after", 1);
			}
		}

	}

	/**
	 * Callbacks that change what they see.
	 */
	static class Called implements AfterConvertCallback<Object>, BeforeConvertCallback<Object>,
			BeforeSaveCallback<Object>, AfterSaveCallback<Object> {

		private final Side side;

		Called(Side side) {
			this.side = side;
		}

		@Override
		public Object onAfterConvert(Object entity, Document document, String collection) {
			if ((this.side.listening & 4) == 0) {
				return entity;
			}
			String stamped = document.getString("stamp") + " of " + document.get("unmapped");
			if (entity instanceof Page page) {
				page.stamped = stamped;
				return page;
			}
			return ((Word) entity).stamped(stamped);
		}

		@Override
		public Object onBeforeConvert(Object entity, String collection) {
			this.side.call("call before convert", entity, null);
			return ((this.side.listening & 4) != 0 && entity instanceof Word word) ? word.withText(word.text() + "!")
					: entity;
		}

		@Override
		public Object onBeforeSave(Object entity, Document document, String collection) {
			this.side.call("call before save", entity, document);
			document.append("called", new HashMap<>(Map.of("by", "$me")));
			return entity;
		}

		@Override
		public Object onAfterSave(Object entity, Document document, String collection) {
			this.side.call("call after save", entity, document);
			return ((this.side.listening & 4) != 0 && entity instanceof Word word) ? word.stamped("after") : entity;
		}

	}

}
