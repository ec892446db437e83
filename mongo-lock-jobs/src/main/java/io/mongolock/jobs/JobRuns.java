package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.Updates;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.jobs.JobDecision.Seen;
import io.mongolock.jobs.StoredJob.Pause;

/**
 * The runs as they are kept: a document each, whose id is the job and the tick. Writes
 * are confirmed by a majority, and the primary is read. Thread-safe.
 */
final class JobRuns {

	private static final String ID = "_id";

	private static final String JOB = "job";

	private static final String TICK = "tick";

	private static final String ATTEMPT = "attempt";

	private static final String FENCE = "fence";

	private static final String OUTCOME = "outcome";

	private static final String EXPIRES = "expireAt";

	private static final String SCHEDULE = "schedule";

	private static final String SCHEDULED_AT = "scheduledAt";

	private static final String SINCE = "since";

	private static final String PAUSED = "paused";

	private static final Bson RUNNING = Filters.eq(OUTCOME, JobOutcome.RUNNING.name());

	/** Made when it is first needed: an application without jobs needs no database. */
	private final Supplier<MongoOperations> template;

	private final String collection;

	private final Duration timeout;

	private final Duration history;

	private final int kept;

	/**
	 * Keep runs.
	 * @param timeout how long a request may take
	 * @param history how long a run is kept once another one has followed
	 * @param kept how many runs of a job are kept at most
	 */
	JobRuns(Supplier<MongoOperations> template, String collection, Duration timeout, Duration history, int kept) {
		this.template = template;
		this.collection = collection;
		this.timeout = timeout;
		this.history = history;
		this.kept = kept;
	}

	/**
	 * Make the indexes: one to find the last runs, one for the server to remove old ones.
	 */
	void createIndexes() {
		send((runs) -> runs.createIndex(Indexes.compoundIndex(Indexes.ascending(JOB), Indexes.descending(TICK))));
		send((runs) -> runs.createIndex(Indexes.ascending(EXPIRES),
				new IndexOptions().expireAfter(0L, TimeUnit.SECONDS)));
	}

	/** The time of the server. */
	Instant now() {
		Document answer = this.template.get()
			.execute((database) -> database.withTimeout(this.timeout.toMillis(), TimeUnit.MILLISECONDS)
				.runCommand(new Document("hello", 1), ReadPreference.primary()));
		return Objects.requireNonNull(answer, "an answer").getDate("localTime").toInstant();
	}

	Seen see(String job, Instant since) {
		StoredJob stored = stored(job);
		Instant now = now();
		JobRun last = first(Filters.and(Filters.eq(JOB, job), Filters.lte(TICK, now)));
		boolean open = last != null && last.outcome() == JobOutcome.RUNNING;
		// The first tick of a rate is not to come before ticks are expected
		Instant from = (stored != null && stored.since().isAfter(since) && !stored.since().isAfter(now))
				? stored.since() : since;
		return new Seen(now, from, last, (open) ? last : first(Filters.and(Filters.eq(JOB, job), RUNNING)), stored);
	}

	/**
	 * The first tick of a job that no run has succeeded for, or which is to come.
	 * @return the tick, {@code null} if none is expected
	 */
	@Nullable Instant overdueFrom(String job, JobTrigger trigger, Seen seen) {
		StoredJob stored = seen.stored();
		if (stored == null || seen.paused()) {
			return null;
		}
		JobRun last = seen.last();
		JobRun success = (last != null) ? success(last, seen.now()) : null;
		return stored.overdueFrom(trigger, success, seen.open());
	}

	/**
	 * Note that an instance looks after a job.
	 * @return what is known of the job
	 */
	StoredJob schedule(String job, String schedule, Instant now) {
		Bson update = Updates.combine(Updates.set(SCHEDULE, schedule), Updates.max(SCHEDULED_AT, now),
				Updates.min(SINCE, now));
		Document stored = send((runs) -> runs.findOneAndUpdate(id(job), update,
				new FindOneAndUpdateOptions().upsert(true).returnDocument(ReturnDocument.AFTER)));
		return readJob(Objects.requireNonNull(stored));
	}

	/**
	 * Have a job run nowhere, or again.
	 * @param pause who wants that, {@code null} if it is to run again
	 * @return whether there is such a job
	 */
	boolean pause(String job, @Nullable Pause pause) {
		Bson update = (pause != null)
				? Updates.set(PAUSED,
						new Document("by", pause.by()).append("reason", pause.reason()).append("at", pause.at()))
				: Updates.combine(Updates.unset(PAUSED), Updates.set(SINCE, now()));
		return Objects.requireNonNull(send((runs) -> runs.updateOne(id(job), update).getMatchedCount())) != 0;
	}

	@Nullable StoredJob stored(String job) {
		Document stored = send((runs) -> runs.find(id(job)).first());
		return (stored != null) ? readJob(stored) : null;
	}

	/** The runs that have not ended of jobs that no instance looks after any more. */
	List<JobRun> unattended(Instant now) {
		List<JobRun> running = Objects
			.requireNonNull(send((runs) -> runs.find(RUNNING).map(JobRuns::read).into(new ArrayList<>())));
		return running.stream().filter((run) -> {
			StoredJob stored = stored(run.job());
			return stored != null && !stored.isScheduled(now);
		}).toList();
	}

	/** All jobs of which anything is kept, in the order of their names. */
	SortedSet<String> names() {
		SortedSet<String> names = new TreeSet<>();
		// Filters for which the index is enough, however many runs there are
		send((runs) -> runs.distinct(JOB, Filters.gte(JOB, ""), String.class).into(names));
		send((runs) -> runs.distinct(ID + "." + JOB, Filters.eq(JOB, null), String.class).into(names));
		return names;
	}

