package io.mongolock.faults.spring;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.opentest4j.TestAbortedException;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Criteria;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.Assert;

import io.mongolock.LockApplicationEvent;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.actuate.LocksEndpoint;
import io.mongolock.data.FencedWrites;
import io.mongolock.data.Sequences;
import io.mongolock.documents.DocumentChangedException;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.LockTicket;
import io.mongolock.documents.LockedDocument;
import io.mongolock.documents.OptimisticUpdater;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.MajorityWatch;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.spring.TimedCalls.Call;
import io.mongolock.jobs.JobOutcome;
import io.mongolock.jobs.JobRun;
import io.mongolock.jobs.Jobs;
import io.mongolock.leader.LeaderElection;
import io.mongolock.store.mongo.TtlIndexInitializer;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMember;
import io.mongolock.test.server.RealMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Row 101: the primary of a set with the usual settings stands still while an application
 * with the usual settings calls all that sends a statement, each on a thread of its own.
 */
@Tag("real-server")
@Timeout(300)
@Isolated
class FrozenPrimaryRowsTests {

	private static final String[] USUAL = { "mongo-lock.ttl=30s", "mongo-lock.margin=6s",
			"mongo-lock.operation-timeout=3s", "management.endpoints.web.exposure.include=mongolocks" };

	/** How long one request to MongoDB may take. */
	private static final Duration REQUEST = Duration.ofSeconds(3);

	/** How long a lease counts after its renewal. */
	private static final Duration LEASE = Duration.ofSeconds(24);

	/** The budget of its locks, and a request. */
	private static final Duration STOP = Duration.ofSeconds(8);

	/** Two requests, and what Spring itself takes. */
	private static final Duration START = Duration.ofSeconds(10);

	/** The driver lets nobody limit a single statement of a transaction. */
	private static final Duration UNLIMITED = Duration.ofMinutes(2);

	/** Each succeeds before and after; a ticket is resumed after a lost answer only. */
	private static final Set<String> KINDS = Set.of("claim", "release", "renewal", "request for a release", "creation",
			"lock of a document", "deletion", "optimistic update", "find of a lock", "locked documents", "lock to save",
			"save that keeps", "save", "number", "raised number", "fenced write", "transaction", "run of a job",
			"last runs", "claim of ShedLock", "extension of ShedLock", "release of ShedLock", "list of locks",
			"health");

	private final TimedCalls calls = new TimedCalls();

	private final List<Long> fences = new CopyOnWriteArrayList<>();

	private final List<Long> numbers = new CopyOnWriteArrayList<>();

	private final List<JobRun> runs = new CopyOnWriteArrayList<>();

	private final List<Instant> worked = new CopyOnWriteArrayList<>();

	private @Nullable LockTicket unknown;

	@Test
	@ShowsRow(value = 101, level = Level.REPLICA_SET)
	void whenPrimaryStandsStillFor20SecondsThenCallsEndInTimeAndNoLockIsLost(RowFigures figures) throws Exception {
		freeze(Duration.ofSeconds(20), figures);
	}

	@Test
	@Tag("process")
	@ShowsRow(value = 101, level = Level.REPLICA_SET)
	void whenPrimaryStandsStillForAMinuteThenCallsEndInTimeAndNoLockIsLost(RowFigures figures) throws Exception {
		freeze(Duration.ofMinutes(1), figures);
	}

