package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.OnLost;
import io.mongolock.jobs.JobDecision.Abandon;
import io.mongolock.jobs.JobDecision.Note;
import io.mongolock.jobs.JobDecision.Paused;
import io.mongolock.jobs.JobDecision.Run;
import io.mongolock.jobs.JobDecision.Seen;
import io.mongolock.jobs.JobDecision.Terms;
import io.mongolock.jobs.JobDecision.Wait;

/**
 * Carries out the decisions about a job, under its lock. The holder of the lock reads the
 * runs and decides again, so that it considers what others have done meanwhile.
 * Thread-safe.
 */
final class JobRunner {

	static final String NAME = "job";

	private static final Log logger = LogFactory.getLog(JobRunner.class);

	/** How often the write of a record is tried if the server does not answer. */
	private static final int WRITES = 20;

	private final LockOperations locks;

	private final JobRuns runs;

	private final ApplicationEventPublisher events;

	private final String runner;

	private final Supplier<JobObserver> observer;

	/** The state that the attempts that run here will leave. */
	private final Map<JobRun, Map<String, String>> states = new ConcurrentHashMap<>();

	private volatile boolean cutOff;

	JobRunner(LockOperations locks, JobRuns runs, ApplicationEventPublisher events, String runner) {
		this(locks, runs, events, runner, () -> JobObserver.NONE);
	}

	/**
	 * Create a runner.
	 * @param observer resolved at the first run
	 */
	JobRunner(LockOperations locks, JobRuns runs, ApplicationEventPublisher events, String runner,
			Supplier<JobObserver> observer) {
		this.locks = locks;
		this.runs = runs;
		this.events = events;
		this.runner = runner;
		this.observer = observer;
	}

	/**
	 * Keep a state for later runs, in case an attempt succeeds.
	 * @return whether the attempt runs here
	 */
	boolean leave(JobRun run, Map<String, String> state) {
		return this.states.replace(run, Map.copyOf(state)) != null;
	}

	/** Treat work that fails from now on as cut off by the end of the application. */
	void cutOff() {
		this.cutOff = true;
	}

	/**
	 * Do what is due, if this instance can.
	 * @param seen the records of the job
	 */
	@SuppressWarnings("try") // the scope is only there to be left
	Done runDue(Terms terms, Seen seen, JobWork<?> work) {
		JobDecision decision = JobDecision.decide(terms, 0, seen);
		if (decision instanceof Wait wait) {
			return new Done(Duration.between(seen.now(), wait.until()), false, false, null);
		}
		if (decision instanceof Paused) {
			return Done.NOTHING;
		}
		Optional<LockHandle> lock = this.locks.tryAcquire(request(terms.job(), terms.onLost()));
		if (lock.isEmpty()) {
			// The instance that holds the lock is at work
			if (decision instanceof Note note && note.outcome() == JobOutcome.SKIPPED && seen.open() != null) {
				write(terms, decision, seen.now());
			}
			return Done.busy(terms.trigger(), seen);
		}
		try (LockHandle handle = lock.get(); LockContext.Scope scope = LockContext.enter(handle)) {
			return runUnderLock(handle, terms, seen.since(), work);
		}
	}

	private Done runUnderLock(LockHandle handle, Terms terms, Instant since, JobWork<?> work) {
		for (boolean done = false;; done = true) {
			Seen seen = this.runs.readState(terms.job(), terms.trigger(), since);
			JobDecision decision = JobDecision.decide(terms, handle.fence(), seen);
			if (decision instanceof Run run) {
				JobRun left = run.left();
				Attempt attempt = attempt(handle, left, begun(handle, terms.job(), run.tick(), left, seen.now()),
						limited(terms, work));
				logFailure(attempt);
				return (attempt != null) ? after(terms, seen, attempt.run()) : (done) ? Done.SOMETHING : Done.NOTHING;
			}
			boolean written = (decision instanceof Abandon abandon) ? abandon(abandon.left())
					: write(terms, decision, seen.now());
			if (!written) {
				return (done) ? Done.SOMETHING : Done.NOTHING;
			}
		}
	}

	// Known without a look, unless a tick has come meanwhile
	private static Done after(Terms terms, Seen seen, JobRun ended) {
		Seen after = (ended.endedAt() != null) ? seen.after(ended, ended.endedAt()) : null;
		return (after != null && JobDecision.decide(terms, 0, after) instanceof Wait wait)
				? new Done(Duration.between(after.now(), wait.until()), false, true, after) : Done.SOMETHING;
	}

	private JobRun begun(LockHandle handle, String job, Instant tick, @Nullable JobRun left, Instant now) {
		return (left != null) ? left.again(handle.fence(), now, this.runner)
				: JobRun.begun(job, tick, 1, handle.fence(), now, this.runner);
	}

