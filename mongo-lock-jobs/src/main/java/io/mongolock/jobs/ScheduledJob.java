package io.mongolock.jobs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

import io.mongolock.OnLost;

/**
 * Runs a method once per tick on one of the instances. A tick is a time at which the job
 * is due by the clock of the MongoDB server, so the clocks of the instances do not
 * matter. This annotation is the schedule: it replaces {@code @Scheduled}. One of
 * {@link #cron}, {@link #fixedRate} and {@link #fixedDelay} is set.
 * <p>
 * The method runs on a thread of its own under the lock {@code job:<name>}, through the
 * proxy of its bean. It takes nothing or the {@link JobRun}, and returns nothing, a stage
 * or, with Reactor, a reactive type; or it is a suspending function. The run ends when
 * the result does, and a result whose lock is lost is cancelled. Calls by other code are
 * not affected. Placeholders as {@code ${report.cron}} may stand in all texts.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface ScheduledJob {

	/**
	 * The name of the job, by which its runs are kept: the same in all instances, and of
	 * one method alone. Applications that share a database have runs of their own if they
	 * have a {@code mongo-lock.key-prefix} of their own.
	 * @return 1 to 100 characters
	 */
	String name();

	/**
	 * When the job is due, as {@code @Scheduled} has it: six fields, from seconds on, or
	 * a macro as {@code @daily}; {@code -} for never.
	 * @return the expression
	 */
	String cron() default "";

	/**
	 * The time zone of {@link #cron}.
	 * @return the zone, for example {@code Europe/Berlin}; unless set the JVM's
	 */
	String zone() default "";

	/**
	 * The time from one tick to the next, whichever instance runs it.
	 * @return a duration of 100 ms or longer, for example {@code 10s}
	 */
	String fixedRate() default "";

	/**
	 * The time from the end of one run to the next tick, whichever instance runs it.
	 * @return a duration of 100 ms or longer, for example {@code 10s}
	 */
	String fixedDelay() default "";

	/**
	 * What happens to a tick at which no instance was there.
	 * @return by default it is run within {@code mongo-lock.jobs.grace}, and missed after
	 */
	CatchUp catchUp() default CatchUp.NONE;

	/**
	 * What happens to a run whose instance died.
	 * @return by default another instance runs it again
	 */
	OnAbandoned onAbandoned() default OnAbandoned.RERUN;

	/**
	 * How often a tick is run in all if instances die in its runs.
	 * @return at least 1
	 */
	int maxAttempts() default 3;

	/**
	 * How long an attempt may take. After that its thread is interrupted, or its result
	 * cancelled; if it fails then, it is recorded as {@link JobOutcome#TIMED_OUT} and run
	 * again as work that threw something is.
	 * @return a duration of 100 ms or longer, for example {@code 10m}; by default as long
	 * as it wants
	 */
	String maxDuration() default "";

	/**
	 * What happens to a method that blocks if it loses its lock.
	 * @return by default nothing; {@link OnLost#INTERRUPT} interrupts it
	 */
	OnLost onLost() default OnLost.IGNORE;

	/**
	 * How often work that threw something is run again under the same tick, until the
	 * next tick is due.
	 * @return 0 or more
	 */
	int retries() default 0;

	/**
	 * The time from the end of the first attempt to the second one; each further one
	 * waits twice as long as the one before.
	 * @return a duration of 100 ms or longer, for example {@code 10s}
	 */
	String retryAfter() default "1m";

}
