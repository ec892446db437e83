package io.mongolock.jobs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.aot.hint.annotation.Reflective;

import io.mongolock.OnLost;

/**
 * Runs a method once per tick, on one of the instances. A tick is a time at which the job
 * is due by the clock of the MongoDB server, so the clocks of the instances do not
 * matter. This annotation replaces {@code @Scheduled}. Set exactly one of {@link #cron},
 * {@link #fixedRate} and {@link #fixedDelay}.
 * <p>
 * Each run has its own thread and the lock {@code job:<name>}, and calls the method
 * through the proxy of its bean. The method has no parameter or a {@link JobRun}. It
 * returns nothing, a {@code CompletionStage} or, with Reactor, a reactive type. It may
 * also be a suspending function. The run ends when the result has ended. If the lock is
 * lost, the result is cancelled. Calls by other code are not affected. All texts may
 * contain placeholders such as {@code ${report.cron}}.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface ScheduledJob {

	/**
	 * The name of the job, under which its runs are kept. The name is the same in all
	 * instances, and belongs to one method only. Applications that share a database have
	 * separate runs if each has its own {@code mongo-lock.key-prefix}.
	 * @return 1 to 100 characters
	 */
	String name();

	/**
	 * When the job is due, as with {@code @Scheduled}: six fields, of which the first is
	 * for seconds, or a macro such as {@code @daily}. With {@code -}, the job is never
	 * due.
	 * @return the expression
	 */
	String cron() default "";

	/**
	 * The time zone of {@link #cron}.
	 * @return the zone, for example {@code Europe/Berlin}; by default, the zone of the
	 * JVM
	 */
	String zone() default "";

	/**
	 * The time between two ticks, whichever instances run them.
	 * @return a duration of 100 ms or longer, for example {@code 10s}
	 */
	String fixedRate() default "";

	/**
	 * The time from the end of a run to the next tick, whichever instances run them.
	 * @return a duration of 100 ms or longer, for example {@code 10s}
	 */
	String fixedDelay() default "";

	/**
	 * What happens to a tick that came while no instance was running.
	 * @return by default, the last such tick is run if it is not longer ago than
	 * {@code mongo-lock.jobs.grace}; otherwise it is missed
	 */
	CatchUp catchUp() default CatchUp.NONE;

	/**
	 * What happens to a run whose instance died.
	 * @return by default, another instance runs the tick again
	 */
	OnAbandoned onAbandoned() default OnAbandoned.RERUN;

	/**
	 * How many attempts a tick has in all if instances die during its runs.
	 * @return at least 1
	 */
	int maxAttempts() default 3;

	/**
	 * How long an attempt may take. After this time, its thread is interrupted, or its
	 * result is cancelled. If the attempt then fails, it is recorded as
	 * {@link JobOutcome#TIMED_OUT}, and repeated like work that has thrown an exception.
	 * @return a duration of 100 ms or longer, for example {@code 10m}; by default, there
	 * is no limit
	 */
	String maxDuration() default "";

	/**
	 * What happens to a blocking method if it loses its lock.
	 * @return by default, nothing; {@link OnLost#INTERRUPT} interrupts the method
	 */
	OnLost onLost() default OnLost.IGNORE;

	/**
	 * How often work that has thrown an exception is run again for the same tick. There
	 * are no more attempts when the next tick is due.
	 * @return 0 or more
	 */
	int retries() default 0;

	/**
	 * The time from the end of the first attempt to the second attempt. Before each
	 * further attempt, the time doubles.
	 * @return a duration of 100 ms or longer, for example {@code 10s}
	 */
	String retryAfter() default "1m";

}