	/**
	 * Record runs as abandoned whose jobs no instance looks after any more.
	 */
	void abandonUnattended(Instant now) {
		for (JobRun left : this.runs.unattended(now)) {
			try {
				this.locks.tryAcquire(request(left.job(), OnLost.IGNORE)).ifPresent((handle) -> {
					try (handle) {
						abandon(left);
					}
				});
			}
			catch (RuntimeException ex) { // must not affect the other runs
				logger.warn(
						"The run of job '" + left.job() + "' by " + left.runner()
								+ " could not be recorded as abandoned. The application tries again in ten minutes",
						ex);
			}
		}
	}

	/**
	 * Run a tick on request.
	 * @param tick the tick to run again; {@code null} to run a tick of this time, or an
	 * earlier tick that was left and must be run again
	 * @return the run, or {@code null} if another instance runs the job
	 * @throws IllegalStateException if the tick shares its record with other ticks
	 */
	@Nullable Attempt runNow(Terms terms, @Nullable Instant tick, JobWork<?> work) {
		Attempt attempt = run(terms.job(), tick, terms, true, work);
		logFailure(attempt);
		return attempt;
	}

	/**
	 * Run one tick, unless it was run before.
	 * @param terms the declaration of the job, {@code null} if only code runs it
	 * @return the run, or {@code null} if the tick was run before or another instance
	 * runs the job
	 */
	@Nullable Attempt run(String job, Instant tick, @Nullable Terms terms, JobWork<?> work) {
		return (hasEnded(this.runs.find(job, tick))) ? null : run(job, tick, terms, false, work);
	}

	// Work that was cut off has not failed, and its exception is logged already
	private static void logFailure(@Nullable Attempt attempt) {
		if (attempt != null && attempt.failure() != null && !attempt.cutOff()) {
			JobRun run = attempt.run();
			log(logger::error,
					"Job '" + run.job() + "' failed at its tick " + run.tick() + ", in attempt " + run.attempt(),
					attempt.failure());
		}
	}

	private static void log(BiConsumer<Object, @Nullable Throwable> level, String message, Throwable failure) {
		try {
			level.accept(message, failure);
		}
		catch (RuntimeException | Error ex) { // of an exception that cannot be printed
			level.accept(message + ": " + failure.getClass().getName(), null);
		}
	}

	// On request, also runs a tick again
	@SuppressWarnings("try") // the scope is only there to be left
	private @Nullable Attempt run(String job, @Nullable Instant wanted, @Nullable Terms terms, boolean wish,
			JobWork<?> work) {
		LockRequest request = request(job, (terms != null) ? terms.onLost() : OnLost.IGNORE);
		if (LockContext.find((held) -> held.key().equals(request.key())).isPresent()) {
			throw new IllegalStateException(
					"Job '" + job + "' is already running on this thread. Wait until that run has returned");
		}
		Optional<LockHandle> lock = this.locks.tryAcquire(request);
		if (lock.isEmpty()) {
			return null;
		}
		try (LockHandle handle = lock.get(); LockContext.Scope scope = LockContext.enter(handle)) {
			Seen seen = this.runs.readState(job, null, Instant.EPOCH);
			Instant tick = (wanted != null) ? wanted : free(seen.now(), terms);
			JobRun left = this.runs.find(job, tick);
			String refused = (wish && left != null) ? refusal(left, tick) : null;
			if (refused != null) {
				if (wanted != null) {
					throw new IllegalStateException(refused);
				}
				left = null; // a note of future ticks, by a clock that was ahead
			}
			JobRun open = seen.open();
			while (open != null && open.fence() < handle.fence() && !open.tick().equals(tick)) {
				if (wish && terms != null && JobDecision.decide(terms, handle.fence(), seen) instanceof Run run) {
					return (wanted != null) ? null : attempt(handle, open,
							open.again(handle.fence(), seen.now(), this.runner), limited(terms, work));
				}
				abandon(open);
				seen = this.runs.readState(job, null, Instant.EPOCH);
				open = seen.open();
			}
			// If the fence is higher, this instance has stood still, and another holds
			// the lock
			if (!wish && hasEnded(left) || open != null && open.fence() >= handle.fence()) {
				return null;
			}
			if (left == null && terms != null && !terms.trigger().isTick(tick)) {
				return attempt(handle, null, JobRun.byHand(job, tick, handle.fence(), seen.now(), this.runner),
						limited(terms, work));
			}
			if (left != null && wish) {
				this.runs.rerun(left);
			}
			return attempt(handle, left, begun(handle, job, tick, left, seen.now()), limited(terms, work));
		}
	}

