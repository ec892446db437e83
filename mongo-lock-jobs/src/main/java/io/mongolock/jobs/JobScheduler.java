package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import io.mongolock.jobs.JobDecision.Seen;
import io.mongolock.jobs.JobDecision.Terms;

/**
 * Looks after the jobs of this application: at their next ticks, while a run goes on once
 * in a while to notice that its instance died, and else every ten minutes, as clocks
 * drift. Each look has a thread of its own, which does the work. Keeps the JVM up as long
 * as there are jobs. Thread-safe.
 */
final class JobScheduler implements SmartLifecycle, DisposableBean {

	private static final Log logger = LogFactory.getLog(JobScheduler.class);

	private static final Duration LONGEST = Duration.ofMinutes(10);

	private final JobRunner runner;

	private final JobRuns runs;

	private final Executor threads;

	private final Duration checkInterval;

	private final boolean onlyWhenReady;

	private final ObjectProvider<Watch> watches;

	private final Map<String, Scheduled> jobs = new ConcurrentHashMap<>();

	/** The looks that are under way. */
	private final Set<Look> looks = ConcurrentHashMap.newKeySet();

	/** Whether this instance refuses traffic, and so begins no run. */
	private volatile boolean refusing;

	/** Whether the jobs are looked at, which they are once it was ready. */
	private boolean looking;

	/** When runs were last looked for whose job nobody looks after, by the stopwatch. */
	private final AtomicReference<@Nullable Long> swept = new AtomicReference<>();

	private volatile @Nullable ScheduledExecutorService timer;

	/**
	 * Create one.
	 * @param onlyWhenReady whether no run begins while the instance refuses traffic
	 * @param becomesReady whether it does until it is said to accept it
	 */
	JobScheduler(JobRunner runner, JobRuns runs, Executor threads, Duration checkInterval, boolean onlyWhenReady,
			boolean becomesReady, ObjectProvider<Watch> watches) {
		this.runner = runner;
		this.runs = runs;
		this.threads = threads;
		this.checkInterval = checkInterval;
		this.onlyWhenReady = onlyWhenReady;
		this.refusing = onlyWhenReady && becomesReady;
		this.watches = watches;
	}

	/**
	 * Look after a job, from the start of the application on.
	 * @throws IllegalStateException if there is one of that name
	 */
	synchronized void add(Terms terms, JobWork<?> work) {
		Scheduled job = new Scheduled(terms, work);
		if (this.jobs.putIfAbsent(terms.job(), job) != null) {
			throw new IllegalStateException("Two methods have @ScheduledJob(name = \"" + terms.job()
					+ "\"), and runs are kept by that name: give each its own");
		}
		this.watches.forEach((watch) -> watch.added(terms.job(), job::overdue));
		ScheduledExecutorService current = this.timer;
		if (current != null && this.looking) {
			look(current, job, Duration.ZERO);
		}
	}

	/**
	 * When a job is due.
	 * @return {@code null} if this instance does not look after it
	 */
	@Nullable JobTrigger trigger(String name) {
		Scheduled job = this.jobs.get(name);
		return (job != null) ? job.terms.trigger() : null;
	}

	/**
	 * When this instance began to look after a job.
	 * @return long ago if it does not
	 */
	Instant since(String name) {
		Scheduled job = this.jobs.get(name);
		return Objects.requireNonNullElse((job != null) ? job.since : null, Instant.EPOCH);
	}

