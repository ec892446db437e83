package io.mongolock.event;

import java.time.Duration;
import java.time.Instant;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.core.ClockReading;
import io.mongolock.store.StoreServers;

/**
 * Notices from the answers to claims when the store's clock steps, or another member with
 * another clock leads: the time between two answers, by the store's clock, is more or
 * less than either clock of this machine allows. Thread-safe; the last sample is guarded
 * by the watch's own monitor.
 */
final class StoreClockStepWatch {

	private static final Log logger = LogFactory.getLog(StoreClockStepWatch.class);

	/** Steps by less are reported only if the margin is less. */
	private static final long TOLERATED_MILLIS = 1000;

	/**
	 * For each millisecond of drift, how many may pass: 500 ppm, the most by which NTP
	 * slews a clock. Both clocks of a machine drift alike.
	 */
	private static final long MILLIS_PER_DRIFT = 2000;

	private final Listeners listeners;

	private final Instruments instruments;

	private final StoreServers servers;

	private @Nullable Sample last;

	/**
	 * Create a watch.
	 */
	StoreClockStepWatch(Listeners listeners, Instruments instruments, StoreServers servers) {
		this.listeners = listeners;
		this.instruments = instruments;
		this.servers = servers;
		servers.onClockOff((server, offset) -> {
			instruments.measure((instrument) -> instrument.serverClock(server, offset));
			listeners.publish((listener) -> listener.onServerClockOff(server, offset));
		});
	}

	/**
	 * An answer of the store has its time.
	 * @param margin what the lease that was asked for allows for
	 */
	void observe(Instant store, ClockReading requested, ClockReading answered, Duration margin) {
		Sample sample = new Sample(store.toEpochMilli(), requested, answered,
				this.servers.primaryAddress().orElse(null));
		Sample before = next(sample);
		this.instruments.measure((instrument) -> instrument.storeClock(sample.aheadOfHere()));
		long step = (before != null) ? sample.stepSince(before) : 0;
		long drift = (before != null) ? sample.mostSince(before) / MILLIS_PER_DRIFT : 0;
		if (Math.abs(step) > Math.min(margin.toMillis(), TOLERATED_MILLIS) + drift) {
			logger.warn(describe(step, sample.serverSince(before)));
			Duration stepped = Duration.ofMillis(step);
			this.listeners.publish((listener) -> listener.onStoreClockStepped(stepped));
		}
	}

	private static String describe(long step, String server) {
		if (step < 0) {
			return "The clock of the store" + server + " stepped back by " + -step
					+ "ms compared with both clocks of this machine, or this machine's clocks run fast. Because of "
					+ "this step, callers wait longer for the locks of dead holders";
		}
		return "The clock of the store" + server + " stepped ahead by " + step
				+ "ms compared with both clocks of this machine, or this machine stood still, or its clocks run slow. "
				+ "A lock whose margin is shorter than this step may have two holders until the next renewal. Only the "
				+ "fence tells the two holders apart";
	}

	private synchronized @Nullable Sample next(Sample sample) {
		Sample before = this.last;
		this.last = sample;
		return before;
	}

	/**
	 * The store's time, and when it was that.
	 *
	 * @param store the store's time in milliseconds
	 * @param earliest a moment before it
	 * @param latest a moment after it
	 * @param server whose time it is, as far as known
	 */
	private record Sample(long store, ClockReading earliest, ClockReading latest, @Nullable String server) {

		// From the middle of the time in which the store may have read it
		Duration aheadOfHere() {
			return Duration.ofMillis(this.store - (this.earliest.millis() + this.latest.millis()) / 2);
		}

		// How far the store's clock is off what both clocks here allow, in milliseconds
		long stepSince(Sample before) {
			long passed = this.store - before.store;
			long most = mostSince(before);
			long least = Math.min(nanosToMillis(this.earliest.nanos() - before.latest.nanos()),
					this.earliest.millis() - before.latest.millis());
			return (passed > most) ? passed - most : Math.min(0, passed - least);
		}

		// The longer of what both clocks here allow, in milliseconds; one alone may have
		// stepped back
		long mostSince(Sample before) {
			return Math.max(nanosToMillis(this.latest.nanos() - before.earliest.nanos()),
					this.latest.millis() - before.earliest.millis());
		}

		String serverSince(@Nullable Sample before) {
			if (this.server == null) {
				return "";
			}
			String earlier = (before != null) ? before.server : null;
			return " (" + this.server
					+ ((earlier != null && !earlier.equals(this.server)) ? ", before that " + earlier : "") + ")";
		}

		private static long nanosToMillis(long nanos) {
			return nanos / 1_000_000;
		}

	}

}
