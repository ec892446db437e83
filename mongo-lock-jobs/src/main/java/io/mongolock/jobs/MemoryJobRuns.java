package io.mongolock.jobs;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.mongolock.jobs.StoredJob.Pause;

/**
 * Records in the memory of this JVM, for tests whose locks are in memory, too.
 * Thread-safe.
 */
final class MemoryJobRuns implements JobRuns {

	private final InstantSource clock;

	private final NavigableMap<String, StoredJob> jobs = new TreeMap<>();

	private final Map<Id, JobRun> runs = new HashMap<>();

	MemoryJobRuns(InstantSource clock) {
		this.clock = clock;
	}

	/** Forget all runs and pauses. */
	synchronized void clear() {
		this.jobs.clear();
		this.runs.clear();
	}

	@Override
	public void createIndexes() {
	}

	@Override
	public Instant now() {
		// MongoDB's dates have no finer precision
		return this.clock.instant().truncatedTo(ChronoUnit.MILLIS);
	}

	@Override
	public Newest newest(String job) {
		return new Newest(now(), stored(job), of(job).toList(), true);
	}

	@Override
	public @Nullable JobRun lastUntil(String job, Instant until) {
		return first(job, (run) -> !run.byHand() && !run.tick().isAfter(until));
	}

	@Override
	public @Nullable JobRun lastSuccessUntil(String job, Instant until) {
		return first(job, (run) -> run.outcome() == JobOutcome.SUCCEEDED && !run.tick().isAfter(until));
	}

	@Override
	public @Nullable JobRun previous(String job, Instant before) {
		return of(job).filter((run) -> run.outcome() == JobOutcome.SUCCEEDED && run.tick().isBefore(before))
			.max(Comparator.comparingLong(JobRun::fence))
			.orElse(null);
	}

	private @Nullable JobRun first(String job, Predicate<JobRun> which) {
		return of(job).filter(which).findFirst().orElse(null);
	}

	private Stream<JobRun> of(String job) {
		return newestFirst((run) -> run.job().equals(job)).stream();
	}

	private synchronized List<JobRun> newestFirst(Predicate<JobRun> which) {
		return this.runs.values().stream().filter(which).sorted(Comparator.comparing(JobRun::tick).reversed()).toList();
	}

	@Override
	public List<JobRun> running(@Nullable String job) {
		return newestFirst((run) -> run.outcome() == JobOutcome.RUNNING && (job == null || run.job().equals(job)));
	}

	@Override
	public synchronized @Nullable String schedule(String job, JobTrigger trigger, Instant now) {
		StoredJob before = this.jobs.get(job);
		String schedule = trigger.toString();
		this.jobs.put(job,
				(before != null)
						? new StoredJob(schedule, (now.isAfter(before.scheduledAt())) ? now : before.scheduledAt(),
								(before.schedule().equals(schedule)) ? before.scheduledSince() : now,
								(now.isBefore(before.since())) ? now : before.since(), before.paused(), before.rerun())
						: new StoredJob(schedule, now, now, now, null, null));
		return null;
	}

	@Override
	public synchronized boolean pause(String job, @Nullable Pause pause) {
		return this.jobs.computeIfPresent(job, (name, stored) -> new StoredJob(stored.schedule(), stored.scheduledAt(),
				stored.scheduledSince(), (pause != null) ? stored.since() : now(), pause, stored.rerun())) != null;
	}

	@Override
	public synchronized @Nullable StoredJob stored(String job) {
		return this.jobs.get(job);
	}

	@Override
	public synchronized SortedSet<String> names() {
		SortedSet<String> names = new TreeSet<>(this.jobs.keySet());
		this.runs.keySet().forEach((id) -> names.add(id.job()));
		return names;
	}

	@Override
	public @Nullable JobRun find(String job, Instant tick) {
		return of(job)
			.filter((run) -> run.tick().equals(tick) || run.tick().isAfter(tick) && !run.firstTick().isAfter(tick))
			.reduce((later, earlier) -> earlier)
			.orElse(null);
	}

	@Override
	public List<JobRun> last(String job, int limit) {
		return of(job).limit(limit).toList();
	}

	@Override
	public synchronized boolean add(JobRun run) {
		return this.runs.merge(Id.of(run), run,
				(before, added) -> (before.attempt() == 0 && before.tick().isAfter(now())) ? added : before) == run;
	}

	@Override
	public synchronized boolean replace(JobRun before, JobRun after) {
		Id id = Id.of(before);
		boolean same = isSame(before, this.runs.get(id));
		if (same) {
			this.runs.put(id, after);
		}
		return same;
	}

	@Override
	public synchronized @Nullable JobRun end(JobRun running, JobRun ended) {
		JobRun now = ended.endedAt(now());
		return (replace(running, now)) ? now : null;
	}

	@Override
	public void rerun(JobRun run) {
		// Does nothing, because all runs are read
	}

	@Override
	public synchronized boolean note(JobRun run, String note) {
		return replace(run, run.noted(note));
	}

	private static boolean isSame(JobRun before, @Nullable JobRun now) {
		return now != null && now.fence() == before.fence() && now.attempt() == before.attempt()
				&& now.outcome() == before.outcome();
	}

	@Override
	public void expireBefore(JobRun last) {
		// The end of the test removes the records
	}

	/**
	 * The key of a record: the tick at which it begins.
	 *
	 * @param job the job
	 * @param firstTick the first tick
	 */
	private record Id(String job, Instant firstTick) {

		static Id of(JobRun run) {
			return new Id(run.job(), run.firstTick());
		}

	}

}
