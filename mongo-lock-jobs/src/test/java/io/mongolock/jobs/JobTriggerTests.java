package io.mongolock.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.scheduling.support.CronExpression;

import io.mongolock.jobs.JobTrigger.Cron;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobTrigger}.
 */
class JobTriggerTests {

	private static final Instant START = Instant.parse("2026-05-04T00:00:00Z");

	private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

	@Test
	void theLastTickIsFoundHoweverLongAgoTheRunBeforeWas() {
		JobTrigger nightly = cron("0 0 3 * * *");
		assertThat(nightly.due(START.plus(Duration.ofDays(9_000)), START, ran("2026-05-03T01:00:00Z")))
			.isEqualTo("2050-12-23T02:00:00Z");
		assertThat(cron("* * * * * *").due(START.plusMillis(999), START, ran("2006-01-01T00:00:00Z"))).isEqualTo(START);
	}

	@Test
	void aTickIsDueFromItsVeryMomentOnAndOnlyOnce() {
		JobTrigger nightly = cron("0 0 3 * * *");
		Instant tick = Instant.parse("2026-05-04T01:00:00Z");
		assertThat(nightly.due(tick.minusMillis(1), START, null)).isNull();
		assertThat(nightly.next(tick.minusMillis(1), START, null)).isEqualTo(tick);
		assertThat(nightly.due(tick, START, null)).isEqualTo(tick);
		assertThat(nightly.due(tick.plusMillis(1), START, ran(tick.toString()))).isNull();
		assertThat(nightly.due(tick, tick, null)).as("nobody began to look before it").isNull();
	}

	/** As coming-from.md says. */
	@Test
	void anExpressionOfQuartzWithDaysByNameHasItsTicks() {
		assertThat(cron("0 0/30 9 ? * SUN-MON").next(START.plus(Duration.ofDays(2)), START, null))
			.isEqualTo("2026-05-10T07:00:00Z");
		assertThat(cron("0 0 9 ? * FRI#1").next(START, START, null)).isEqualTo("2026-06-05T07:00:00Z");
	}

	@Test
	void aFixedDelayBeginsWithTheStart() {
		JobTrigger delay = new JobTrigger.Delay(Duration.ofHours(1));
		assertThat(delay.due(START, START, null)).isEqualTo(START);
	}

	@ParameterizedTest
	@ValueSource(strings = { "0 30 2 * * *", "0 0 3 * * *", "0 30 * * * *", "0 */20 2 * * *", "0 0 0 * * SUN",
			"17 13 1-4 * * *" })
	void itAgreesWithTheExpressionAlsoWhereAnHourComesTwiceOrNotAtAll(String expression) {
		for (String day : List.of("2026-03-28T00:00:00Z", "2026-10-24T00:00:00Z", "2026-05-04T00:00:00Z")) {
			Instant from = Instant.parse(day);
			JobTrigger trigger = cron(expression);
			List<Instant> expected = new ArrayList<>();
			CronExpression cron = CronExpression.parse(expression);
			ZonedDateTime next = cron.next(from.atZone(BERLIN));
			while (next.toInstant().isBefore(from.plus(Duration.ofDays(3)))) {
				expected.add(next.toInstant());
				next = cron.next(next);
			}
			List<Instant> found = new ArrayList<>();
			JobRun last = null;
			for (Instant now = from; now
				.isBefore(from.plus(Duration.ofDays(3))); now = now.plus(Duration.ofMinutes(5))) {
				Instant due = trigger.due(now, from, last);
				if (due != null) {
					found.add(due);
					last = ran(due.toString());
				}
				assertThat(trigger.due(now, from, last)).isNull();
			}
			assertThat(found).containsExactlyElementsOf(expected);
		}
	}

	@Test
	void anHourThatComesTwiceHasTwoTicksAndOneThatDoesNotComeHasNone() {
		JobTrigger night = cron("0 30 2 * * *");
		Instant autumn = Instant.parse("2026-10-24T12:00:00Z");
		assertThat(night.next(autumn, autumn, null)).isEqualTo("2026-10-25T00:30:00Z");
		assertThat(night.next(Instant.parse("2026-10-25T00:30:00Z"), autumn, null)).isEqualTo("2026-10-25T01:30:00Z");
		assertThat(night.next(Instant.parse("2026-10-25T01:30:00Z"), autumn, null)).isEqualTo("2026-10-26T01:30:00Z");
		Instant spring = Instant.parse("2026-03-28T12:00:00Z");
		assertThat(night.next(spring, spring, null)).isEqualTo("2026-03-30T00:30:00Z");
	}