	/**
	 * Run a job by the wish of somebody, on a thread of its own.
	 * @param tick the tick to run again, {@code null} to run one at this time
	 * @return completes with the run once the work begins, empty if that is not to be:
	 * the job is being run, or this instance does not run it
	 */
	CompletableFuture<Optional<JobRun>> runNow(String name, @Nullable Instant tick) {
		CompletableFuture<Optional<JobRun>> begun = new CompletableFuture<>();
		ScheduledExecutorService current = this.timer;
		Scheduled job = this.jobs.get(name);
		if (current == null || job == null) {
			begun.complete(Optional.empty());
			return begun;
		}
		this.threads.execute(() -> {
			try {
				track(current, () -> this.runner.runNow(job.terms, tick, (run) -> {
					begun.complete(Optional.of(run));
					job.run(run);
				}));
				begun.complete(Optional.empty());
			}
			catch (RuntimeException | Error ex) { // which nobody else hears of
				if (!begun.completeExceptionally(ex)) {
					logger.error("Job '" + name + "' could not be run to its end by the wish of somebody", ex);
				}
			}
			seeAfter(job);
		});
		return begun;
	}

	// Whether it is overdue any more is not to wait for the next look
	private void seeAfter(Scheduled job) {
		try {
			see(job);
		}
		catch (RuntimeException ex) {
			logger.debug("What is kept of job '" + job.terms.job() + "' is read at its next look", ex);
		}
	}

	@EventListener
	synchronized void on(AvailabilityChangeEvent<ReadinessState> event) {
		this.refusing = this.onlyWhenReady && event.getState() == ReadinessState.REFUSING_TRAFFIC;
		lookAtAll();
	}

	@Override
	public synchronized void start() {
		if (this.timer == null) {
			// After the stop nothing begins any more
			ScheduledExecutorService current = new ScheduledThreadPoolExecutor(1,
					new CustomizableThreadFactory("mongo-lock-jobs-"), new ThreadPoolExecutor.DiscardPolicy());
			this.timer = current;
			lookAtAll();
		}
	}

	// Not before what runs at the start of the application has ended, a migration for
	// example
	private void lookAtAll() {
		ScheduledExecutorService current = this.timer;
		if (current != null && !this.looking && !this.refusing) {
			this.looking = true;
			this.jobs.values().forEach((job) -> look(current, job, Duration.ZERO));
		}
	}

	@Override
	public void stop(Runnable callback) {
		stop();
		CompletableFuture.allOf(this.looks.stream().map(Look::end).toArray(CompletableFuture[]::new))
			.whenComplete((ended, failure) -> callback.run());
	}

	@Override
	public synchronized void stop() {
		ScheduledExecutorService current = this.timer;
		this.timer = null;
		this.looking = false;
		if (current != null) {
			current.shutdownNow();
		}
	}

	@Override
	public boolean isRunning() {
		return this.timer != null;
	}

	/** Cuts off what has not ended in time, so that another instance takes it over. */
	@Override
	public void destroy() {
		stop();
		this.runner.cutOff();
		this.looks.forEach((look) -> look.thread().interrupt());
	}

	private void look(ScheduledExecutorService current, Scheduled job, Duration delay) {
		current.schedule(() -> begin(current, job), delay.toNanos(), TimeUnit.NANOSECONDS);
	}

	private void begin(ScheduledExecutorService current, Scheduled job) {
		try {
			this.threads.execute(() -> look(current, job));
		}
		catch (RuntimeException | Error ex) { // there is no thread left
			look(current, job, failed(job, ex));
		}
	}

	private void look(ScheduledExecutorService current, Scheduled job) {
		track(current, () -> look(current, job, next(job)));
	}

	private void track(ScheduledExecutorService current, Runnable step) {
		Look look = new Look(Thread.currentThread(), new CompletableFuture<>());
		this.looks.add(look);
		try {
			if (this.timer == current) {
				step.run();
			}
		}
		finally {
			this.looks.remove(look);
			look.end().complete(null);
		}
	}

	private Duration next(Scheduled job) {
		try {
			Seen seen = see(job);
			Duration next = (this.refusing) ? null : this.runner.bringOn(job.terms, seen, job::run);
			job.failing = false;
			if (next == null) {
				return this.checkInterval;
			}
			return (next.compareTo(LONGEST) < 0) ? next : LONGEST;
		}
		catch (RuntimeException | Error ex) { // which would end the looks, unseen
			return failed(job, ex);
		}
	}

