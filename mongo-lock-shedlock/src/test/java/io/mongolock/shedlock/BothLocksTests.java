package io.mongolock.shedlock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.mongo.MongoLockProvider;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mockito;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.LockOwner;
import io.mongolock.store.mongo.TestTemplates;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link BothLocks}, with real documents and locks that follow a script.
 */
@ExtendWith(OutputCaptureExtension.class)
class BothLocksTests {

	private static final Duration SHORTER = Duration.ofMinutes(5);

	private static final Duration LONGER = Duration.ofMinutes(10);

	private static EmbeddedMongo server;

	private static MongoClient client;

	private final MongoOperations template = Mockito.spy(TestTemplates.template(client));

	private final ScriptedLocks own = new ScriptedLocks();

	private final BothLocks both = new BothLocks(new ShedLockDocuments(this.template, "shedLock", Duration.ofSeconds(3),
			new LockOwner("shop", "shop-1", "host", 1, "main")), this.own);

	private final ExtensibleLockProvider old = new MongoLockProvider(client.getDatabase(TestTemplates.DATABASE));

	@BeforeAll
	static void start() {
		server = EmbeddedMongo.builder().start();
		client = MongoClients.create(server.connectionString());
	}

	@AfterAll
	static void end() {
		client.close();
		server.close();
	}

	@AfterEach
	void drop() {
		client.getDatabase(TestTemplates.DATABASE).getCollection("shedLock").drop();
	}

	@Test
	void theDocumentIsGivenBackIfTheLockIsRefused() {
		this.own.refuse();
		assertThat(Providers.lock(this.both, "k", SHORTER, SHORTER)).isEmpty();
		assertThat(Providers.lock(this.old, "k", SHORTER, Duration.ZERO)).isPresent();
	}

