package io.mongolock.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.TestTemplates;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks with several holders, of threads of one application and of two.
 */
class ManyHoldersTests {

	private static final LockRequest READ = LockRequest.builder("k").shared().build();

	private static final LockRequest WRITE = LockRequest.of("k");

	private final EmbeddedMongo server = EmbeddedMongo.builder().start();

	private final MongoClient mongo = MongoClients.create(this.server.connectionString());

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private LockTemplate one;

	private LockTemplate other;

	@BeforeEach
	void start() {
		this.one = application("one");
		this.other = application("other");
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
		this.one.stop(Duration.ofSeconds(1));
		this.other.stop(Duration.ofSeconds(1));
		this.mongo.close();
		this.server.close();
	}

	@Test
	void allPermitsOfASemaphoreAreUsedAtOnceByThreadsOfTwoApplicationsAndNoMore() throws Exception {
		LockRequest permit = LockRequest.builder("k").limit(4).build();
		// lets nobody go on unless four hold permits together
		CyclicBarrier four = new CyclicBarrier(4);
		AtomicInteger inside = new AtomicInteger();
		List<Future<Integer>> most = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			LockTemplate application = (i % 2 == 0) ? this.one : this.other;
			most.add(this.threads.submit(() -> application.execute(permit, (handle) -> {
				int now = inside.incrementAndGet();
				four.await(30, TimeUnit.SECONDS);
				inside.decrementAndGet();
				return now;
			})));
		}
		for (Future<Integer> seen : most) {
			assertThat(seen.get()).isBetween(1, 4);
		}
	}

	@Test
	void readersOfTwoApplicationsReadSideBySideAndAWriterAlone() throws Exception {
		CyclicBarrier together = new CyclicBarrier(7);
		AtomicInteger inside = new AtomicInteger();
		List<Future<Integer>> readers = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			LockTemplate application = (i % 2 == 0) ? this.one : this.other;
			readers.add(this.threads.submit(() -> application.execute(READ, (handle) -> {
				inside.incrementAndGet();
				together.await(30, TimeUnit.SECONDS);
				together.await(30, TimeUnit.SECONDS);
				return inside.decrementAndGet();
			})));
		}
		together.await(30, TimeUnit.SECONDS);
		assertThat(inside).hasValue(6);
		assertThat(this.one.tryAcquire(WRITE)).isEmpty();
		assertThat(this.other.tryAcquire(WRITE)).isEmpty();
		together.await(30, TimeUnit.SECONDS);
		int reading = this.other.execute(WRITE, (handle) -> inside.get());
		assertThat(reading).isZero();
		for (Future<Integer> reader : readers) {
			reader.get();
		}
	}

	@Test
	void aWaitingWriterComesBeforeReadersOfItsApplicationThatComeLater() {
		LockHandle first = this.one.acquire(READ);
		CompletableFuture<LockHandle> writer = this.one.acquireAsync(WRITE);
		CompletableFuture<LockHandle> reader = this.one.acquireAsync(READ);
		assertThat(this.one.tryAcquire(READ)).as("would pass the writer").isEmpty();
		assertThat(writer).isNotDone();
		first.close();
		LockHandle writes = writer.join();
		assertThat(reader).isNotDone();
		writes.close();
		reader.join().close();
	}

	@Test
	void readersThatWaitedForAWriterReadTogether() {
		LockHandle writes = this.one.acquire(WRITE);
		List<CompletableFuture<LockHandle>> readers = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			readers.add(this.one.acquireAsync(READ));
			readers.add(this.other.acquireAsync(READ));
		}
		Awaitility.await().until(() -> this.one.waiting() == 3 && this.other.waiting() == 3);
		writes.close();
		readers.forEach(CompletableFuture::join);
		assertThat(this.one.held() + this.other.held()).isEqualTo(6);
		readers.forEach((reader) -> reader.join().close());
	}

	@Test
	void theSmallestLimitOfAllHoldersCounts() {
		LockHandle few = this.one.acquire(LockRequest.builder("k").limit(2).build());
		LockHandle many = this.other.acquire(LockRequest.builder("k").limit(10).build());
		LockRequest third = LockRequest.builder("k").limit(10).build();
		assertThat(this.other.tryAcquire(third)).isEmpty();
		few.close();
		assertThat(this.other.tryAcquire(third)).isPresent();
		many.close();
	}

	private LockTemplate application(String name) {
		LockSettings settings = LockSettings.builder()
			.waitTimeout(Duration.ofSeconds(30))
			.retryInterval(Duration.ofMillis(5))
			.build();
		return new LockTemplate(new MongoLockStore(TestTemplates.template(this.mongo), "locks", ""),
				new ClientOptions(new ConfiguredSettings(settings, Map.of()), new LockOwner(name, "1", "host", 42, ""),
						LockClock.system(), List.of()));
	}

}
