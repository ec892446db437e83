package io.mongolock.faults.harness.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.Updates;
import com.mongodb.client.result.UpdateResult;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.query.Query;
import org.springframework.data.mongodb.core.query.Update;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.HandOver;
import io.mongolock.data.FencedWrites;
import io.mongolock.data.SequenceRange;
import io.mongolock.data.SequenceSettings;
import io.mongolock.data.Sequences;
import io.mongolock.data.store.SequenceStore;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.DocumentTransactions;
import io.mongolock.documents.HarnessDocuments;
import io.mongolock.documents.LockedDocument;
import io.mongolock.documents.store.DocumentLockStore;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.HarnessClient;
import io.mongolock.faults.harness.history.HistoryRecord.Failed;
import io.mongolock.faults.harness.history.HistoryRecord.Numbered;
import io.mongolock.faults.harness.history.HistoryRecord.Read;
import io.mongolock.faults.harness.history.HistoryRecord.Writing;
import io.mongolock.faults.harness.history.HistoryRecord.Wrote;
import io.mongolock.faults.harness.history.HistoryWriter;
import io.mongolock.store.mongo.MongoLockStore;
import io.mongolock.store.mongo.ServerClockWatch;

import static org.springframework.data.mongodb.core.query.Criteria.where;
import static org.springframework.data.mongodb.core.query.Query.query;

/**
 * Does of everything at a time, on threads of its own, until it is to end, and writes all
 * of it down: exclusive locks with guarded writes, some that linger, a semaphore, a
 * read/write lock, document locks, and sequences; and stands for a role. Thread-safe.
 */
public final class MixedWorker {

	/** Of exclusive locks: what a failover outlives, and what outlives a failover. */
	public static final Duration SHORT_TTL = Duration.ofSeconds(5);

	public static final Duration LONG_TTL = Duration.ofSeconds(20);

	/** Each has a document of that id that is written under it. */
	public static final List<String> EXCLUSIVE = List.of("guarded:long", "guarded:short", "guarded:other");

	/** Documents that are locked themselves. */
	public static final List<String> EDITED = List.of("a", "b");

	private static final String SEMAPHORE = "pool";

	private static final int LIMIT = 3;

	/** How many locks are held for long. */
	private static final int HELD = 4;

	private static final String READ_WRITE = "shelf";

	private static final Map<String, SequenceSettings> SEQUENCES = Map.of("single", SequenceSettings.DEFAULT, "block",
			new SequenceSettings(5, 1));

	/** How many locks linger, each mostly at one process. */
	private static final int HOMES = 4;

	private static final Duration LINGER = Duration.ofSeconds(2);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final Duration PLACE_TTL = Duration.ofSeconds(6);

	private static final long[] WORK_MILLIS = { 1, 1, 2, 5, 10, 20, 50, 100, 200, 400, 1000, 7000 };

	/** How many milliseconds pass between two writes of a section. */
	private static final long STEP = 100;

	private final AtomicInteger lastId = new AtomicInteger();

	private final HistoryWriter history;

	private final Candidate candidate;

	private final LockedSections sections;

	private final FencedWrites writes;

	private final MongoCollection<Document> guarded;

	private final DocumentLockOperations documents;

	private final Sequences sequences;

	private final List<Activity> activities;

	/** Which of the locks that linger this uses mostly. */
	private final int home;

	private final CountDownLatch running;

	private volatile boolean over;

	// Ends with the process; the seed decides what it does, as far as it can
	public MixedWorker(String connectionString, long seed, String histories) {
		ServerClockWatch watch = new ServerClockWatch(LockClock.system(), LONG_TTL);
		MongoClient client = HarnessClient.connect(connectionString, watch);
		this.history = new HistoryWriter(Path.of(histories));
		this.history.writeStalls();
		this.candidate = new Candidate(this.history);
		MongoTemplate template = new MongoTemplate(client, Harness.DATABASE);
		MongoLockStore store = HarnessClient.store(client, watch);
		LockSettings settings = HarnessClient.settings(SHORT_TTL, PATIENCE);
		LockTemplate locks = HarnessClient.locks(store, settings, HandOver.DEFAULT, PLACE_TTL, this.candidate);
		this.sections = new LockedSections(locks, this.history);
		this.writes = FencedWrites.of(template, store);
		this.guarded = template.getCollection("guarded").withWriteConcern(WriteConcern.MAJORITY);
		this.documents = documents(template, client, settings, this.candidate);
		this.sequences = Sequences.of(new SequenceStore(HarnessClient.template(client), "sequences", "", PATIENCE),
				SEQUENCES);
		this.activities = List.of(this::fenced, this::fenced, this::longFenced, this::limited, this::limited,
				this::longHeld, this::longHeld, this::readOrWrite, this::readOrWrite, this::edit, this::edit,
				this::number, this::own);
		this.home = Math.floorMod(seed, HOMES);
		this.running = new CountDownLatch(this.activities.size());
		for (int i = 0; i < this.activities.size(); i++) {
			start(this.activities.get(i), new Random(seed + i));
		}
		this.candidate.stand(locks);
	}

