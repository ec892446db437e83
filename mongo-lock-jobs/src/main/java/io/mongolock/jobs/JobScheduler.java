package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
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
import java.util.function.DoubleSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import io.mongolock.jobs.JobRunner.Done;

/**
 * Looks after the jobs of this application. It looks at a job at its next tick, and at
 * least every ten minutes, because clocks drift. While a run goes on, it looks more
 * often, to notice if the run's instance dies. Each look has its own thread, which also
 * does the work. Keeps the JVM up as long as there are jobs. Thread-safe.
 */
final class JobScheduler implements SmartInitializingSingleton, SmartLifecycle, DisposableBean {

	private static final Log logger = LogFactory.getLog(JobScheduler.class);

	private static final Duration LONGEST = Duration.ofMinutes(10);

	private final JobRunner runner;

	private final DueJobs due;

	private final Executor threads;

	private final Duration checkInterval;

	private final boolean onlyWhenReady;

	private final ApplicationContext context;

	private final Duration patience;

	private final ObjectProvider<Watch> watches;

	private final JobRegistry jobs;

	private final Set<Job> added = new HashSet<>();

	/** The looks that are under way. */
	private final Set<Look> looks = ConcurrentHashMap.newKeySet();

	/** The jobs whose last look failed, with the class of the failure. */
	private final Map<Job, Class<?>> failing = new ConcurrentHashMap<>();

	/** Whether this instance refuses traffic, and therefore begins no run. */
	private volatile boolean refusing;

	/**
	 * Whether the jobs are looked at: they are from the time when this instance was first
	 * ready.
	 */
	private boolean looking;

	private volatile @Nullable ScheduledExecutorService timer;

	/**
	 * Create a scheduler.
	 * @param onlyWhenReady whether no run begins while the instance refuses traffic
	 * @param becomesReady whether the instance refuses traffic until an event says that
	 * it accepts traffic
	 * @param context the context whose readiness counts
	 * @param patience the time after the start at which a warning says that no job has
	 * begun
	 */
	JobScheduler(JobRegistry jobs, JobRunner runner, DueJobs due, Executor threads, Duration checkInterval,
			boolean onlyWhenReady, boolean becomesReady, ApplicationContext context, Duration patience,
			ObjectProvider<Watch> watches) {
		this.jobs = jobs;
		this.runner = runner;
		this.due = due;
		this.threads = threads;
		this.checkInterval = checkInterval;
		this.onlyWhenReady = onlyWhenReady;
		this.refusing = onlyWhenReady && becomesReady;
		this.context = context;
		this.patience = patience;
		this.watches = watches;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.jobs.listen(this::add, this::remove);
	}

	private synchronized void add(Job job) {
		if (!this.added.add(job)) {
			return;
		}
		this.watches.forEach((watch) -> watch.added(job.name(), job::overdue));
		ScheduledExecutorService current = this.timer;
		if (current != null && this.looking) {
			look(current, job, Duration.ZERO);
		}
		else if (current != null && this.added.size() == 1) {
			limitWait(current);
		}
	}

	// A run that goes on ends by itself
	private synchronized void remove(Job job) {
		this.added.remove(job);
		this.watches.forEach((watch) -> watch.removed(job.name()));
	}

	/**
	 * The times at which a job is due.
	 * @return the times, {@code null} if this instance does not look after the job
	 */
	@Nullable JobTrigger trigger(String name) {
		Job job = this.jobs.find(name);
		return (job != null) ? job.terms().trigger() : null;
	}

	/**
	 * The time at which this instance began to look after a job.
	 * @return the time; long ago if it does not look after the job
	 */
	Instant since(String name) {
		Job job = this.jobs.find(name);
		return Objects.requireNonNullElse((job != null) ? job.since() : null, Instant.EPOCH);
	}

	/**
	 * The jobs that this instance knows to be overdue for more than a minute, the longest
	 * overdue first.
	 */
	List<String> overdue() {
		return this.jobs.all()
			.stream()
			.filter((job) -> job.overdue() > 60)
			.sorted(Comparator.comparingDouble(Job::overdue).reversed())
			.map(Job::name)
			.toList();
	}

	/**
	 * Run a job on request, on its own thread.
	 * @param tick the tick to run again, {@code null} to run a tick of this time
	 * @return completes with the run once the work begins; empty if the job is already
	 * being run, or if this instance does not run it
	 */
	CompletableFuture<Optional<JobRun>> runNow(String name, @Nullable Instant tick) {
		CompletableFuture<Optional<JobRun>> begun = new CompletableFuture<>();
		ScheduledExecutorService current = this.timer;
		Job job = this.jobs.find(name);
		if (current == null || job == null) {
			begun.complete(Optional.empty());
			return begun;
		}
		this.threads.execute(() -> {
			try {
				track(current, () -> this.runner.runNow(job.terms(), tick, (run) -> {
					begun.complete(Optional.of(run));
					job.run(run);
				}));
				begun.complete(Optional.empty());
			}
			catch (RuntimeException | Error ex) { // not reported elsewhere
				if (!begun.completeExceptionally(ex)) {
					logger.error("Job '" + name + "' could not be run to its end (an operator asked for this run)", ex);
				}
			}
			refreshOverdue(job);
		});
		return begun;
	}

