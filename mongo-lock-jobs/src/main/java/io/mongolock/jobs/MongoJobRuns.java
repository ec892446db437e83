package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.mongodb.MongoClientSettings;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.Updates;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.data.mongodb.core.MongoOperations;

import io.mongolock.jobs.StoredJob.Pause;
import io.mongolock.store.mongo.TimedStatements;

/**
 * Records in MongoDB. There is a document for each run, with the job and the tick as its
 * id, or the first tick of several that were not run. A document for each job is sorted
 * before its runs. The records belong to the applications that share their locks: a key
 * prefix or a lock collection other than the default is part of each id. A majority
 * confirms writes, and reads go to the primary. Thread-safe.
 */
final class MongoJobRuns implements JobRuns {

	private static final String ID = "_id";

	private static final String APPLICATION = "application";

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

	private static final String SCHEDULED_BY = "scheduledBy";

	private static final String PAUSED = "paused";

	private static final String RERUN = "rerun";

	/** Not read with the newest runs, because it is large. */
	private static final String STATE = "state";

	private static final String FIRST_TICK = "firstTick";

	private static final String ENDED = "endedAt";

	private static final String NOW = "now";

	/**
	 * The tick of a job's document. It sorts before all runs, so the document is read
	 * together with the newest runs.
	 */
	private static final Instant OF_JOB = Instant.parse("9999-12-31T23:59:59.999Z");

	/** The number of runs that are read together. */
	private static final int NEWEST = 20;

	private static final String STARTED = "startedAt";

	private static final Bson RUNNING = Filters.eq(OUTCOME, JobOutcome.RUNNING.name());

	private static final Bson FIELDS = Projections.fields(Projections.include(APPLICATION, JOB, TICK, FIRST_TICK,
			"ticks", "byHand", ATTEMPT, "deaths", "failures", FENCE, STARTED, ENDED, OUTCOME, "cutOff", "runner",
			"exception", "message", "note", SCHEDULE, SCHEDULED_AT, SCHEDULED_SINCE, SINCE, PAUSED, RERUN),
			Projections.computed(NOW, "$$NOW"));

	/**
	 * Created when it is first needed, because an application without jobs needs no
	 * database.
	 */
	private final Supplier<MongoOperations> template;

	private final String collection;

	private final Duration timeout;

	private final Duration history;

	private final int kept;

	private final @Nullable String application;

	private final String name;

	/**
	 * For each job, when its history was last shortened, and how many runs have ended
	 * since.
	 */
	private final Map<String, Shortened> shortened = new ConcurrentHashMap<>();

	/**
	 * Create the records.
	 * @param timeout how long a request may take
	 * @param history how long a run is kept once another one has followed
	 * @param kept how many runs of a job are kept at most
	 * @param application distinguishes the applications that share these locks from
	 * others, {@code null} if nothing is set
	 * @param name the name of this application, may be empty
	 */
	MongoJobRuns(Supplier<MongoOperations> template, String collection, Duration timeout, Duration history, int kept,
			@Nullable String application, String name) {
		this.template = template;
		this.collection = collection;
		this.timeout = timeout;
		this.history = history;
		this.kept = kept;
		this.application = application;
		this.name = name;
	}

	/**
	 * Distinguishes the applications whose locks are in one collection with one prefix.
	 * @return a text, {@code null} if both are the default
	 */
	static @Nullable String application(String lockCollection, String keyPrefix) {
		// No name of a collection contains the character $
		return (lockCollection.equals("locks") && keyPrefix.isEmpty()) ? null : lockCollection + "$" + keyPrefix;
	}

	private Bson of(String job) {
		return Filters.and(Filters.eq(APPLICATION, this.application), Filters.eq(JOB, job));
	}

	@Override
	public void createIndexes() {
		send((runs) -> runs
			.createIndex(Indexes.compoundIndex(Indexes.ascending(APPLICATION, JOB), Indexes.descending(TICK))));
		send((runs) -> runs.createIndex(Indexes.ascending(EXPIRES),
				new IndexOptions().expireAfter(0L, TimeUnit.SECONDS)));
	}

	@Override
	public Instant now() {
		Document answer = statements()
			.execute((database) -> database.withCodecRegistry(MongoClientSettings.getDefaultCodecRegistry())
				.runCommand(new Document("hello", 1), ReadPreference.primary()));
		return Objects.requireNonNull(answer, "an answer").getDate("localTime").toInstant();
	}

	@Override
	public @Nullable JobRun lastUntil(String job, Instant until) {
		return first(Filters.and(of(job), Filters.lte(TICK, until), Filters.ne("byHand", true)));
	}

	@Override
	public @Nullable JobRun lastSuccessUntil(String job, Instant until) {
		return first(Filters.and(of(job), Filters.lte(TICK, until), Filters.eq(OUTCOME, JobOutcome.SUCCEEDED.name())));
	}