	private Duration failed(Scheduled job, Throwable failure) {
		if (!job.failing && this.timer != null) {
			logger.warn("Job '" + job.terms.job() + "' could not be looked after; trying again every "
					+ this.checkInterval.toMillis() + " ms", failure);
		}
		job.failing = true;
		return this.checkInterval;
	}

	private Seen see(Scheduled job) {
		Instant since = (isLongAgo(job.said)) ? say(job) : Objects.requireNonNull(job.since);
		JobTrigger trigger = job.terms.trigger();
		Seen seen = this.runs.see(job.terms.job(), trigger, since);
		// Somebody has dropped the collection, or has set the clock back
		if (seen.stored() == null || seen.now().isBefore(since)) {
			this.swept.set(null);
			seen = this.runs.see(job.terms.job(), trigger, say(job));
		}
		job.expect(seen.now(), this.runs.overdueFrom(job.terms.job(), trigger, seen));
		return seen;
	}

	private Instant say(Scheduled job) {
		Instant now = this.runs.now();
		Instant since = job.since;
		if (since == null || since.isAfter(now)) { // the clock was set back
			since = now;
			job.since = since;
		}
		this.runs.schedule(job.terms.job(), job.terms.trigger(), now);
		job.said = System.nanoTime();
		sweep(now);
		return since;
	}

	// Reads all runs, and so once for all jobs
	private void sweep(Instant now) {
		Long before = this.swept.get();
		if (isLongAgo(before) && this.swept.compareAndSet(before, System.nanoTime())) {
			createIndexes();
			this.runner.abandonUnattended(now);
		}
	}

	private static boolean isLongAgo(@Nullable Long nanos) {
		return nanos == null || System.nanoTime() - nanos > StoredJob.SAID_EVERY.toNanos();
	}

	private void createIndexes() {
		try {
			this.runs.createIndexes();
		}
		catch (RuntimeException ex) {
			logger.warn("The indexes of the runs of jobs could not be created; without them old runs are not removed. "
					+ "Trying again in ten minutes", ex);
		}
	}

	/**
	 * Hears of the jobs.
	 */
	@FunctionalInterface
	interface Watch {

		/**
		 * A job is looked after.
		 * @param overdue how long ago its first tick was due that no run has succeeded
		 * for, in seconds; 0 if there is none
		 */
		void added(String job, DoubleSupplier overdue);

	}

	/**
	 * A job and what its looks know; there is one look at a time.
	 */
	private static final class Scheduled {

		private final Terms terms;

		private final JobWork<?> work;

		/** When the first look was, by the clock of the server. */
		private volatile @Nullable Instant since;

		private volatile boolean failing;

		/** When it was last said that it is looked after, by the stopwatch. */
		private volatile @Nullable Long said;

		/** The tick from which on it is overdue. */
		private volatile @Nullable Instant expected;

		/**
		 * From when on it is overdue, by the stopwatch: it becomes so without MongoDB,
		 * too.
		 */
		private volatile @Nullable Long overdueFrom;

		private Scheduled(Terms terms, JobWork<?> work) {
			this.terms = terms;
			this.work = work;
		}

		private void expect(Instant now, @Nullable Instant tick) {
			this.expected = tick;
			// Bounded, as a tick of the next millennium has no nanoseconds
			this.overdueFrom = (tick != null)
					? System.nanoTime() + TimeUnit.NANOSECONDS.convert(Duration.between(now, tick)) : null;
		}

		private double overdue() {
			Long from = this.overdueFrom;
			return (from != null) ? Math.max(0, System.nanoTime() - from) / 1e9 : 0;
		}

		private void run(JobRun run) throws Throwable {
			Instant tick = this.expected;
			if (tick != null) {
				expect(run.startedAt(), StoredJob.overdueBeside(this.terms.trigger(), tick, run));
			}
			this.work.run(run);
		}

	}

	/**
	 * A look that is under way.
	 *
	 * @param thread does it
	 * @param end completes at its end
	 */
	private record Look(Thread thread, CompletableFuture<@Nullable Void> end) {

	}

}
