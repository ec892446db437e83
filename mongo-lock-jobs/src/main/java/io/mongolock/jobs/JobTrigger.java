package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.scheduling.support.CronExpression;

/**
 * The times at which a job is due. Has no clock: all times are the server's. Immutable.
 */
sealed interface JobTrigger {

	/** The largest number of ticks that are counted, because counting takes time. */
	int MAX_COUNT = 100_000;

	/**
	 * The last tick until now that comes after the last run.
	 * @param now the time
	 * @param since the time from which on ticks count if the job has never run
	 * @param last the last run, {@code null} if there was none
	 * @return the tick, {@code null} if there is none
	 */
	@Nullable Instant due(Instant now, Instant since, @Nullable JobRun last);

	/**
	 * The first tick after now, if nothing is due now.
	 */
	Instant next(Instant now, Instant since, @Nullable JobRun last);

	/**
	 * The first tick that is due after a run.
	 * @param since the time from which on ticks count if the job has never run
	 * @param run the run, {@code null} if there was none
	 */
	Instant after(@Nullable JobRun run, Instant since);

	/**
	 * Count the ticks between two ticks, both included.
	 * @param first the first one
	 * @param last the last one
	 * @return the number, at most 100,000
	 */
	default int count(Instant first, Instant last) {
		return 1;
	}

	/** Whether a time is a tick, regardless of earlier runs. */
	default boolean isTick(Instant time) {
		return false;
	}

	/** Whether a tick can come while a run goes on, and can be missed. */
	default boolean isClock() {
		return true;
	}

	/**
	 * A cron expression, read as {@code @Scheduled} reads it, even where an hour comes
	 * twice or not at all.
	 *
	 * @param expression the expression
	 * @param zone its time zone
	 */
	record Cron(CronExpression expression, ZoneId zone) implements JobTrigger {

		private static final Duration SECOND = Duration.ofSeconds(1);

		@Override
		public @Nullable Instant due(Instant now, Instant since, @Nullable JobRun last) {
			Instant from = (last != null) ? last.tick() : since;
			if (after(last, since).isAfter(now)) {
				return null;
			}
			// Bisects: there is a tick after 'from' and up to now, and none between
			// 'until' and now. The gap between ticks may be years
			Instant until = now;
			while (Duration.between(from, until).compareTo(SECOND) > 0) {
				Instant middle = from.plus(Duration.between(from, until).dividedBy(2));
				if (after(middle).isAfter(now)) {
					until = middle;
				}
				else {
					from = middle;
				}
			}
			return after(from);
		}

		@Override
		public Instant next(Instant now, Instant since, @Nullable JobRun last) {
			return after(now);
		}

		@Override
		public Instant after(@Nullable JobRun run, Instant since) {
			return after((run != null) ? run.tick() : since);
		}

		@Override
		public int count(Instant first, Instant last) {
			int count = 1;
			for (Instant tick = after(first); count < MAX_COUNT && !tick.isAfter(last); tick = after(tick)) {
				count++;
			}
			return count;
		}

		@Override
		public boolean isTick(Instant time) {
			return after(time.minusMillis(1)).equals(time);
		}

		/**
		 * The next day within a year on which the zone skips or repeats the hour of a
		 * tick.
		 * @return the day, {@code null} if there is none, or if ticks come each hour
		 */
		@Nullable LocalDate nextIrregularDay(Instant now) {
			Instant end = now.plus(Duration.ofDays(366));
			ZoneOffsetTransition change = this.zone.getRules().nextTransition(now);
			while (change != null && change.getInstant().isBefore(end)) {
				boolean gap = change.isGap();
				LocalDateTime from = (gap) ? change.getDateTimeBefore() : change.getDateTimeAfter();
				LocalDateTime to = (gap) ? change.getDateTimeAfter() : change.getDateTimeBefore();
				LocalDateTime tick = this.expression.next(from.minusSeconds(1));
				if (tick != null && tick.isBefore(to)) {
					LocalDateTime later = this.expression.next(to.minusSeconds(1));
					if (later == null || later.isAfter(to.plusHours(1))) {
						return from.toLocalDate();
					}
				}
				change = this.zone.getRules().nextTransition(change.getInstant());
			}
			return null;
		}

		@Override
		public String toString() {
			return "cron " + this.expression + " (" + this.zone + ")";
		}

		private Instant after(Instant time) {
			ZonedDateTime from = ZonedDateTime.ofInstant(time, this.zone);
			Instant next = next(from);
			// Where clocks are set back by half an hour, the expression finds some ticks
			// a second time
			while (!next.isAfter(time)) {
				from = from.plusMinutes(1);
				next = next(from);
			}
			return next;
		}

		private Instant next(ZonedDateTime from) {
			return Objects.requireNonNull(this.expression.next(from), "checked at startup").toInstant();
		}

	}

	/**
	 * A fixed rate, counted from the last tick.
	 *
	 * @param period the time from one tick to the next
	 */
	record Rate(Duration period) implements JobTrigger {

		@Override
		public @Nullable Instant due(Instant now, Instant since, @Nullable JobRun last) {
			if (last == null) {
				return (since.isAfter(now)) ? null : since;
			}
			Instant due = last.tick().plus(this.period.multipliedBy(periods(last, now)));
			return (due.isAfter(last.tick())) ? due : null;
		}

		@Override
		public Instant next(Instant now, Instant since, @Nullable JobRun last) {
			if (last == null) {
				return (since.isAfter(now)) ? since : since.plus(this.period);
			}
			return last.tick().plus(this.period.multipliedBy(periods(last, now) + 1));
		}

		private long periods(JobRun last, Instant now) {
			return Math.floorDiv(Duration.between(last.tick(), now).toMillis(), this.period.toMillis());
		}

		@Override
		public Instant after(@Nullable JobRun run, Instant since) {
			return (run != null) ? run.tick().plus(this.period) : since;
		}

		@Override
		public int count(Instant first, Instant last) {
			return (int) Math.min(MAX_COUNT, Duration.between(first, last).dividedBy(this.period) + 1);
		}

		@Override
		public String toString() {
			return "fixed rate " + DurationStyle.SIMPLE.print(this.period);
		}

	}

	/**
	 * A fixed delay, counted from the end of the last run.
	 *
	 * @param pause the time from an end to the next tick
	 */
	record Delay(Duration pause) implements JobTrigger {

		@Override
		public @Nullable Instant due(Instant now, Instant since, @Nullable JobRun last) {
			Instant due = next(now, since, last);
			return (due.isAfter(now)) ? null : due;
		}

		@Override
		public Instant next(Instant now, Instant since, @Nullable JobRun last) {
			if (last == null) {
				return since;
			}
			Instant ended = last.endedAt();
			// An end in the future was recorded before the clock was set back
			return ((ended != null && ended.isAfter(last.tick()) && !ended.isAfter(now)) ? ended : last.tick())
				.plus(this.pause);
		}

		@Override
		public Instant after(@Nullable JobRun run, Instant since) {
			if (run == null) {
				return since;
			}
			Instant ended = run.endedAt();
			return ((ended != null) ? ended : run.tick()).plus(this.pause);
		}

		@Override
		public boolean isClock() {
			return false;
		}

		@Override
		public String toString() {
			return "fixed delay " + DurationStyle.SIMPLE.print(this.pause);
		}

	}

}
