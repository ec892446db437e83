package io.mongolock.jobs;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import org.springframework.context.event.EventListener;

/**
 * Meters of the jobs. Thread-safe.
 */
final class JobMeters implements JobScheduler.Watch {

	/** Not {@code job}, because Prometheus uses this label for the scraped target. */
	private static final String NAME = "name";

	private final MeterRegistry registry;

	JobMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void added(String job, DoubleSupplier overdue) {
		TimeGauge.builder("mongo.lock.job.overdue", overdue::getAsDouble, TimeUnit.SECONDS)
			.description("Time since the first tick that had no successful run")
			.tag(NAME, job)
			.register(this.registry);
	}

	@Override
	public void removed(String job) {
		this.registry.find("mongo.lock.job.overdue").tag(NAME, job).meters().forEach(this.registry::remove);
	}

	@EventListener
	void on(JobRunEvent.Ended event) {
		JobRun run = event.run();
		Timer.builder("mongo.lock.job.runs")
			.description("Job ticks that this instance ran or recorded as missed, and how long each run took")
			.tag(NAME, run.job())
			.tag("outcome", run.outcome().name().toLowerCase(Locale.ROOT))
			.register(this.registry)
			.record(Duration.between(run.startedAt(), Objects.requireNonNull(run.endedAt())));
	}

}