	/**
	 * Why a tick is not run again.
	 * @return the reason, {@code null} if the tick can be run again
	 */
	static @Nullable String refusal(JobRun record, Instant tick) {
		if (record.outcome() == JobOutcome.UNKNOWN) {
			return "The run of job '" + record.job() + "' for its tick " + tick + " has an outcome that this version "
					+ "of mongo-lock does not know, because a newer version or a person has recorded this run. Send "
					+ "the request to an instance with the newer version";
		}
		return (record.ticks() == 1) ? null
				: "The tick " + tick + " of job '" + record.job()
						+ "' cannot be run again, because one record stands for " + record.ticks()
						+ " ticks that were not run, from " + record.firstTick() + " to " + record.tick() + ". Run the "
						+ "job now to get a new tick";
	}

	// A requested run must not take a tick of the schedule
	private static Instant free(Instant now, @Nullable Terms terms) {
		return (terms != null && terms.trigger().isTick(now)) ? now.plusMillis(1) : now;
	}

	private static boolean hasEnded(@Nullable JobRun run) {
		return run != null && run.outcome() != JobOutcome.RUNNING;
	}

	private @Nullable Attempt attempt(LockHandle handle, @Nullable JobRun left, JobRun begun, JobWork<?> work) {
		if (left != null && left.outcome() == JobOutcome.RUNNING) {
			logger.warn("The run of job '" + begun.job() + "' for its tick " + begun.tick() + " was left unfinished by "
					+ left.runner() + ", and is run again as attempt " + begun.attempt());
		}
		if (!begin(handle, left, begun)) {
			return null;
		}
		// The process may have stood still since it was granted the lock
		handle.assertHeld();
		publish(new JobRunEvent.Started(begun));
		List<JobObserver.End> observed = new ArrayList<>(1);
		harmless(begun, () -> observed.add(this.observer.get().begin(begun)));
		Attempt attempt = work(handle, begun, work);
		harmless(begun, () -> observed.forEach((end) -> end.of(attempt.run(), attempt.failure())));
		return attempt;
	}

	private Attempt work(LockHandle handle, JobRun begun, JobWork<?> work) {
		Throwable failure = null;
		this.states.put(begun, Map.of());
		try {
			work.run(begun);
		}
		catch (Throwable ex) { // recorded, and logged or thrown by the caller
			failure = ex;
		}
		Map<String, String> state = this.states.remove(begun);
		if (failure != null && (this.cutOff || !handle.isHeld())) {
			log(logger::warn,
					"The run of job '" + begun.job() + "' for its tick " + begun.tick() + " was cut off by "
							+ ((this.cutOff) ? "the end of the application" : "the loss of its lock")
							+ ". Another instance takes care of this run",
					failure);
			if (this.cutOff) {
				writtenEvenIfInterrupted(() -> this.runs.replace(begun, begun.leftByCutOff()), begun);
			}
			return new Attempt(begun, failure, true);
		}
		return new Attempt(end(handle, begun, failure, Objects.requireNonNull(state)), failure, false);
	}

	// Tried again under the same fence if the answer is lost
	private boolean begin(LockHandle handle, @Nullable JobRun left, JobRun begun) {
		try {
			return insist(handle, () -> {
				boolean written = (left != null) ? this.runs.replace(left, begun) : this.runs.add(begun);
				return written || begun.equals(this.runs.find(begun.job(), begun.tick()));
			});
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("The thread was interrupted before job '" + begun.job() + "' had begun",
					ex);
		}
	}

	private JobRun end(LockHandle handle, JobRun begun, @Nullable Throwable failure, Map<String, String> state) {
		JobRun ended = begun.ended(begun.startedAt(), outcome(failure), failure)
			.leaving((failure != null) ? Map.of() : state);
		JobRun written = writtenEvenIfInterrupted(() -> insist(handle, () -> {
			JobRun kept = this.runs.end(begun, ended);
			return (kept != null) ? kept : writtenBefore(begun, ended);
		}), begun);
		if (written == null) {
			return begun;
		}
		if (written == begun) {
			logger.warn("Job '" + begun.job() + "' ended for its tick " + begun.tick()
					+ " after another instance had taken over. This instance had lost the lock");
			return begun;
		}
		ended(written);
		return written;
	}

	private static JobOutcome outcome(@Nullable Throwable failure) {
		if (failure == null) {
			return JobOutcome.SUCCEEDED;
		}
		return (failure instanceof JobTimeoutException) ? JobOutcome.TIMED_OUT : JobOutcome.FAILED;
	}

	private static JobWork<?> limited(@Nullable Terms terms, JobWork<?> work) {
		return (terms != null && terms.maxDuration() != null) ? new LimitedWork(work, terms.maxDuration()) : work;
	}

	// For a lost answer, or if the history was dropped during the run
	private JobRun writtenBefore(JobRun begun, JobRun ended) {
		JobRun found = this.runs.find(ended.job(), ended.tick());
		if (found == null) {
			JobRun again = ended.endedAt(this.runs.now());
			return (this.runs.add(again)) ? again : begun;
		}
		return (found.fence() == ended.fence() && found.outcome() == ended.outcome()) ? found : begun;
	}

