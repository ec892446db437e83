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
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import org.bson.BsonValue;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.jobs.StoredJob.Pause;
import io.mongolock.store.mongo.TimedStatements;

/**
 * Records in MongoDB: a document for each run, whose id is the job and the tick. Writes
 * are confirmed by a majority, and the primary is read. Thread-safe.
 */
final class MongoJobRuns implements JobRuns {

	private static final String ID = "_id";

	private static final String JOB = "job";

	private static final String TICK = "tick";

	private static final String ATTEMPT = "attempt";

	private static final String FENCE = "fence";

	private static final String OUTCOME = "outcome";

	private static final String EXPIRES = "expireAt";

	private static final String SCHEDULE = "schedule";

	private static final String SCHEDULED_AT = "scheduledAt";

	private static final String SCHEDULED_SINCE = "scheduledSince";

	private static final String SINCE = "since";

	private static final String PAUSED = "paused";

	private static final String STARTED = "startedAt";

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
	MongoJobRuns(Supplier<MongoOperations> template, String collection, Duration timeout, Duration history, int kept) {
		this.template = template;
		this.collection = collection;
		this.timeout = timeout;
		this.history = history;
		this.kept = kept;
	}

	@Override
	public void createIndexes() {
		send((runs) -> runs.createIndex(Indexes.compoundIndex(Indexes.ascending(JOB), Indexes.descending(TICK))));
		send((runs) -> runs.createIndex(Indexes.ascending(EXPIRES),
				new IndexOptions().expireAfter(0L, TimeUnit.SECONDS)));
	}

	@Override
	public Instant now() {
		Document answer = statements()
			.execute((database) -> database.runCommand(new Document("hello", 1), ReadPreference.primary()));
		return Objects.requireNonNull(answer, "an answer").getDate("localTime").toInstant();
	}

	@Override
	public @Nullable JobRun lastUntil(String job, Instant until) {
		return first(Filters.and(Filters.eq(JOB, job), Filters.lte(TICK, until)));
	}

	@Override
	public @Nullable JobRun lastSuccessUntil(String job, Instant until) {
		return first(Filters.and(Filters.eq(JOB, job), Filters.lte(TICK, until),
				Filters.eq(OUTCOME, JobOutcome.SUCCEEDED.name())));
	}

	@Override
	public void schedule(String job, JobTrigger trigger, Instant now) {
		String schedule = trigger.toString();
		Bson changed = Updates.combine(Updates.set(SCHEDULE, schedule), Updates.set(SCHEDULED_SINCE, now));
		Bson said = Updates.combine(Updates.setOnInsert(SCHEDULE, schedule), Updates.setOnInsert(SCHEDULED_SINCE, now),
				Updates.max(SCHEDULED_AT, now), Updates.min(SINCE, now));
		send((runs) -> runs.updateOne(Filters.and(id(job), Filters.ne(SCHEDULE, schedule)), changed));
		send((runs) -> runs.updateOne(id(job), said, new UpdateOptions().upsert(true)));
	}

	@Override
	public boolean pause(String job, @Nullable Pause pause) {
		Bson update = (pause != null)
				? Updates.set(PAUSED,
						new Document("by", pause.by()).append("reason", pause.reason()).append("at", pause.at()))
				: Updates.combine(Updates.unset(PAUSED), Updates.set(SINCE, now()));
		return Objects.requireNonNull(send((runs) -> runs.updateOne(id(job), update).getMatchedCount())) != 0;
	}

	@Override
	public @Nullable StoredJob stored(String job) {
		Document stored = send((runs) -> runs.find(id(job)).first());
		return (stored != null) ? readJob(stored) : null;
	}

	@Override
	public SortedSet<String> names() {
		List<BsonValue> names = new ArrayList<>();
		// Filters for which the index is enough, however many runs there are
		send((runs) -> runs.distinct(JOB, Filters.gte(JOB, ""), BsonValue.class).into(names));
		send((runs) -> runs.distinct(ID + "." + JOB, Filters.eq(JOB, null), BsonValue.class).into(names));
		return names.stream()
			.filter(BsonValue::isString)
			.map((name) -> name.asString().getValue())
			.collect(Collectors.toCollection(TreeSet::new));
	}

	@Override
	public @Nullable JobRun find(String job, Instant tick) {
		return first(id(job, tick));
	}

	@Override
	public List<JobRun> last(String job, int limit) {
		return list(Filters.eq(JOB, job), limit);
	}

	@Override
	public boolean add(JobRun run) {
		try {
			send((runs) -> runs.insertOne(write(run)));
			return true;
		}
		catch (DuplicateKeyException ex) {
			// The tick was run, or noted, by another instance
			return false;
		}
	}

	@Override
	public boolean replace(JobRun before, JobRun after) {
		return Objects
			.requireNonNull(send((runs) -> runs.replaceOne(same(before), write(after)).getMatchedCount())) != 0;
	}