	@Override
	public @Nullable JobRun previous(String job, Instant before) {
		Bson earlier = Filters.and(of(job), Filters.lt(TICK, before), Filters.eq(OUTCOME, JobOutcome.SUCCEEDED.name()));
		return send((runs) -> runs.find(earlier).sort(Sorts.descending(FENCE)).limit(1).map(this::read).first());
	}

	@Override
	public Newest newest(String job) {
		List<Document> found = Objects.requireNonNull(send(
				(runs) -> newestFirst(runs, of(job)).limit(NEWEST + 1).projection(FIELDS).into(new ArrayList<>())));
		Instant now = (found.isEmpty()) ? now() : found.get(0).getDate(NOW).toInstant();
		boolean areAll = found.size() <= NEWEST;
		Document stored = (!found.isEmpty() && isOfJob(found.get(0))) ? found.remove(0) : null;
		return new Newest(now, (stored != null) ? readJob(stored) : stored(job),
				found.stream().map(this::read).toList(), areAll);
	}

	private static boolean isOfJob(Document document) {
		return date(document, TICK, Instant.EPOCH).equals(OF_JOB);
	}

	@Override
	public @Nullable String schedule(String job, JobTrigger trigger, Instant now) {
		String schedule = trigger.toString();
		Bson changed = Updates.combine(Updates.set(SCHEDULE, schedule), Updates.set(SCHEDULED_SINCE, now));
		Bson said = Updates.combine(Updates.setOnInsert(SCHEDULE, schedule), Updates.setOnInsert(SCHEDULED_SINCE, now),
				Updates.set(JOB, job), Updates.set(TICK, OF_JOB), Updates.set(SCHEDULED_BY, this.name),
				(this.application != null) ? Updates.set(APPLICATION, this.application) : new Document(),
				Updates.max(SCHEDULED_AT, now), Updates.min(SINCE, now));
		send((runs) -> runs.updateOne(Filters.and(id(job), Filters.ne(SCHEDULE, schedule)), changed));
		Document before = send((runs) -> runs.findOneAndUpdate(id(job), said,
				new FindOneAndUpdateOptions().upsert(true).returnDocument(ReturnDocument.BEFORE)));
		if (before == null) {
			adopt(job);
			return null;
		}
		String by = text(before, SCHEDULED_BY);
		return (by != null && !by.isEmpty() && !by.equals(this.name) && readJob(before).isScheduled(now)) ? by : null;
	}

	// Copies records of this application that were written before records belonged to an
	// application
	private void adopt(String job) {
		if (this.application == null) {
			return;
		}
		List<JobRun> former = list(Filters.and(Filters.eq(APPLICATION, null), Filters.eq(JOB, job)), this.kept).stream()
			.filter((run) -> this.name.isEmpty() || run.runner().startsWith(this.name + " "))
			.toList();
		former.forEach(this::add);
		Document paused = send((runs) -> runs.find(Filters.eq(ID, new Document(JOB, job))).first());
		if (!former.isEmpty() && paused != null && paused.get(PAUSED) != null) {
			send((runs) -> runs.updateOne(id(job), Updates.set(PAUSED, paused.get(PAUSED))));
		}
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
		Bson named = Filters.and(Filters.eq(APPLICATION, this.application), Filters.gte(JOB, ""));
		List<Document> groups = Objects
			.requireNonNull(send((runs) -> runs.aggregate(List.of(Aggregates.match(named), Aggregates.group("$" + JOB)))
				.into(new ArrayList<>())));
		// A group without a name was written by hand
		return groups.stream()
			.map((group) -> text(group, ID))
			.filter(Objects::nonNull)
			.collect(Collectors.toCollection(TreeSet::new));
	}

	@Override
	public @Nullable JobRun find(String job, Instant tick) {
		Date date = Date.from(tick);
		Bson holds = Filters.or(Filters.eq(TICK, date), Filters.lte(FIRST_TICK, date));
		return Objects
			.requireNonNull(send((runs) -> runs.find(Filters.and(of(job), Filters.gte(TICK, date), holds))
				.sort(Sorts.ascending(TICK))
				.limit(1)
				.map(this::read)
				.into(new ArrayList<>())))
			.stream()
			.findFirst()
			.orElse(null);
	}

	@Override
	public List<JobRun> last(String job, int limit) {
		return list(Filters.and(of(job), Filters.ne(TICK, OF_JOB)), limit);
	}

	@Override
	public boolean add(JobRun run) {
		try {
			send((runs) -> runs.insertOne(write(run)));
			return true;
		}
		catch (DuplicateKeyException ex) {
			// The tick was run, or noted, by another instance
			Document toCome = new Document(ID, idOf(run)).append(ATTEMPT, 0)
				.append("$expr", new Document("$gt", List.of("$" + TICK, "$$NOW")));
			return Objects.requireNonNull(send((runs) -> runs.replaceOne(toCome, write(run)).getMatchedCount())) != 0;
		}
	}