	private static DocumentLockOperations documents(MongoTemplate template, MongoClient client, LockSettings settings,
			LockListener losses) {
		GenericApplicationContext context = new GenericApplicationContext();
		context.refresh();
		DocumentLockStore store = documents(client);
		LockTemplate locks = HarnessClient.locks(store, settings, new HandOver(Duration.ZERO, 0), PLACE_TTL, losses);
		return HarnessDocuments.of(template, store, locks, PATIENCE, new DocumentTransactions(), context);
	}

	// The locks of documents that this edits, as the store of a client
	public static DocumentLockStore documents(MongoClient client) {
		return new DocumentLockStore(HarnessClient.template(client), "lock", Harness.COLLECTION, LockClock.system());
	}

	// Begins nothing more; returns when what had begun has ended
	public boolean finish() throws InterruptedException {
		this.over = true;
		boolean ended = this.running.await(Harness.LONG.multipliedBy(3).toMillis(), TimeUnit.MILLISECONDS);
		return this.candidate.finish() && ended;
	}

	private void start(Activity activity, Random random) {
		Daemon.start("activity", () -> {
			try {
				while (!this.over) {
					activity.once(random);
					LockSupport.parkNanos(random.nextInt(30) * 1_000_000L);
				}
			}
			finally {
				this.running.countDown();
			}
		});
	}

	private void fenced(Random random) {
		fenced(EXCLUSIVE.get(1 + random.nextInt(EXCLUSIVE.size() - 1)), SHORT_TTL, random);
	}

	private void longFenced(Random random) {
		fenced(EXCLUSIVE.get(0), LONG_TTL, random);
	}

	// Its lease stays here until another process comes for it, now and then
	private void own(Random random) {
		int home = (random.nextInt(20) == 0) ? random.nextInt(HOMES) : this.home;
		this.sections.run(patient(LockRequest.builder("home:" + home).ttl(SHORT_TTL).linger(LINGER), random).build(),
				(handle) -> LockSupport.parkNanos(random.nextInt(5) * 1_000_000L));
	}

	private void fenced(String key, Duration ttl, Random random) {
		long millis = workMillis(random);
		this.sections.run(patient(LockRequest.builder(key).ttl(ttl), random).build(),
				(handle) -> write(handle, millis));
	}

	// Reads all of a document, and changes and writes it again and again. The fence comes
	// first: from then on nobody who held the lock before can write. The read is of what
	// no failover forgets
	private void write(LockHandle handle, long millis) throws InterruptedException {
		Query one = query(where("_id").is(handle.key()));
		this.writes.update(handle, one, Update.update("reader", handle.fence()), Guarded.class);
		long asked = System.nanoTime();
		Document read = this.guarded.findOneAndUpdate(Filters.eq(handle.key()), Updates.inc("reads", 1),
				new FindOneAndUpdateOptions().maxTime(SHORT_TTL.toSeconds(), TimeUnit.SECONDS));
		List<String> log = new ArrayList<>(Objects.requireNonNull(read).getList("log", String.class));
		String last = last(log);
		this.history.write(new Read(handle.key(), handle.fence(), last, asked, System.nanoTime()));
		for (long left = millis; works(handle, left); left -= STEP) {
			String id = nextId();
			log.add(id);
			this.history.write(new Writing(handle.key(), handle.fence(), last, id, System.nanoTime()));
			UpdateResult result = this.writes.update(handle, one, Update.update("log", log), Guarded.class);
			if (result.getMatchedCount() == 1) {
				this.history.write(new Wrote(handle.key(), handle.fence(), id, System.nanoTime()));
			}
			last = id;
		}
	}