	@Override
	public boolean note(JobRun run, String note) {
		return Objects.requireNonNull(
				send((runs) -> runs.updateOne(same(run), Updates.set("note", note)).getMatchedCount())) != 0;
	}

	private static Bson same(JobRun run) {
		return Filters.and(id(run.job(), run.tick()), Filters.eq(FENCE, run.fence()),
				Filters.eq(ATTEMPT, run.attempt()), Filters.eq(OUTCOME, run.outcome().name()));
	}

	@Override
	public void expireBefore(JobRun last) {
		JobRun success = (last.outcome() == JobOutcome.SUCCEEDED) ? last : lastSuccessUntil(last.job(), last.tick());
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

	// Those that one can take over: what is incomplete is not among them
	@Override
	public List<JobRun> running(@Nullable String job) {
		return list((job != null) ? Filters.and(Filters.eq(JOB, job), RUNNING) : RUNNING, 0).stream()
			.filter((run) -> run.outcome() == JobOutcome.RUNNING)
			.toList();
	}

	private @Nullable JobRun first(Bson filter) {
		return list(filter, 1).stream().findFirst().orElse(null);
	}

	private List<JobRun> list(Bson filter, int limit) {
		return Objects.requireNonNull(
				send((runs) -> newestFirst(runs, filter).limit(limit).map(MongoJobRuns::read).into(new ArrayList<>())));
	}

	private static FindIterable<Document> newestFirst(MongoCollection<Document> runs, Bson filter) {
		return runs.find(filter).sort(Sorts.descending(TICK));
	}

	private <T> @Nullable T send(Function<MongoCollection<Document>, @Nullable T> request) {
		return statements().execute(this.collection, (runs) -> request
			.apply(runs.withReadPreference(ReadPreference.primary()).withWriteConcern(WriteConcern.MAJORITY)));
	}

	private TimedStatements statements() {
		return new TimedStatements(this.template.get(), this.timeout);
	}

	// A job alone: its document has neither a tick nor a field for the job, as runs have
	private static Bson id(String job) {
		return Filters.eq(ID, new Document(JOB, job));
	}

	private static StoredJob readJob(Document stored) {
		Instant scheduledAt = date(stored, SCHEDULED_AT, Instant.EPOCH);
		return new StoredJob(known(stored, SCHEDULE), scheduledAt, date(stored, SCHEDULED_SINCE, scheduledAt),
				date(stored, SINCE, scheduledAt), (stored.get(PAUSED) != null) ? readPause(stored) : null);
	}

	// Also one that somebody has set by hand
	private static Pause readPause(Document stored) {
		Document paused = (stored.get(PAUSED) instanceof Document document) ? document : new Document();
		return new Pause(known(paused, "by"), known(paused, "reason"), date(paused, "at", Instant.EPOCH));
	}

	private static Bson id(String job, Instant tick) {
		return Filters.eq(ID, new Document(JOB, job).append(TICK, Date.from(tick)));
	}

	private static Document write(JobRun run) {
		return new Document(ID, new Document(JOB, run.job()).append(TICK, Date.from(run.tick()))).append(JOB, run.job())
			.append(TICK, run.tick())
			.append(ATTEMPT, run.attempt())
			.append(FENCE, run.fence())
			.append(STARTED, run.startedAt())
			.append("endedAt", run.endedAt())
			.append(OUTCOME, run.outcome().name())
			.append("runner", run.runner())
			.append("exception", run.exception())
			.append("message", run.message())
			.append("note", run.note());
	}

	private static JobRun read(Document run) {
		Instant tick = date(run, TICK, Instant.EPOCH);
		return new JobRun(known(run, JOB), tick, (run.get(ATTEMPT) instanceof Number number) ? number.intValue() : 0,
				(run.get(FENCE) instanceof Number number) ? number.longValue() : 0, date(run, STARTED, tick),
				(run.get("endedAt") instanceof Date ended) ? ended.toInstant() : null, outcome(run),
				known(run, "runner"), text(run, "exception"), text(run, "message"), text(run, "note"));
	}

	// What this version would not have written could not be replaced by it
	private static JobOutcome outcome(Document run) {
		boolean whole = new Document(JOB, run.get(JOB)).append(TICK, run.get(TICK)).equals(run.get(ID))
				&& run.get(JOB) instanceof String && run.get(TICK) instanceof Date
				&& run.get(ATTEMPT) instanceof Integer && run.get(FENCE) instanceof Long
				&& run.get(STARTED) instanceof Date;
		return Stream.of(JobOutcome.values())
			.filter((outcome) -> whole && outcome.name().equals(run.get(OUTCOME)))
			.findFirst()
			.orElse(JobOutcome.UNKNOWN);
	}

	private static Instant date(Document stored, String field, Instant otherwise) {
		return (stored.get(field) instanceof Date date) ? date.toInstant() : otherwise;
	}

	private static String known(Document stored, String field) {
		return Objects.requireNonNullElse(text(stored, field), "unknown");
	}

	private static @Nullable String text(Document stored, String field) {
		return (stored.get(field) instanceof String text) ? text : null;
	}

}