	@Test
	@Tag("process")
	@ShowsRow(value = 101, level = Level.REPLICA_SET)
	void whenPrimaryStandsStillThenApplicationsStartAndStopInTime(RowFigures figures) throws Exception {
		try (RealMongo set = set(); ConfigurableApplicationContext stays = start(set)) {
			ConfigurableApplicationContext ends = start(set);
			List<String> lost = ends.getBean(Application.class).lost;
			LockHandle held = ends.getBean(LockOperations.class).acquire(LockRequest.of("held"));
			TtlIndexInitializer index = new TtlIndexInitializer(stays.getBean(MongoTemplate.class), "indexed",
					TtlIndexInitializer.Mode.CREATE, Duration.ofDays(7), () -> LEASE);
			RealMember primary = set.primary();
			primary.freeze();
			this.calls.once(() -> this.calls.ask("index", REQUEST.multipliedBy(2),
					() -> Assert.state(index.initialize(), "not known to be there")));
			this.calls.once(() -> this.calls.ask("stop", STOP, ends::close));
			this.calls.once(() -> this.calls.get("start", START, () -> start(set))
				.ifPresent((begun) -> this.calls.ask("stop of what has begun", STOP, begun::close)));
			this.calls.end();
			primary.thaw();
			figures.server(set.label());
			this.calls.all().forEach((call) -> figures.add(call.what(), call));
			assertThat(this.calls.all()).allSatisfy(Call::assertInTime)
				.filteredOn((call) -> call.done() == 1)
				.extracting(Call::what)
				.containsExactly("start", "stop", "stop of what has begun");
			assertThat(held.isHeld()).isFalse();
			await().atMost(Harness.LONG).until(() -> lost.equals(List.of("held SHUTDOWN")));
			await().atMost(Harness.LONG).until(index::initialize);
			assertThat(stays.getBean(MongoTemplate.class).indexOps("indexed").getIndexInfo()).hasSize(2);
			LockRequest free = LockRequest.builder("held").waitTimeout(Duration.ofMinutes(1)).build();
			stays.getBean(LockOperations.class).acquire(free).close();
		}
	}

	private static RealMongo set() {
		MongodBinary mongod = MongodBinary.find()
			.orElseThrow(() -> new TestAbortedException(
					"needs a mongod: set " + MongodBinary.NAME + " to one, which config/mongod.sh brings"));
		return RealMongo.builder(mongod).replicaSet(3).usualElections().start();
	}

	private static ConfigurableApplicationContext start(RealMongo set) {
		// As the pages say: with w: 1, the default of MongoDB 4.4, an election takes back
		// what a transaction wrote
		return SpringApp.start(set.connectionString() + "&w=majority", Application.class, USUAL);
	}

	private void freeze(Duration standstill, RowFigures figures) throws Exception {
		try (RealMongo set = set();
				ConfigurableApplicationContext context = start(set);
				MajorityWatch majority = new MajorityWatch(set)) {
			LockHandle held = context.getBean(LockOperations.class).acquire(LockRequest.of("held"));
			LockHandle touched = context.getBean(LockOperations.class).acquire(LockRequest.of("touched"));
			LeaderElection election = context.getBean(LeaderElection.class);
			await().atMost(Harness.LONG).until(election::isLeader);
			long term = election.term().orElseThrow();
			MongoTemplate template = context.getBean(MongoTemplate.class);
			for (String id : List.of("saved", "edited", "updated", "fenced", "inTransaction")) {
				template.insert(new Page(id, 0, null));
			}
			LockedDocument<Page> edited = context.getBean(DocumentLockOperations.class).lock(Page.class, "edited");
			begin(context, held, touched);
			this.calls.awaitSuccess(KINDS);
			RealMember primary = set.primary();
			majority.begin();
			primary.freeze();
			TimeUnit.NANOSECONDS.sleep(standstill.toNanos());
			primary.thaw();
			await().atMost(Harness.LONG.multipliedBy(2)).until(majority::confirmed);
			if (majority.isOutlasted()) {
				// Else what is done under a lock that was lost succeeds no more
				this.calls.awaitSuccess(KINDS);
			}
			this.calls.end();
			figures.server(set.label())
				.add("standstill", standstill)
				.add("majority after", majority.after().toMillis() + " ms");
			this.calls.all().forEach((call) -> figures.add(call.what(), call));
			List<String> lost = context.getBean(Application.class).lost;
			if (majority.isOutlasted()) {
				assertThat(lost).isEmpty();
				held.assertHeld();
				touched.assertHeld();
				assertThat(election.term()).hasValue(term);
				edited.save(edited.entity().next());
			}
			assertThat(this.calls.all()).allSatisfy(Call::assertInTime)
				.extracting(Call::what)
				.filteredOn((what) -> !what.equals("resume"))
				.containsExactlyInAnyOrderElementsOf(KINDS);
			assertTold(context);
		}
	}

