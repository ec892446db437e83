package io.mongolock.documents;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.event.AfterLoadEvent;
import org.springframework.data.mongodb.core.mapping.event.BeforeConvertCallback;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.util.backoff.FixedBackOff;

import io.mongolock.LockClock;
import io.mongolock.data.FencedWrites;
import io.mongolock.documents.ProgramEntries.Card;
import io.mongolock.documents.ProgramEntries.Entry;
import io.mongolock.documents.ProgramEntries.Page;
import io.mongolock.documents.ProgramEntries.Sheet;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * Two instances of an application on one server, and a view of its documents beside them.
 */
final class ProgramWorld implements AutoCloseable {

	static final List<Class<? extends Entry>> TYPES = List.of(Sheet.class, Page.class, Card.class);

	/** Where an older release has stored the text. */
	static final String OLD_TEXT = "oldText";

	private static final String DATABASE = "mongo_lock_programs";

	private final MongoClient client;

	private final MongoTemplate outside;

	final Instance here;

	final Instance there;

	ProgramWorld(String uri) {
		this.client = MongoClients.create(uri);
		this.outside = new MongoTemplate(this.client, DATABASE);
		this.outside.setWriteConcern(WriteConcern.MAJORITY);
		this.here = new Instance("here", this.client);
		this.there = new Instance("there", this.client);
	}

	static boolean hasTransactions(String uri) {
		try (MongoClient client = MongoClients.create(uri)) {
			return client.getDatabase("admin").runCommand(new Document("hello", 1)).containsKey("setName");
		}
	}

	void insert(Entry entry) {
		this.outside.insert(entry);
	}

	Optional<Document> stored(String id, Class<?> type) {
		return Optional.ofNullable(this.outside.findById(id, Document.class, this.outside.getCollectionName(type)));
	}

	void write(String id, Class<?> type, Document update) {
		this.outside.getCollection(this.outside.getCollectionName(type)).updateOne(new Document("_id", id), update);
	}

	static Query byId(String id) {
		return Query.query(Criteria.where("_id").is(id));
	}

	@Override
	public void close() {
		this.here.fixture.close();
		this.there.fixture.close();
		this.outside.getDb().drop();
		this.client.close();
	}

	static final class Instance {

		final String name;

		final Losing template;

		final Ahead clock = new Ahead();

		final MongoTransactionManager manager;

		final FencedWrites fenced;

		final OptimisticUpdater updater;

		private final DocumentLocksFixture fixture;

		Instance(String name, MongoClient client) {
			this.name = name;
			this.template = new Losing(client);
			GenericApplicationContext context = new GenericApplicationContext();
			context.registerBean("copies", BeforeConvertCallback.class, Copies::new);
			context.addApplicationListener(new Migration());
			DocumentLocksFixture.guardPlainSaves(context, this.template, this::fixture);
			this.fixture = new DocumentLocksFixture(name, this.template,
					new MongoTemplate(this.template.getMongoDatabaseFactory()), this.clock, context);
			this.template.setApplicationContext(context);
			this.manager = new MongoTransactionManager(this.template.getMongoDatabaseFactory());
			this.manager.addListener(this.fixture.transactions());
			this.fenced = FencedWrites.of(this.template,
					new MongoLockStore(new MongoTemplate(this.template.getMongoDatabaseFactory()), "locks", ""));
			this.updater = OptimisticUpdater.of(this.template, new FixedBackOff(1, 2), context);
		}

		private DocumentLocksFixture fixture() {
			return this.fixture;
		}

		DocumentLockOperations documents() {
			return this.fixture.documents();
		}

		int held() {
			return this.fixture.client().held();
		}

	}

	private static final class Copies implements BeforeConvertCallback<Card> {

		@Override
		public Card onBeforeConvert(Card card, String collection) {
			return card.copy();
		}

	}

	/**
	 * Reads what an older release has stored.
	 */
	private static final class Migration implements ApplicationListener<AfterLoadEvent<?>> {

		@Override
		public void onApplicationEvent(AfterLoadEvent<?> event) {
			Document document = event.getDocument();
			if (document.containsKey(OLD_TEXT)) {
				document.put("text", document.remove(OLD_TEXT));
			}
		}

	}

	/**
	 * Loses a message of the next statement of a thread.
	 */
	static final class Losing extends MongoTemplate {

		private final ThreadLocal<@Nullable Boolean> answer = new ThreadLocal<>();

		Losing(MongoClient client) {
			super(client, DATABASE);
		}

		/**
		 * Lose it.
		 * @param answer whether it is the answer and not the request, {@code null} for
		 * none
		 */
		void lose(@Nullable Boolean answer) {
			this.answer.set(answer);
		}

		@Override
		public <T> T execute(String collection, CollectionCallback<T> action) {
			Boolean lost = this.answer.get();
			this.answer.remove();
			if (Boolean.FALSE.equals(lost)) {
				throw new DataAccessResourceFailureException("request lost");
			}
			T answer = super.execute(collection, action);
			if (Boolean.TRUE.equals(lost)) {
				throw new DataAccessResourceFailureException("answer lost");
			}
			return answer;
		}

	}

	/**
	 * Is moved on by programs.
	 */
	static final class Ahead implements LockClock {

		private volatile Duration ahead = Duration.ZERO;

		void move(Duration by) {
			this.ahead = this.ahead.plus(by);
		}

		@Override
		public long nanoTime() {
			return LockClock.system().nanoTime() + this.ahead.toNanos();
		}

		@Override
		public long currentTimeMillis() {
			return LockClock.system().currentTimeMillis() + this.ahead.toMillis();
		}

	}

}