	// The job may not be overdue any more: this must not wait for the next look
	private void refreshOverdue(Job job) {
		try {
			this.due.refreshOverdue(job);
		}
		catch (RuntimeException ex) {
			logger.debug("The runs of job '" + job.name() + "' could not be read. The next check of this job tries "
					+ "again", ex);
		}
	}

	// The readiness of a child context does not count
	@EventListener
	synchronized void on(AvailabilityChangeEvent<ReadinessState> event) {
		if (isOfChild(event)) {
			return;
		}
		this.refusing = this.onlyWhenReady && event.getState() == ReadinessState.REFUSING_TRAFFIC;
		lookAtAll(this.refusing);
	}

	@Override
	public synchronized void start() {
		if (this.timer == null) {
			this.failing.clear();
			// Discards, so that no look begins after the stop
			ScheduledExecutorService current = new ScheduledThreadPoolExecutor(1,
					new CustomizableThreadFactory("mongo-lock-jobs-"), new ThreadPoolExecutor.DiscardPolicy());
			this.timer = current;
			if (this.refusing && !this.added.isEmpty()) {
				limitWait(current);
			}
			lookAtAll(this.refusing);
		}
	}

	// Only if there is a job, because the timer's thread keeps the process alive
	private void limitWait(ScheduledExecutorService current) {
		current.schedule(this::waitNoLonger, this.patience.toNanos(), TimeUnit.NANOSECONDS);
	}

	// Waits for work at the start of the application to end, for example a migration
	private void lookAtAll(boolean wait) {
		ScheduledExecutorService current = this.timer;
		if (current != null && !this.looking && !wait) {
			this.looking = true;
			this.jobs.all().forEach((job) -> look(current, job, Duration.ZERO));
		}
	}

	private boolean isOfChild(AvailabilityChangeEvent<?> event) {
		ApplicationContext of = (event.getSource() instanceof ApplicationContext source) ? source.getParent() : null;
		while (of != null && of != this.context) {
			of = of.getParent();
		}
		return of != null;
	}

	// From now on jobs can be overdue
	private synchronized void waitNoLonger() {
		if (this.looking || this.timer == null) {
			return;
		}
		if (!this.jobs.all().isEmpty()) {
			logger.warn("No job has begun, because this instance has not accepted traffic in the "
					+ this.patience.toSeconds()
					+ " s since its start. An ApplicationRunner or CommandLineRunner may not have returned yet. To let "
					+ "jobs begin anyway, set mongo-lock.jobs.only-when-ready=false");
		}
		lookAtAll(false);
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

	/**
	 * Cuts off runs that have not ended in time, so that another instance takes them
	 * over.
	 */
	@Override
	public void destroy() {
		stop();
		this.runner.cutOff();
		this.looks.forEach((look) -> look.thread().interrupt());
	}

	private void look(ScheduledExecutorService current, Job job, Duration delay) {
		current.schedule(() -> begin(current, job), delay.toNanos(), TimeUnit.NANOSECONDS);
	}

	private void begin(ScheduledExecutorService current, Job job) {
		if (this.jobs.find(job.name()) != job) {
			this.failing.remove(job);
			return;
		}
		try {
			this.threads.execute(() -> look(current, job));
		}
		catch (RuntimeException | Error ex) { // for example, no thread is left
			look(current, job, failed(job, ex));
		}
	}

	private void look(ScheduledExecutorService current, Job job) {
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

	private Duration next(Job job) {
		try {
			Duration next = null;
			Duration longest = LONGEST;
			if (this.refusing) {
				this.due.refreshOverdue(job);
			}
			else {
				Done done = this.due.run(job);
				next = done.next();
				longest = (done.busy()) ? this.checkInterval : LONGEST;
			}
			this.failing.remove(job);
			if (next == null) {
				return this.checkInterval;
			}
			return (next.compareTo(longest) < 0) ? next : longest;
		}
		catch (RuntimeException | Error ex) { // would silently end the looks
			return failed(job, ex);
		}
	}

	private Duration failed(Job job, Throwable failure) {
		boolean first = !this.failing.containsValue(failure.getClass());
		if (this.failing.put(job, failure.getClass()) == null && this.timer != null) {
			String message = "Could not check job '" + job.name() + "', so this instance tries again every "
					+ this.checkInterval.toMillis() + " ms";
			String withoutStack = message + ": " + failure;
			if (first) {
				logger.warn(message, failure);
			}
			else { // a silent server fails all jobs alike, so one stack is enough
				logger.warn(withoutStack);
			}
		}
		return this.checkInterval;
	}

	/**
	 * Hears of the jobs that are looked after.
	 */
	interface Watch {

		/**
		 * A job is looked after.
		 * @param overdue the time since its first tick without a successful run was due,
		 * in seconds; 0 if there is no such tick
		 */
		void added(String job, DoubleSupplier overdue);

		/**
		 * A job is not looked after any more.
		 */
		void removed(String job);

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
