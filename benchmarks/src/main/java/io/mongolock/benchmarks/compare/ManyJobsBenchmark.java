package io.mongolock.benchmarks.compare;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.event.EventListener;

import io.mongolock.benchmarks.MeasuredServer;
import io.mongolock.benchmarks.Table;
import io.mongolock.jobs.JobRunEvent;
import io.mongolock.jobs.JobSchedule;
import io.mongolock.jobs.Jobs;

/**
 * Many jobs that do nothing in two instances of one JVM, which are due at the seconds of
 * their period in turn. The arguments are the number of jobs, how many minutes count
 * (after half a minute that does not), and the period in seconds, which divides 60.
 */
public final class ManyJobsBenchmark {

	private static final Duration WARM_UP = Duration.ofSeconds(30);

	private ManyJobsBenchmark() {
	}

	public static void main(String[] args) throws InterruptedException {
		int jobs = JobBenchmark.argument(args, 0, 500);
		int minutes = JobBenchmark.argument(args, 1, 10);
		int period = JobBenchmark.argument(args, 2, 10);
		System.out.println(Machine.describe());
		Begins begins = new Begins();
		try (MeasuredServer server = MeasuredServer.start();
				JobSubject subject = JobSubject.ours(server.uri(), "many", begins, 2, Scheduled.class,
						"benchmark.jobs=" + jobs, "benchmark.period=" + period)) {
			Instant from = Instant.now().plus(WARM_UP).truncatedTo(ChronoUnit.MINUTES).plusSeconds(60);
			await(from.minusMillis(500));
			long before = subject.statements();
			long notRun = begins.ticksNotRun();
			Instant until = from.plus(Duration.ofMinutes(minutes));
			await(until.minusMillis(500));
			long statements = subject.statements() - before;
			// Late begins are seen, too
			await(until.plusSeconds(2));
			report(jobs, minutes, period, begins.millisLate(from, until), statements, begins.ticksNotRun() - notRun,
					begins.twice());
		}
	}

	private static void await(Instant time) throws InterruptedException {
		TimeUnit.NANOSECONDS.sleep(Duration.between(Instant.now(), time).toNanos());
	}

	private static void report(int jobs, int minutes, int period, List<Double> late, long statements, long notRun,
			long twice) {
		Table table = new Table("%d jobs every %d s, two instances, %d minutes".formatted(jobs, period, minutes),
				"what", "figure");
		table.add("runs a second", late.size() / (60.0 * minutes));
		table.add("from the tick to the begin of the work, p50, ms", Begins.percentile(late, 0.5));
		table.add("p99, ms", Begins.percentile(late, 0.99));
		table.add("the latest, ms", Begins.percentile(late, 1));
		table.add("ticks late by more than a second", late.stream().filter((millis) -> millis > 1000).count());
		table.add("ticks without a run", jobs * minutes * (60L / period) - late.size());
		table.add("records of ticks that were not run", notRun);
		table.add("ticks run twice", twice);
		table.add("statements a run", statements / (double) late.size());
		System.out.print(table.toMarkdown());
	}

	static final class Scheduled {

		private final Begins begins;

		Scheduled(Jobs scheduler, Begins begins, @Value("${benchmark.jobs}") int jobs,
				@Value("${benchmark.period}") int period) {
			this.begins = begins;
			for (int job = 0; job < jobs; job++) {
				String cron = "%d/%d * * * * *".formatted(job % period, period);
				scheduler.schedule("job-" + job, JobSchedule.cron(cron, ZoneOffset.UTC),
						(run) -> begins.begun(run.job(), run.tick()));
			}
		}

		@EventListener
		void on(JobRunEvent.Ended event) {
			if (event.run().attempt() == 0) {
				this.begins.notRun();
			}
		}

	}

}