	@Test
	void theDocumentIsGivenBackIfTheLockFails() {
		this.own.fail(new IllegalArgumentException("ttl"));
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> Providers.lock(this.both, "k", SHORTER, SHORTER));
		assertThat(Providers.lock(this.old, "k", SHORTER, Duration.ZERO)).isPresent();
	}

	@Test
	void theDocumentIsGivenBackIfTheLockFailsWithAnError() {
		this.own.fail(new AssertionError("own"));
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> Providers.lock(this.both, "k", SHORTER, SHORTER));
		assertThat(Providers.lock(this.old, "k", SHORTER, Duration.ZERO)).isPresent();
	}

	@Test
	void aDocumentThatCannotBeGivenBackHidesNoFailure(CapturedOutput output) {
		this.own.meanwhile(this::failDocuments);
		this.own.fail(new IllegalArgumentException("ttl"));
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> Providers.lock(this.both, "k", SHORTER, SHORTER));
		assertThat(output).contains(
				"The document 'k' of ShedLock could not be released, so it stays locked until the time in its field lockUntil");
	}

	@Test
	void troubleWithTheReleaseOfTheLockIsLoggedAndTheDocumentIsReleased(CapturedOutput output) {
		SimpleLock lock = lock();
		this.own.fail(new DataAccessResourceFailureException("own is down"));
		lock.unlock();
		assertThat(output).contains(" WARN ",
				"The lock 'k' could not be released, so it stays taken until its lease runs out", "own is down");
		assertThat(Providers.lock(this.old, "k", SHORTER, Duration.ZERO)).isPresent();
	}

	@Test
	void theDocumentIsReleasedThoughTheReleaseOfTheLockEndsWithAnError() {
		SimpleLock lock = lock();
		this.own.fail(new AssertionError("own"));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(lock::unlock);
		assertThat(Providers.lock(this.old, "k", SHORTER, Duration.ZERO)).isPresent();
	}

	@Test
	void troubleWithTheReleaseOfBothIsLoggedTwice(CapturedOutput output) {
		SimpleLock lock = lock();
		failDocuments();
		this.own.fail(new DataAccessResourceFailureException("own is down"));
		lock.unlock();
		assertThat(output).contains("The lock 'k' could not be released, so it stays taken until its lease runs out",
				"own is down",
				"The document 'k' of ShedLock could not be released, so it stays locked until the time in its field lockUntil",
				"documents are down");
	}

	@Test
	void aLockIsNotExtendedIfItsDocumentIsNot() {
		SimpleLock lock = lock();
		documents().drop();
		assertThat(lock.extend(LONGER, Duration.ZERO)).isEmpty();
		assertThat(this.own.extended).isZero();
		lock.unlock();
		assertThat(this.own.unlocked).isOne();
	}

	@Test
	void aDocumentIsBackAtItsFirstTimeIfTheLockIsNotExtended() {
		SimpleLock lock = lock();
		Object first = until();
		this.own.refuse();
		assertThat(lock.extend(LONGER, Duration.ZERO)).isEmpty();
		assertThat(until()).isEqualTo(first);
		lock.unlock();
		assertThat(Providers.lock(this.old, "k", SHORTER, Duration.ZERO)).isPresent();
	}

	@Test
	void aDocumentIsBackAtItsFirstTimeIfTheExtensionOfTheLockFails() {
		SimpleLock lock = lock();
		Object first = until();
		this.own.fail(new AssertionError("own"));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> lock.extend(LONGER, Duration.ZERO));
		assertThat(until()).isEqualTo(first);
		lock.unlock();
		assertThat(this.own.unlocked).isOne();
		assertThat(Providers.lock(this.old, "k", SHORTER, Duration.ZERO)).isPresent();
	}

	@Test
	void bothAreExtendedAndReleasedByTheNewLockAlone() {
		SimpleLock lock = lock();
		Object first = until();
		SimpleLock extended = lock.extend(LONGER, Duration.ZERO).orElseThrow();
		assertThat(this.own.extended).isOne();
		assertThat(until()).isNotEqualTo(first);
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		extended.unlock();
		assertThat(this.own.unlocked).isOne();
		assertThat(Providers.lock(this.old, "k", SHORTER, Duration.ZERO)).isPresent();
	}

	@Test
	void afterAnExtensionItsOwnTimesCountForTheDocument() {
		SimpleLock extended = lock().extend(LONGER, LONGER).orElseThrow();
		Object second = until();
		this.own.refuse();
		assertThat(extended.extend(LONGER.multipliedBy(2), Duration.ZERO)).isEmpty();
		assertThat(until()).isEqualTo(second);
		extended.unlock();
		assertThat(Providers.lock(this.old, "k", SHORTER, Duration.ZERO)).isEmpty();
	}

	private SimpleLock lock() {
		return Providers.lock(this.both, "k", SHORTER, Duration.ZERO).orElseThrow();
	}

	private Object until() {
		return documents().find().first().get("lockUntil");
	}

	private MongoCollection<Document> documents() {
		return client.getDatabase(TestTemplates.DATABASE).getCollection("shedLock");
	}

	private void failDocuments() {
		Mockito.doThrow(new DataAccessResourceFailureException("documents are down"))
			.when(this.template)
			.execute(Mockito.eq("shedLock"), Mockito.any());
	}

	/** Locks in memory that are granted, extended and released unless it is said. */
	private static final class ScriptedLocks implements ExtensibleLockProvider {

		private final Deque<Runnable> next = new ArrayDeque<>();

		private boolean refuses;

		private int extended;

		private int unlocked;

		private void refuse() {
			this.refuses = true;
		}

		private void meanwhile(Runnable action) {
			this.next.add(action);
		}

		private void fail(RuntimeException failure) {
			this.next.add(() -> {
				throw failure;
			});
		}

		private void fail(Error failure) {
			this.next.add(() -> {
				throw failure;
			});
		}

		private Optional<SimpleLock> answer() {
			run();
			boolean refused = this.refuses;
			this.refuses = false;
			return (refused) ? Optional.empty() : Optional.of(new Scripted());
		}

		private void run() {
			while (!this.next.isEmpty()) {
				this.next.remove().run();
			}
		}

		@Override
		public Optional<SimpleLock> lock(LockConfiguration configuration) {
			return answer();
		}

		private final class Scripted implements SimpleLock {

			@Override
			public void unlock() {
				run();
				ScriptedLocks.this.unlocked++;
			}

			@Override
			public Optional<SimpleLock> extend(Duration lockAtMostFor, Duration lockAtLeastFor) {
				Optional<SimpleLock> lock = answer();
				ScriptedLocks.this.extended += (lock.isPresent()) ? 1 : 0;
				return lock;
			}

		}

	}

}