	private void begin(ConfigurableApplicationContext context, LockHandle held, LockHandle touched) {
		LockOperations locks = context.getBean(LockOperations.class);
		this.calls.repeat(() -> lock(locks));
		this.calls.repeat(() -> this.calls.ask("renewal", REQUEST, held::renew));
		this.calls
			.repeat(() -> this.calls.ask("request for a release", REQUEST, () -> locks.requestRelease("none", "why")));
		documents(context.getBean(DocumentLockOperations.class), context.getBean(OptimisticUpdater.class));
		Sequences sequences = context.getBean(Sequences.class);
		this.calls.repeat(
				() -> this.calls.get("number", REQUEST, () -> sequences.next("invoice")).ifPresent(this.numbers::add));
		this.calls.repeat(() -> this.calls.ask("raised number", REQUEST, () -> sequences.raiseTo("raised", 5)));
		writes(context, held, touched);
		Jobs jobs = context.getBean(Jobs.class);
		AtomicLong ticks = new AtomicLong();
		this.calls.repeat(() -> run(jobs, Instant.ofEpochSecond(ticks.incrementAndGet())));
		this.calls.repeat(() -> this.calls.ask("last runs", REQUEST, () -> jobs.last("import", 3)));
		LockProvider provider = context.getBean(LockProvider.class);
		this.calls.repeat(() -> shedLock(provider));
		LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
		this.calls
			.repeat(() -> this.calls.ask("list of locks", REQUEST, () -> endpoint.locks(null, null, null, null, null)));
		HealthIndicator health = context.getBean("mongoLockHealthIndicator", HealthIndicator.class);
		this.calls.repeat(() -> this.calls.ask("health", REQUEST,
				() -> Assert.state(Status.UP.equals(health.health(false).getStatus()), "not up")));
	}

	private void lock(LockOperations locks) {
		LockRequest request = LockRequest.builder("claimed").waitTimeout(Duration.ZERO).build();
		this.calls.get("claim", REQUEST, () -> locks.tryAcquire(request))
			.flatMap(Function.identity())
			.ifPresent((handle) -> {
				this.fences.add(handle.fence());
				this.calls.ask("release", REQUEST, handle::close);
			});
	}

	private void documents(DocumentLockOperations documents, OptimisticUpdater updater) {
		this.calls.repeat(() -> save(documents));
		this.calls.repeat(() -> {
			this.calls.ask("creation", REQUEST.multipliedBy(2), () -> updater.updateOrCreate(Page.class, "deleted",
					() -> new Page("deleted", 0, null), Page::next));
			this.calls
				.get("lock of a document", REQUEST.multipliedBy(2), () -> documents.tryLock(Page.class, "deleted"))
				.flatMap(Function.identity())
				.ifPresent((locked) -> this.calls.ask("deletion", REQUEST, locked::delete));
		});
		this.calls.repeat(() -> this.calls.ask("optimistic update", REQUEST.multipliedBy(2),
				() -> updater.update(Page.class, "updated", Page::next)));
		this.calls.repeat(() -> this.calls.ask("find of a lock", REQUEST, () -> documents.find(Page.class, "saved")));
		this.calls.repeat(() -> this.calls.ask("locked documents", REQUEST, () -> documents.list(Page.class)));
	}

	// After a lost answer its ticket says how the document stands
	private void save(DocumentLockOperations documents) {
		Optional<LockedDocument<Page>> found = (this.unknown != null)
				? this.calls.get("resume", REQUEST.multipliedBy(2), () -> resume(documents, this.unknown))
				: this.calls.get("lock to save", REQUEST.multipliedBy(2), () -> documents.tryLock(Page.class, "saved"))
					.flatMap(Function.identity());
		if (found.isEmpty()) {
			return;
		}
		LockedDocument<Page> locked = found.get();
		boolean saved = this.calls.get("save that keeps", REQUEST, () -> locked.saveAndKeep(locked.entity().next()))
			.flatMap((kept) -> this.calls.get("save", REQUEST, () -> locked.save(kept.next())))
			.isPresent();
		this.unknown = (saved) ? null : locked.ticket();
	}

