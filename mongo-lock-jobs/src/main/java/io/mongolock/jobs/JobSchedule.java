package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;

import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

import io.mongolock.OnLost;
import io.mongolock.jobs.JobDecision.Terms;

/**
 * The schedule of a job that you add while the application runs, and the rules for its
 * ticks. For a method, {@link ScheduledJob} says the same. Immutable.
 */
public final class JobSchedule {

	private static final Duration LEAST = Duration.ofMillis(100);

	private final JobTrigger trigger;

	private final CatchUp catchUp;

	private final OnAbandoned onAbandoned;

	private final int retries;

	private final Duration retryAfter;

	private final @Nullable Duration maxDuration;

	private JobSchedule(JobTrigger trigger, CatchUp catchUp, OnAbandoned onAbandoned, int retries, Duration retryAfter,
			@Nullable Duration maxDuration) {
		this.trigger = trigger;
		this.catchUp = catchUp;
		this.onAbandoned = onAbandoned;
		this.retries = retries;
		this.retryAfter = retryAfter;
		this.maxDuration = maxDuration;
	}

	private static JobSchedule of(JobTrigger trigger) {
		return new JobSchedule(trigger, CatchUp.NONE, OnAbandoned.RERUN, 0, Duration.ofMinutes(1), null);
	}

	/**
	 * Create a schedule by a cron expression of six fields, of which the first is for
	 * seconds.
	 * @throws IllegalArgumentException if the expression cannot be read, or is never due
	 */
	public static JobSchedule cron(String expression, ZoneId zone) {
		CronExpression cron = CronExpression.parse(expression);
		if (cron.next(ZonedDateTime.ofInstant(Instant.EPOCH, zone)) == null) {
			throw new IllegalArgumentException("cron = \"" + expression + "\" is never due");
		}
		return of(new JobTrigger.Cron(cron, zone));
	}

	/**
	 * Create a schedule by the time between two ticks, which is at least 100 ms.
	 */
	public static JobSchedule fixedRate(Duration period) {
		return of(new JobTrigger.Rate(checked("fixedRate", period)));
	}

	/**
	 * Create a schedule by the time from the end of a run to the next tick, which is at
	 * least 100 ms.
	 */
	public static JobSchedule fixedDelay(Duration pause) {
		return of(new JobTrigger.Delay(checked("fixedDelay", pause)));
	}

	private static Duration checked(String what, Duration given) {
		if (given.compareTo(LEAST) < 0) {
			throw new IllegalArgumentException(
					what + " must be at least 100 ms, but it is " + given.toMillis() + " ms");
		}
		return given;
	}

	/**
	 * Return this schedule with another rule for ticks that came while no instance was
	 * running.
	 */
	public JobSchedule withCatchUp(CatchUp catchUp) {
		return new JobSchedule(this.trigger, catchUp, this.onAbandoned, this.retries, this.retryAfter,
				this.maxDuration);
	}

	/**
	 * Return this schedule with another rule for runs whose instance died.
	 */
	public JobSchedule withOnAbandoned(OnAbandoned onAbandoned) {
		return new JobSchedule(this.trigger, this.catchUp, onAbandoned, this.retries, this.retryAfter,
				this.maxDuration);
	}

	/**
	 * Return this schedule with further attempts for work that has failed. The pause
	 * before the first further attempt is given, and doubles before each next one.
	 */
	public JobSchedule withRetries(int retries, Duration retryAfter) {
		if (retries < 0) {
			throw new IllegalArgumentException("retries must be at least 0, but it is " + retries);
		}
		return new JobSchedule(this.trigger, this.catchUp, this.onAbandoned, retries, checked("retryAfter", retryAfter),
				this.maxDuration);
	}

	/**
	 * Return this schedule with a time after which an attempt is interrupted.
	 */
	public JobSchedule withMaxDuration(Duration maxDuration) {
		return new JobSchedule(this.trigger, this.catchUp, this.onAbandoned, this.retries, this.retryAfter,
				checked("maxDuration", maxDuration));
	}

	Terms terms(String job, Duration grace) {
		return new Terms(job, this.trigger, this.catchUp, grace, this.onAbandoned, 3, this.retries, this.retryAfter,
				this.maxDuration, OnLost.IGNORE);
	}

}
