package io.mongolock.store.mongo;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.Document;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.client.LeakDetection;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.HandOver;
import io.mongolock.core.LockDefaults;
import io.mongolock.mongodb.DocumentLockOperations;
import io.mongolock.mongodb.DocumentTransactions;
import io.mongolock.mongodb.FencedWrites;
import io.mongolock.mongodb.LockTicket;
import io.mongolock.mongodb.LockedDocument;
import io.mongolock.store.Claim;
import io.mongolock.store.Claims;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.ReleaseWatch;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each statement that the product sends has been recorded on a real server, in its very
 * shape.
 */
class ProductStatementsTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	@AutoClose
	private final EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();

	private final CommandLog log = new CommandLog();

	@AutoClose
	private final MongoClient client = this.log.connect(this.server.connectionString());

	private final MongoTemplate template = TestTemplates.template(this.client);

	private final MongoLockStore locks = new MongoLockStore(this.template, "locks", "");

	private final DocumentLockStore documents = new DocumentLockStore(this.template, "lock", "locks");

	@Test
	void thoseOfLocks() {
		askEverything(this.locks, "k");
		assertAllRecorded();
	}

	@Test
	void thoseOfLocksInDocuments() {
		this.documents.register("locks", "version");
		insertPage();
		askEverything(this.documents, "locks:k");
		this.documents.load(new LeaseId("locks:k", "t"), TIMEOUT);
		this.documents.list("locks", TIMEOUT);
		assertAllRecorded();
		this.log.clear();
		new DocumentLockStore(this.template, "lock", "locks").acquire(Claims.first(Claims.on("locks:k")), TIMEOUT);
		assertAllRecorded();
	}

	@Test
	void thatOfAStreamOfReleases() {
		RecordingReleaseListener releases = new RecordingReleaseListener();
		try (ReleaseWatch watch = this.locks.watchReleases(releases)) {
			Awaitility.await().until(watch::isLive);
			Claim claim = Claims.on("k");
			this.locks.acquire(claim, TIMEOUT);
			this.locks.release(claim.id(), TIMEOUT);
			Awaitility.await().until(() -> releases.released().contains("k"));
		}
		assertThat(names()).contains("hello", "aggregate", "getMore");
		assertAllRecorded();
	}

	@Test
	void thoseOfTheStart() {
		new TtlIndexInitializer(this.template, "locks", TtlIndexInitializer.Mode.CREATE, Duration.ofDays(7))
			.initialize();
		new LockLocation(this.template, "locks").askServer(TIMEOUT);
		assertThat(names()).containsExactlyInAnyOrder("listIndexes", "createIndexes", "buildInfo", "hello");
		assertAllRecorded();
	}

	@Test
	void thoseOfSequences() {
		SequenceStore sequences = new SequenceStore(this.template, "locks", "", TIMEOUT);
		sequences.take("invoice", 50);
		sequences.raise("invoice", 1000);
		assertAllRecorded();
	}

	@Test
	void thoseOfGuardedWrites() {
		insertPage();
		FencedWrites writes = FencedWrites.of(this.template, this.locks);
		LockTemplate client = client(this.locks);
		try (LockHandle lock = client.acquire(LockRequest.of("a"))) {
			this.log.clear();
			for (String id : new String[] { "k", "none" }) {
				writes.update(lock, Query.query(Criteria.where("id").is(id)), new Update().set("title", "new"),
						Page.class);
			}
		}
		finally {
			client.close();
		}
		try (ClientSession session = this.client.startSession()) {
			this.locks.touch(new LeaseId("k", "t"), session);
		}
		assertAllRecorded();
	}

	@Test
	void thoseThatWriteALockedDocumentAndReleaseIt() {
		insertPage();
		LockTemplate client = client(this.documents);
		try (GenericApplicationContext context = context()) {
			DocumentLockOperations operations = DocumentLockOperations.of(this.template, this.documents, client,
					(key, holder) -> {
					}, LockClock.system(), TIMEOUT, new DocumentTransactions(), context);
			for (String title : new String[] { "new", null }) {
				LockedDocument<Page> locked = operations.lock(Page.class, "k");
				operations.save(locked, new Page("k", title, locked.entity().version()));
			}
			operations.update(operations.lock(Page.class, "k"), new Update().set("title", "newer"));
			LockedDocument<Page> locked = operations.lock(Page.class, "k");
			operations.saveAndKeep(locked, new Page("k", "kept", locked.entity().version()));
			operations.delete(locked);
			assertAllRecorded();
			insertPage();
			LockTicket ticket = operations.lock(Page.class, "k").ticket();
			operations.resume(Page.class, ticket);
			operations.renew(Page.class, ticket);
			operations.release(Page.class, ticket);
			operations.find(Page.class, "k");
			operations.list(Page.class);
		}
		finally {
			client.close();
		}
		assertAllRecorded();
	}

	private void insertPage() {
		this.template.insert(new Page("k", "draft", null));
		this.log.clear();
	}

	private static GenericApplicationContext context() {
		GenericApplicationContext context = new GenericApplicationContext();
		context.refresh();
		return context;
	}

	private static LockTemplate client(LockStore store) {
		return new LockTemplate(store, LockDefaults.NONE, new LockOwner("app", "1", "host", 1, ""), LockClock.system(),
				List.of(), LeakDetection.OFF, new HandOver(Duration.ZERO, 0));
	}

	/**
	 * Asks a store for all that there is to ask for.
	 */
	private static void askEverything(LockStore store, String key) {
		Set<String> asked = new TreeSet<>();
		LockStore watched = (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(),
				new Class<?>[] { LockStore.class }, (proxy, method, arguments) -> {
					asked.add(method.getName());
					return invoke(method, store, arguments);
				});
		Claim holder = Claims.first(Claims.on(key));
		Claim waiter = Claims.on(key);
		watched.acquire(holder, TIMEOUT);
		watched.acquire(waiter, TIMEOUT);
		watched.acquire(Claims.waiting(waiter), TIMEOUT);
		List<LeaseId> leases = List.of(holder.id(), new LeaseId(key, "other"));
		watched.renew(holder.id(), TIMEOUT);
		watched.renewAll(leases, TIMEOUT);
		watched.expireAll(Map.of(holder.id(), Duration.ofSeconds(7)), TIMEOUT);
		watched.lengthen(holder.id(), Duration.ofMinutes(2), TIMEOUT);
		watched.requestRelease(holder.id(), "deploy", "me", TIMEOUT);
		watched.find(key, TIMEOUT);
		watched.findAll(List.of(key), TIMEOUT);
		watched.list("", "", 10, TIMEOUT);
		watched.list("k", "", 10, TIMEOUT);
		watched.list("k", "ka", 10, TIMEOUT);
		watched.refreshAll(List.of(waiter.id()), TIMEOUT);
		watched.leave(waiter.id(), TIMEOUT);
		watched.leaveAll(List.of(waiter.id()), TIMEOUT);
		watched.releaseGrant(holder.id(), 1, TIMEOUT);
		watched.release(holder.id(), TIMEOUT);
		watched.releaseAll(leases, TIMEOUT);
		assertThat(asked).containsAll(Stream.of(LockStore.class.getMethods())
			.filter((method) -> Modifier.isAbstract(method.getModifiers()))
			.map(Method::getName)
			.collect(Collectors.toSet()));
	}

	private static Object invoke(Method method, LockStore store, Object[] arguments) throws Throwable {
		try {
			return method.invoke(store, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	private Set<String> names() {
		return this.log.all().stream().map(BsonDocument::getFirstKey).collect(Collectors.toSet());
	}

	private void assertAllRecorded() {
		Set<BsonDocument> recorded = RecordedCommands.all()
			.map(StatementShape::of)
			.collect(Collectors.toCollection(LinkedHashSet::new));
		assertThat(this.log.all()).isNotEmpty();
		assertThat(this.log.all()
			.stream()
			.filter((command) -> !recorded.contains(StatementShape.of(command)))
			.map(BsonDocument::toJson))
			.as("what was never sent to a real server: add it to statements.json and record it")
			.isEmpty();
	}

	/**
	 * A document of the application.
	 */
	@Document("locks")
	record Page(@Id String id, String title, @Version Long version) {

	}

}