	private @Nullable LockedDocument<Page> resume(DocumentLockOperations documents, LockTicket ticket) {
		try {
			return documents.resume(Page.class, "saved", ticket);
		}
		catch (DocumentChangedException ex) {
			this.unknown = ex.getTicket();
		}
		catch (LockLostException ex) {
			this.unknown = null;
		}
		return null;
	}

	private void writes(ConfigurableApplicationContext context, LockHandle held, LockHandle touched) {
		FencedWrites writes = context.getBean(FencedWrites.class);
		OptimisticUpdater updater = context.getBean(OptimisticUpdater.class);
		this.calls.repeat(() -> this.calls.ask("fenced write", LEASE, () -> writes.update(held,
				Query.query(Criteria.where("id").is("fenced")), new Update().inc("n", 1), Page.class)));
		TransactionTemplate transactions = new TransactionTemplate(
				new MongoTransactionManager(context.getBean(MongoTemplate.class).getMongoDatabaseFactory()));
		this.calls
			.repeat(() -> this.calls.ask("transaction", UNLIMITED, () -> transactions.executeWithoutResult((status) -> {
				writes.touch(touched);
				updater.update(Page.class, "inTransaction", Page::next);
			})));
	}

	// It insists while its lock is held, so that no run is lost
	private void run(Jobs jobs, Instant tick) {
		this.calls
			.get("run of a job", LEASE.plus(REQUEST.multipliedBy(5)),
					() -> jobs.run("import", tick, (run) -> this.worked.add(run.tick())).orElseThrow())
			.ifPresent(this.runs::add);
	}

	private void shedLock(LockProvider provider) {
		LockConfiguration configuration = new LockConfiguration(Instant.now(), "shed", Duration.ofSeconds(30),
				Duration.ZERO);
		this.calls.get("claim of ShedLock", REQUEST, () -> provider.lock(configuration))
			.flatMap(Function.identity())
			.ifPresent((lock) -> {
				SimpleLock extended = this.calls
					.get("extension of ShedLock", REQUEST, () -> lock.extend(Duration.ofSeconds(30), Duration.ZERO))
					.map(Optional::orElseThrow)
					.orElse(lock);
				this.calls.ask("release of ShedLock", REQUEST, extended::unlock);
			});
	}

	// An unknown write may have been done, and no other
	private void assertTold(ConfigurableApplicationContext context) {
		assertThat(this.fences).isSorted().doesNotHaveDuplicates();
		assertThat(this.numbers).isSorted().doesNotHaveDuplicates();
		MongoTemplate template = context.getBean(MongoTemplate.class);
		assertWritten(template, "saved", "save that keeps", "save");
		assertWritten(template, "fenced", "fenced write");
		assertWritten(template, "updated", "optimistic update");
		assertWritten(template, "inTransaction", "transaction");
		Jobs jobs = context.getBean(Jobs.class);
		List<JobRun> kept = jobs.last("import", 10_000);
		this.runs.stream()
			.filter((run) -> run.outcome() == JobOutcome.SUCCEEDED)
			.forEach((run) -> assertThat(kept)
				.anyMatch((one) -> one.tick().equals(run.tick()) && one.outcome() == JobOutcome.SUCCEEDED));
		assertThat(this.worked).doesNotHaveDuplicates();
	}

	private void assertWritten(MongoTemplate template, String id, String... writes) {
		long done = 0;
		long unknown = 0;
		for (String write : writes) {
			done += this.calls.of(write).done();
			unknown += this.calls.of(write).failures().size();
		}
		assertThat(template.findById(id, Page.class).n()).as(id).isBetween(done, done + unknown);
	}

	record Page(@Id String id, long n, @Version @Nullable Long version) {

		Page next() {
			return new Page(this.id, this.n + 1, this.version);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		private final List<String> lost = new CopyOnWriteArrayList<>();

		@Bean
		LeaderElection reports(LockOperations locks, ApplicationEventPublisher events) {
			return new LeaderElection("reports", locks, events);
		}

		@EventListener
		void lost(LockApplicationEvent.Lost event) {
			this.lost.add(event.lock().key() + " " + event.reason());
		}

	}

}
