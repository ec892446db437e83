package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

import io.mongolock.jobs.JobDecision.Terms;

/**
 * A job of this application, with the knowledge of its looks. There is one look at a
 * time.
 */
final class Job {

	private final String name;

	private final Supplier<Terms> terms;

	private final JobWork<?> work;

	/** The time of the first look, by the clock of the store. */
	private volatile @Nullable Instant since;

	private volatile boolean shared;

	/** When its schedule was last announced, by the stopwatch. */
	private volatile @Nullable Long announced;

	/** The tick from which on it is overdue. */
	private volatile @Nullable Instant expected;

	/**
	 * The time from which on it is overdue, by the stopwatch: it becomes overdue without
	 * the store, too.
	 */
	private volatile @Nullable Long overdueFrom;

	Job(String name, Supplier<Terms> terms, JobWork<?> work) {
		this.name = name;
		this.terms = SingletonSupplier.of(terms);
		this.work = work;
	}

	String name() {
		return this.name;
	}

	Terms terms() {
		return this.terms.get();
	}

	@Nullable Instant since() {
		return this.since;
	}

	void begin(Instant now) {
		this.since = now;
	}

	/** Forget all knowledge of it, as before the start. */
	void reset() {
		this.since = null;
		this.announced = null;
		expect(Instant.EPOCH, null);
	}

	/** Whether this is the first report that another application has the job, too. */
	boolean isSharedForTheFirstTime() {
		boolean first = !this.shared;
		this.shared = true;
		return first;
	}

	@Nullable Long announced() {
		return this.announced;
	}

	void announced(long nanos) {
		this.announced = nanos;
	}

	/**
	 * Note from which tick on it is overdue, {@code null} if none is expected.
	 */
	void expect(Instant now, @Nullable Instant tick) {
		this.expected = tick;
		// Bounded, because a far future tick would overflow the nanoseconds
		this.overdueFrom = (tick != null)
				? System.nanoTime() + TimeUnit.NANOSECONDS.convert(Duration.between(now, tick)) : null;
	}

	/** The time since its first tick without a successful run was due, in seconds. */
	double overdue() {
		Long from = this.overdueFrom;
		return (from != null) ? Math.max(0, System.nanoTime() - from) / 1e9 : 0;
	}

	void run(JobRun run) throws Throwable {
		Instant tick = this.expected;
		if (tick != null) {
			expect(run.startedAt(), StoredJob.overdueBeside(terms().trigger(), tick, run));
		}
		this.work.run(run);
	}

}
