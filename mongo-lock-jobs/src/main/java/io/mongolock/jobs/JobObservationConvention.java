package io.mongolock.jobs;

import java.util.Locale;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * The key values of the observation {@value #NAME}: {@code name}, the name of the job,
 * and {@code outcome}. The key values {@code attempt} and {@code tick} have a high
 * cardinality. A bean of this type replaces them all.
 */
public interface JobObservationConvention extends ObservationConvention<JobObservationContext> {

	/** From the begin of an attempt until its end is recorded. */
	String NAME = "mongo.lock.job.attempt";

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof JobObservationContext;
	}

	@Override
	default String getName() {
		return NAME;
	}

	@Override
	default String getContextualName(JobObservationContext context) {
		return NAME + " " + context.run().job();
	}

	@Override
	default KeyValues getLowCardinalityKeyValues(JobObservationContext context) {
		JobOutcome outcome = context.run().outcome();
		return KeyValues.of("name", context.run().job(), "outcome",
				(outcome != JobOutcome.RUNNING) ? outcome.name().toLowerCase(Locale.ROOT) : "left");
	}

	@Override
	default KeyValues getHighCardinalityKeyValues(JobObservationContext context) {
		return KeyValues.of("attempt", String.valueOf(context.run().attempt()), "tick",
				context.run().tick().toString());
	}

}