	@ParameterizedTest
	@ValueSource(strings = { "0 15 * * * *", "0 0 0-3 * * *", "0 */10 * * * *", "0 45 1 * * *" })
	void whereClocksAreSetBackByHalfAnHourEachTickComesAfterTheOneBefore(String expression) {
		Cron cron = new Cron(CronExpression.parse(expression), ZoneId.of("Australia/Lord_Howe"));
		Instant from = Instant.parse("2026-04-04T13:00:00Z");
		JobRun last = null;
		for (Instant now = from; now.isBefore(from.plus(Duration.ofHours(5))); now = now.plusSeconds(60)) {
			assertThat(cron.next(now, from, last)).isAfter(now);
			Instant due = cron.due(now, from, last);
			if (due != null) {
				assertThat(due).isEqualTo(now);
				last = ran(due.toString());
				assertThat(cron.due(now, from, last)).isNull();
			}
		}
		assertThat(last).isNotNull();
	}

	/** As jobs.md says. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Europe/Berlin        | 0 30 2 * * * | 2026-03-29 | 0
			Europe/Berlin        | 0 30 2 * * * | 2026-10-25 | 2
			America/New_York     | 0 30 2 * * * | 2026-03-08 | 0
			America/New_York     | 0 30 1 * * * | 2026-11-01 | 2
			Australia/Lord_Howe  | 0 15 2 * * * | 2026-10-04 | 0
			America/Havana       | 0 0 0 * * *  | 2026-11-01 | 1
			UTC                  | 0 30 2 * * * | 2026-03-29 | 1
			""")
	void anHourThatIsSkippedOrRepeatedHasAsManyTicks(String zone, String expression, LocalDate day, int ticks) {
		Cron cron = new Cron(CronExpression.parse(expression), ZoneId.of(zone));
		Instant from = day.atStartOfDay(cron.zone()).toInstant();
		List<Instant> found = new ArrayList<>();
		for (Instant tick = cron.next(from.minusSeconds(1), from, null); tick
			.isBefore(day.plusDays(1).atStartOfDay(cron.zone()).toInstant()); tick = cron.next(tick, from, null)) {
			found.add(tick);
		}
		assertThat(found).hasSize(ticks);
		boolean regular = cron.nextIrregularDay(from.minus(Duration.ofDays(1))) == null;
		assertThat(regular).isEqualTo(zone.equals("UTC"));
	}

	@Test
	void cronsOfEachHourOrOutsideOfAClockChangeHaveNoIrregularDay() {
		assertThat(new Cron(CronExpression.parse("0 */20 * * * *"), BERLIN).nextIrregularDay(START)).isNull();
		assertThat(new Cron(CronExpression.parse("0 0 4 * * *"), BERLIN).nextIrregularDay(START)).isNull();
	}

	@Test
	void aRateIsCountedFromTheTicksWhoeverRanThem() {
		JobTrigger rate = new JobTrigger.Rate(Duration.ofSeconds(10));
		assertThat(rate.due(START, START, null)).isEqualTo(START);
		assertThat(rate.due(START.minusSeconds(1), START, null)).isNull();
		assertThat(rate.next(START.minusSeconds(1), START, null)).isEqualTo(START);
		assertThat(rate.due(START.plusMillis(9_999), START, ran(START.toString()))).isNull();
		assertThat(rate.next(START.plusMillis(9_999), START, ran(START.toString()))).isEqualTo(START.plusSeconds(10));
		assertThat(rate.due(START.plusMillis(39_999), START, ran(START.toString()))).isEqualTo(START.plusSeconds(30));
	}

	@Test
	void aDelayIsCountedFromTheEnd() {
		JobTrigger delay = new JobTrigger.Delay(Duration.ofSeconds(10));
		JobRun ended = ran(START.toString()).ended(START.plusSeconds(7), JobOutcome.FAILED, null);
		assertThat(delay.due(START, START, null)).isEqualTo(START);
		assertThat(delay.due(START.plusMillis(16_999), START, ended)).isNull();
		assertThat(delay.due(START.plusSeconds(100), START, ended)).isEqualTo(START.plusSeconds(17));
	}

	@Test
	void anEndBeforeTheClockWasSetBackDoesNotHoldUpADelay() {
		JobTrigger delay = new JobTrigger.Delay(Duration.ofSeconds(10));
		JobRun ended = ran(START.toString()).ended(START.plus(Duration.ofDays(1)), JobOutcome.SUCCEEDED, null);
		assertThat(delay.due(START.plusSeconds(10), START, ended)).isEqualTo(START.plusSeconds(10));
	}

	private static JobTrigger cron(String expression) {
		return new JobTrigger.Cron(CronExpression.parse(expression), BERLIN);
	}

	private static JobRun ran(String tick) {
		Instant time = Instant.parse(tick);
		@Nullable JobRun begun = JobRun.begun("job", time, 1, 1, time, "one");
		return begun.ended(time, JobOutcome.SUCCEEDED, null);
	}

}