	@Nullable JobRun find(String job, Instant tick) {
		return first(id(job, tick));
	}

	List<JobRun> last(String job, int limit) {
		return Objects.requireNonNull(send((runs) -> newestFirst(runs, Filters.eq(JOB, job)).limit(limit)
			.map(JobRuns::read)
			.into(new ArrayList<>())));
	}

	/**
	 * Keep a run of a tick that there is none of.
	 * @return whether it was kept
	 */
	boolean add(JobRun run) {
		try {
			send((runs) -> runs.insertOne(write(run)));
			return true;
		}
		catch (DuplicateKeyException ex) {
			// The tick was run, or noted, by another instance
			return false;
		}
	}

	/**
	 * Replace a run, if it is still the attempt that it was, and as it was.
	 * @return whether it was
	 */
	boolean replace(JobRun before, JobRun after) {
		return Objects
			.requireNonNull(send((runs) -> runs.replaceOne(same(before), write(after)).getMatchedCount())) != 0;
	}

	/**
	 * Keep how far a run is.
	 * @return whether it still runs
	 */
	boolean note(JobRun run, String note) {
		return Objects.requireNonNull(
				send((runs) -> runs.updateOne(same(run), Updates.set("note", note)).getMatchedCount())) != 0;
	}

	private static Bson same(JobRun run) {
		return Filters.and(id(run.job(), run.tick()), Filters.eq(FENCE, run.fence()),
				Filters.eq(ATTEMPT, run.attempt()), Filters.eq(OUTCOME, run.outcome().name()));
	}

	/**
	 * Let the server remove what is before a tick in time. The last run of a job stays,
	 * because the next tick depends on it, and so does the last success, from which on it
	 * is overdue.
	 */
	void expireBefore(JobRun last) {
		JobRun success = success(last, last.tick());
		Bson older = Filters.and(Filters.eq(JOB, last.job()), Filters.lt(TICK, last.tick()), Filters.not(RUNNING),
				Filters.ne(TICK, (success != null) ? success.tick() : null));
		Instant now = Objects.requireNonNull(last.endedAt());
		send((runs) -> runs.updateMany(Filters.and(older, Filters.exists(EXPIRES, false)),
				Updates.set(EXPIRES, now.plus(this.history))));
		Document surplus = send((runs) -> newestFirst(runs, older).skip(this.kept - 1).first());
		if (surplus != null) {
			send((runs) -> runs.updateMany(
					Filters.and(older, Filters.lte(TICK, surplus.getDate(TICK)), Filters.gt(EXPIRES, now)),
					Updates.set(EXPIRES, now)));
		}
	}

	private @Nullable JobRun success(JobRun last, Instant until) {
		return (last.outcome() == JobOutcome.SUCCEEDED) ? last : first(Filters.and(Filters.eq(JOB, last.job()),
				Filters.lte(TICK, until), Filters.eq(OUTCOME, JobOutcome.SUCCEEDED.name())));
	}

	private @Nullable JobRun first(Bson filter) {
		Document found = send((runs) -> newestFirst(runs, filter).first());
		return (found != null) ? read(found) : null;
	}

	private static FindIterable<Document> newestFirst(MongoCollection<Document> runs, Bson filter) {
		return runs.find(filter).sort(Sorts.descending(TICK));
	}

	private <T> @Nullable T send(Function<MongoCollection<Document>, @Nullable T> request) {
		return this.template.get()
			.execute(this.collection,
					(runs) -> request.apply(runs.withReadPreference(ReadPreference.primary())
						.withWriteConcern(WriteConcern.MAJORITY)
						.withTimeout(this.timeout.toMillis(), TimeUnit.MILLISECONDS)));
	}

	// A job alone: its document has neither a tick nor a field for the job, as runs have
	private static Bson id(String job) {
		return Filters.eq(ID, new Document(JOB, job));
	}

	private static StoredJob readJob(Document stored) {
		Document paused = stored.get(PAUSED, Document.class);
		return new StoredJob(stored.get(ID, Document.class).getString(JOB), stored.getString(SCHEDULE),
				stored.getDate(SCHEDULED_AT).toInstant(), stored.getDate(SINCE).toInstant(),
				(paused != null) ? new Pause(paused.getString("by"), paused.getString("reason"),
						paused.getDate("at").toInstant()) : null);
	}

	private static Bson id(String job, Instant tick) {
		return Filters.eq(ID, new Document(JOB, job).append(TICK, Date.from(tick)));
	}

	private static Document write(JobRun run) {
		return new Document(ID, new Document(JOB, run.job()).append(TICK, Date.from(run.tick()))).append(JOB, run.job())
			.append(TICK, run.tick())
			.append(ATTEMPT, run.attempt())
			.append(FENCE, run.fence())
			.append("startedAt", run.startedAt())
			.append("endedAt", run.endedAt())
			.append(OUTCOME, run.outcome().name())
			.append("runner", run.runner())
			.append("exception", run.exception())
			.append("message", run.message())
			.append("note", run.note());
	}

	private static JobRun read(Document run) {
		Date ended = run.getDate("endedAt");
		return new JobRun(run.getString(JOB), run.getDate(TICK).toInstant(), run.getInteger(ATTEMPT),
				run.get(FENCE, Number.class).longValue(), run.getDate("startedAt").toInstant(),
				(ended != null) ? ended.toInstant() : null, JobOutcome.valueOf(run.getString(OUTCOME)),
				run.getString("runner"), run.getString("exception"), run.getString("message"), run.getString("note"));
	}

}
