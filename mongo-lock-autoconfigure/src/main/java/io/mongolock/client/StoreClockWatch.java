package io.mongolock.client;

import java.time.Duration;
import java.time.Instant;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.core.ClockReading;

/**
 * Notices from the answers to claims when the store's clock steps, or another member with
 * another clock leads: the time between two answers, as the store tells it, is more or
 * less than either clock of this machine allows. Thread-safe; the last sample is guarded
 * by the watch's own monitor.
 */
final class StoreClockWatch {

	private static final Log logger = LogFactory.getLog(StoreClockWatch.class);

	/** Steps by less are told only if the margin is less. */
	private static final long TOLERATED_MILLIS = 1000;

	private final LockEvents events;

	private @Nullable Sample last;

	StoreClockWatch(LockEvents events) {
		this.events = events;
	}

	/**
	 * The store told its time.
	 * @param store its time
	 * @param requested when it was asked
	 * @param answered when its answer came
	 * @param margin what the lease that was asked for allows for
	 */
	void observe(Instant store, ClockReading requested, ClockReading answered, Duration margin) {
		long step = next(new Sample(store.toEpochMilli(), requested, answered));
		if (Math.abs(step) > Math.min(margin.toMillis(), TOLERATED_MILLIS)) {
			logger.warn(describe(step));
			Duration told = Duration.ofMillis(step);
			this.events.publish((listener) -> listener.onStoreClockStepped(told));
		}
	}

	private static String describe(long step) {
		if (step < 0) {
			return "The clock of the store stepped back by " + -step
					+ "ms against both clocks of this machine: locks of holders that died are taken over later by that";
		}
		return "The clock of the store stepped ahead by " + step
				+ "ms against both clocks of this machine, or this machine stood still: locks whose margin is shorter "
				+ "may have two holders until their next renewal, which only the fence tells apart";
	}

	private synchronized long next(Sample sample) {
		Sample before = this.last;
		this.last = sample;
		return (before != null) ? sample.stepSince(before) : 0;
	}

	/**
	 * The store's time, and when it was that.
	 *
	 * @param store the store's time in milliseconds
	 * @param earliest a moment before it
	 * @param latest a moment after it
	 */
	private record Sample(long store, ClockReading earliest, ClockReading latest) {

		// How far the store's clock is off what both clocks here allow, in milliseconds
		long stepSince(Sample before) {
			long passed = this.store - before.store;
			long most = Math.max(nanosToMillis(this.latest.nanos() - before.earliest.nanos()),
					this.latest.millis() - before.earliest.millis());
			long least = Math.min(nanosToMillis(this.earliest.nanos() - before.latest.nanos()),
					this.earliest.millis() - before.latest.millis());
			return (passed > most) ? passed - most : Math.min(0, passed - least);
		}

		private static long nanosToMillis(long nanos) {
			return nanos / 1_000_000;
		}

	}

}