	@Override
	public boolean replace(JobRun before, JobRun after) {
		return Objects
			.requireNonNull(send((runs) -> runs.replaceOne(same(before), write(after)).getMatchedCount())) != 0;
	}

	@Override
	public @Nullable JobRun end(JobRun running, JobRun ended) {
		Document values = write(ended);
		Set.of(ID, JOB, TICK, ENDED, "note", "cutOff").forEach(values::remove);
		Document written = send((runs) -> runs.findOneAndUpdate(same(running),
				new Document("$set", values).append("$currentDate", new Document(ENDED, true))
					.append("$unset", new Document("note", "").append("cutOff", "")),
				new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER)));
		return (written != null) ? read(written) : null;
	}

	@Override
	public void rerun(JobRun run) {
		send((runs) -> runs.updateOne(id(run.job()), Updates.set(RERUN, run.tick())));
	}

	@Override
	public boolean note(JobRun run, String note) {
		return Objects.requireNonNull(
				send((runs) -> runs.updateOne(same(run), Updates.set("note", note)).getMatchedCount())) != 0;
	}

	private Bson same(JobRun run) {
		return Filters.and(id(run), Filters.eq(FENCE, run.fence()), Filters.eq(ATTEMPT, run.attempt()),
				Filters.eq(OUTCOME, run.outcome().name()));
	}

	@Override
	public void expireBefore(JobRun last) {
		Instant now = Objects.requireNonNull(last.endedAt());
		Shortened state = this.shortened.compute(last.job(), (job,
				before) -> (before == null || before.isDue(this.kept, now)) ? new Shortened(now, 0) : before.more());
		if (state.ended() != 0) {
			return;
		}
		boolean succeeded = last.outcome() == JobOutcome.SUCCEEDED;
		JobRun success = (succeeded) ? last : lastSuccessUntil(last.job(), last.tick());
		JobRun previous = (succeeded) ? last : previous(last.job(), last.tick());
		JobRun scheduled = (last.byHand()) ? lastUntil(last.job(), last.tick()) : last;
		List<Instant> stay = Stream.of(success, previous, scheduled)
			.filter(Objects::nonNull)
			.map(JobRun::tick)
			.filter(last.tick()::isAfter)
			.toList();
		if (!stay.isEmpty()) {
			send((runs) -> runs.updateMany(Filters.and(of(last.job()), Filters.in(TICK, stay)),
					Updates.unset(EXPIRES)));
		}
		Bson older = Filters.and(of(last.job()), Filters.lt(TICK, last.tick()), Filters.not(RUNNING),
				Filters.nin(TICK, stay));
		send((runs) -> runs.updateMany(Filters.and(older, Filters.exists(EXPIRES, false)),
				Updates.set(EXPIRES, now.plus(this.history))));
		Document surplus = send((runs) -> newestFirst(runs, older).skip(this.kept - 1).first());
		if (surplus != null) {
			send((runs) -> runs.updateMany(
					Filters.and(older, Filters.lte(TICK, surplus.getDate(TICK)), Filters.gt(EXPIRES, now)),
					Updates.set(EXPIRES, now)));
		}
	}

	// Only runs that can be taken over: incomplete records are left out
	@Override
	public List<JobRun> running(@Nullable String job) {
		Bson which = (job != null) ? of(job) : Filters.eq(APPLICATION, this.application);
		return list(Filters.and(which, RUNNING), 0).stream()
			.filter((run) -> run.outcome() == JobOutcome.RUNNING)
			.toList();
	}

	private @Nullable JobRun first(Bson filter) {
		return list(filter, 1).stream().findFirst().orElse(null);
	}

	private List<JobRun> list(Bson filter, int limit) {
		return Objects.requireNonNull(
				send((runs) -> newestFirst(runs, filter).limit(limit).map(this::read).into(new ArrayList<>())));
	}

	private static FindIterable<Document> newestFirst(MongoCollection<Document> runs, Bson filter) {
		return runs.find(filter).sort(Sorts.descending(TICK));
	}

	private <T> @Nullable T send(Function<MongoCollection<Document>, @Nullable T> request) {
		// With default codecs, because the application may read dates by its own ones
		return statements().execute(this.collection,
				(runs) -> request.apply(runs.withCodecRegistry(MongoClientSettings.getDefaultCodecRegistry())
					.withReadPreference(ReadPreference.primary())
					.withWriteConcern(WriteConcern.MAJORITY)));
	}

	private TimedStatements statements() {
		return new TimedStatements(this.template.get(), this.timeout);
	}

	private Document ofApplication() {
		return (this.application != null) ? new Document(APPLICATION, this.application) : new Document();
	}

	private Bson id(String job) {
		return Filters.eq(ID, ofApplication().append(JOB, job));
	}

	private static StoredJob readJob(Document stored) {
		Instant scheduledAt = date(stored, SCHEDULED_AT, Instant.EPOCH);
		return new StoredJob(known(stored, SCHEDULE), scheduledAt, date(stored, SCHEDULED_SINCE, scheduledAt),
				date(stored, SINCE, scheduledAt), (stored.get(PAUSED) != null) ? readPause(stored) : null,
				(stored.get(RERUN) instanceof Date rerun) ? rerun.toInstant() : null);
	}

	// Reads a pause that was set by hand, too
	private static Pause readPause(Document stored) {
		Document paused = (stored.get(PAUSED) instanceof Document document) ? document : new Document();
		return new Pause(known(paused, "by"), known(paused, "reason"), date(paused, "at", Instant.EPOCH));
	}

	private Bson id(JobRun run) {
		return Filters.eq(ID, idOf(run));
	}

	private Document idOf(JobRun run) {
		return ofApplication().append(JOB, run.job()).append(TICK, Date.from(run.firstTick()));
	}

	private Document write(JobRun run) {
		Document document = new Document(ID, idOf(run));
		document.putAll(ofApplication());
		document.append(JOB, run.job())
			.append(TICK, run.tick())
			.append(ATTEMPT, run.attempt())
			.append(FENCE, run.fence())
			.append(STARTED, run.startedAt())
			.append(ENDED, run.endedAt())
			.append(OUTCOME, run.outcome().name())
			.append("runner", run.runner())
			.append("exception", run.exception())
			.append("message", run.message())
			.append("note", run.note());
		if (!run.state().isEmpty()) {
			document.append(STATE, new Document(new TreeMap<>(run.state())));
		}
		if (run.ticks() > 1) {
			document.append(FIRST_TICK, run.firstTick()).append("ticks", run.ticks());
		}
		if (run.attempt() > 0) {
			document.append("deaths", run.deaths()).append("failures", run.failures());
		}
		if (run.byHand()) {
			document.append("byHand", true);
		}
		if (run.cutOff()) {
			document.append("cutOff", true);
		}
		return document;
	}

	private JobRun read(Document run) {
		Instant tick = date(run, TICK, Instant.EPOCH);
		int attempt = number(run, ATTEMPT, 0).intValue();
		JobOutcome outcome = outcome(run);
		// An earlier version counted attempts only
		int deaths = (outcome == JobOutcome.RUNNING) ? attempt - 1 : 0;
		int failures = (outcome == JobOutcome.FAILED) ? attempt : 0;
		return new JobRun(known(run, JOB), tick, date(run, FIRST_TICK, tick), number(run, "ticks", 1).intValue(),
				Boolean.TRUE.equals(run.get("byHand")), attempt, number(run, "deaths", deaths).intValue(),
				number(run, "failures", failures).intValue(), number(run, FENCE, 0).longValue(),
				date(run, STARTED, tick), (run.get(ENDED) instanceof Date ended) ? ended.toInstant() : null, outcome,
				Boolean.TRUE.equals(run.get("cutOff")), known(run, "runner"), text(run, "exception"),
				text(run, "message"), text(run, "note"), readState(run));
	}

	// Reads a state that was set by hand, too
	private static Map<String, String> readState(Document run) {
		Map<String, String> state = new TreeMap<>();
		if (run.get(STATE) instanceof Document kept) {
			kept.forEach((name, value) -> state.put(name, String.valueOf(value)));
		}
		return Map.copyOf(state);
	}

	private static Number number(Document stored, String field, int otherwise) {
		return (stored.get(field) instanceof Number number) ? number : otherwise;
	}

	// UNKNOWN if this version would not have written the record, because it could not
	// replace it
	private static JobOutcome outcome(Document run) {
		Document id = (run.get(APPLICATION) != null) ? new Document(APPLICATION, run.get(APPLICATION)) : new Document();
		Object first = (run.get(FIRST_TICK) != null) ? run.get(FIRST_TICK) : run.get(TICK);
		boolean whole = id.append(JOB, run.get(JOB)).append(TICK, first).equals(run.get(ID))
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

	/**
	 * The last time when the history of a job was shortened. This is not done after each
	 * run, because it costs two statements.
	 *
	 * @param at the time
	 * @param ended how many runs have ended since
	 */
	private record Shortened(Instant at, int ended) {

		private static final Duration INTERVAL = Duration.ofMinutes(10);

		private boolean isDue(int kept, Instant now) {
			return this.ended + 1 >= kept / 10 || Duration.between(this.at, now).compareTo(INTERVAL) > 0;
		}

		private Shortened more() {
			return new Shortened(this.at, this.ended + 1);
		}

	}

}
