package io.mongolock.jobs;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.springframework.context.event.EventListener;

/**
 * Meters of the jobs. Thread-safe.
 */
final class JobMeters {

	private final MeterRegistry registry;

	JobMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	@EventListener
	void on(JobRunEvent.Ended event) {
		JobRun run = event.run();
		Timer.builder("mongo.lock.job.runs")
			.description("Ticks of jobs, and how long their runs took")
			.tag("job", run.job())
			.tag("outcome", run.outcome().name().toLowerCase(Locale.ROOT))
			.register(this.registry)
			.record(Duration.between(run.startedAt(), Objects.requireNonNull(run.endedAt())));
	}

}