	// For so long, and so seldom renewed, that a failover is over before the end: a lock
	// that it has forgotten is granted to the next one
	private void longHeld(Random random) {
		LockRequest request = LockRequest.builder("held:" + random.nextInt(HELD)).ttl(LONG_TTL).build();
		work(request, 3000 + random.nextInt(5000));
	}

	private void limited(Random random) {
		work(patient(LockRequest.builder(SEMAPHORE).limit(LIMIT).ttl(LONG_TTL), random).build(), workMillis(random));
	}

	private void readOrWrite(Random random) {
		LockRequest.Builder request = LockRequest.builder(READ_WRITE);
		work(patient((random.nextInt(4) > 0) ? request.shared() : request, random).build(), workMillis(random));
	}

	private void work(LockRequest request, long millis) {
		this.sections.run(request, (handle) -> worksAll(handle, millis));
	}

	// Or until all is over
	private boolean worksAll(LockHandle handle, long millis) throws InterruptedException {
		long left = millis;
		while (works(handle, left)) {
			left -= STEP;
		}
		return left <= 0 || this.over;
	}

	// For a step, unless there is no time left
	private boolean works(LockHandle handle, long millis) throws InterruptedException {
		return !this.over && millis > 0 && this.sections.work(handle, Math.min(millis, STEP));
	}

	private void edit(Random random) {
		String id = EDITED.get(random.nextInt(EDITED.size()));
		long millis = workMillis(random);
		this.sections.run("edited:" + id, 1, (section) -> {
			long asked = System.nanoTime();
			try (LockedDocument<Edited> locked = this.documents.lock(Edited.class, id)) {
				this.history.write(new Read(locked.handle().key(), locked.fence(), last(locked.entity().log()), asked,
						System.nanoTime()));
				if (section.enter(locked.handle())) {
					boolean worked = worksAll(locked.handle(), millis);
					section.workEnded();
					if (worked) {
						save(locked);
					}
					else {
						// Else the end would be one as after a save
						locked.handle().assertHeld();
					}
				}
			}
		});
	}

	private void save(LockedDocument<Edited> locked) {
		String id = nextId();
		Edited read = locked.entity();
		this.history.write(new Writing(locked.handle().key(), locked.fence(), last(read.log()), id, System.nanoTime()));
		locked.save(new Edited(read.id(), plus(read.log(), id), read.version()));
		this.history.write(new Wrote(locked.handle().key(), locked.fence(), id, System.nanoTime()));
	}

	private void number(Random random) {
		String name = (random.nextBoolean()) ? "single" : "block";
		try {
			SequenceRange numbers = this.sequences.next(name, 1 + random.nextInt(3));
			this.history
				.write(new Numbered(name, numbers.first(), numbers.last(), HistoryWriter.PROCESS, System.nanoTime()));
		}
		catch (RuntimeException ex) {
			this.history.write(new Failed(name, ex.toString(), HistoryWriter.PROCESS, System.nanoTime()));
		}
	}

	// Some give up soon, so that places are left
	private static LockRequest.Builder patient(LockRequest.Builder request, Random random) {
		return (random.nextInt(4) > 0) ? request : request.waitTimeout(Duration.ofMillis(random.nextInt(300)));
	}

	private static long workMillis(Random random) {
		return WORK_MILLIS[random.nextInt(WORK_MILLIS.length)];
	}

	private String nextId() {
		return HistoryWriter.PROCESS + "-" + this.lastId.incrementAndGet();
	}

	private static String last(List<String> log) {
		return (log.isEmpty()) ? "" : log.get(log.size() - 1);
	}

	private static List<String> plus(List<String> log, String id) {
		return Stream.concat(log.stream(), Stream.of(id)).toList();
	}

	@FunctionalInterface
	private interface Activity {

		void once(Random random);

	}

	// A document that is written under a lock of another key
	public record Guarded(@Id String id, List<String> log) {

	}

	// A document that is locked itself
	public record Edited(@Id String id, List<String> log, @Version @Nullable Long version) {

	}

}