	private static <T> T insist(LockHandle handle, Supplier<T> request) throws InterruptedException {
		for (int ask = 1;; ask++) {
			try {
				return request.get();
			}
			catch (RuntimeException ex) {
				if (ask == WRITES || !handle.isHeld()) {
					throw ex;
				}
				TimeUnit.MILLISECONDS.sleep(500);
			}
		}
	}

	// The driver would refuse to write on an interrupted thread
	private static <T> @Nullable T writtenEvenIfInterrupted(Callable<T> write, JobRun begun) {
		boolean interrupted = Thread.interrupted();
		try {
			return write.call();
		}
		catch (Exception ex) {
			interrupted |= ex instanceof InterruptedException;
			logger.error("The end of job '" + begun.job() + "' for its tick " + begun.tick()
					+ " could not be written, so this tick may be run again", ex);
			return null;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private boolean abandon(JobRun left) {
		JobRun abandoned = this.runs.end(left, left.ended(left.startedAt(), JobOutcome.ABANDONED, null));
		if (abandoned != null) {
			logger.warn("The run of job '" + left.job() + "' for its tick " + left.tick() + " was abandoned by "
					+ left.runner());
			ended(abandoned);
		}
		return abandoned != null;
	}

	// Whether there was a note to write, and it is written now
	private boolean write(Terms terms, JobDecision decision, Instant now) {
		if (!(decision instanceof Note note)) {
			return false;
		}
		JobRun notRun = JobRun.notRun(terms.job(), note.first(), note.last(), note.ticks(), now, note.outcome(),
				note.why(), this.runner);
		boolean noted = this.runs.add(notRun);
		if (noted) {
			int before = note.ticks() - 1;
			String more = (before > 0) ? " and the " + ((before > 1) ? before + " ticks" : "tick") + " before it, from "
					+ note.first() + " on" : "";
			if (note.outcome() == JobOutcome.MISSED) {
				logger.warn(
						"Job '" + terms.job() + "' missed its tick " + note.last() + more + ", because " + note.why());
			}
			else {
				logger
					.info("Job '" + terms.job() + "' skips its tick " + note.last() + more + ", because " + note.why());
			}
			ended(notRun);
		}
		return noted;
	}

	private void ended(JobRun run) {
		try {
			this.runs.expireBefore(run);
		}
		catch (RuntimeException ex) {
			// The next end tries again
			logger.debug("Old runs of job '" + run.job() + "' could not be removed", ex);
		}
		publish(new JobRunEvent.Ended(run));
	}

	private void publish(JobRunEvent event) {
		harmless(event, () -> this.events.publishEvent(event));
	}

	private static void harmless(Object event, Runnable listener) {
		try {
			listener.run();
		}
		catch (RuntimeException ex) { // must not affect the work
			logger.warn("A listener failed on " + event, ex);
		}
		catch (Error ex) { // must not affect the work, either
			logger.error("A listener failed on " + event, ex);
		}
	}

	private static LockRequest request(String job, OnLost onLost) {
		return LockRequest.builder(NAME, job)
			.settings(LockSettings.builder()
				.waitTimeout(Duration.ZERO)
				.autoRenew(true)
				.limit(1)
				.minHold(Duration.ZERO)
				.linger(Duration.ZERO)
				.build())
			.onLost(onLost)
			.build();
	}

	/**
	 * The result of a look at a job.
	 *
	 * @param next how long nothing is due, {@code null} if that is not known, or the job
	 * is paused
	 * @param busy whether another instance runs the job, so it must be noticed if that
	 * instance dies before the next tick
	 * @param written whether a record was written
	 * @param after the records of the job since then, {@code null} if they must be read
	 */
	record Done(@Nullable Duration next, boolean busy, boolean written, @Nullable Seen after) {

		private static final Done NOTHING = new Done(null, false, false, null);

		private static final Done SOMETHING = new Done(Duration.ZERO, false, true, null);

		/** So that many ticks during a run do not cause as many looks. */
		private static final Duration BUSY = Duration.ofSeconds(1);

		// The other instance may be stopping, and will then not run the next tick
		private static Done busy(JobTrigger trigger, Seen seen) {
			if (!trigger.isClock()) {
				return NOTHING;
			}
			Duration next = Duration.between(seen.now(), trigger.next(seen.now(), seen.since(), seen.last()));
			return new Done((next.compareTo(BUSY) > 0) ? next : BUSY, true, false, null);
		}

	}

	/**
	 * The end of a run.
	 *
	 * @param run the run
	 * @param failure what the work threw, if it did
	 * @param cutOff whether it failed because the lock or the application ended
	 */
	record Attempt(JobRun run, @Nullable Throwable failure, boolean cutOff) {

	}

}
