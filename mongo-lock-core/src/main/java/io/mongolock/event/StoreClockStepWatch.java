package io.mongolock.event;

import java.time.Duration;
import java.time.Instant;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.mongolock.core.ClockReading;
import io.mongolock.store.StoreServers;

/**
 * Notices in the answers to claims that the store's clock stepped, or that another member
 * with another clock became the primary. By the store's clock, the time between two
 * answers is then longer or shorter than either clock of this machine allows.
 * Thread-safe: the watch's own monitor guards the last sample.
 */
final class StoreClockStepWatch {

	private static final Log logger = LogFactory.getLog(StoreClockStepWatch.class);

	/** Smaller steps are reported only if the margin is smaller than this. */
	private static final long TOLERATED_MILLIS = 1000;

	/**
	 * In how many milliseconds the clocks may drift by one millisecond: 500 ppm, the most
	 * by which NTP slews a clock. Both clocks of a machine drift alike.
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
	 * Check the time in an answer of the store.
	 * @param margin the margin of the lease that was asked for
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
					+ "ms, or this machine's clocks run fast. Because of this step, callers wait longer for the locks "
					+ "of dead holders";
		}
		return "The clock of the store" + server + " stepped ahead by " + step
				+ "ms, or this machine stood still, or this machine's clocks run slow. "
				+ "A lock whose margin is shorter than this step may have two holders until the next renewal. Only the "
				+ "fence tells the two holders apart";
	}

	private synchronized @Nullable Sample next(Sample sample) {
		Sample before = this.last;
		this.last = sample;
		return before;
	}

	/**
	 * A time of the store, with readings of the clocks here.
	 *
	 * @param store the store's time in milliseconds
	 * @param earliest a moment before the store's time
	 * @param latest a moment after the store's time
	 * @param server the server whose time it is, {@code null} if unknown
	 */
	private record Sample(long store, ClockReading earliest, ClockReading latest, @Nullable String server) {

		// The store may have read its clock at any time between the two readings, so
		// compare with their middle
		Duration aheadOfHere() {
			return Duration.ofMillis(this.store - (this.earliest.millis() + this.latest.millis()) / 2);
		}

		// How far the store's clock is outside of the range that both clocks here allow,
		// in milliseconds
		long stepSince(Sample before) {
			long passed = this.store - before.store;
			long most = mostSince(before);
			long least = Math.min(nanosToMillis(this.earliest.nanos() - before.latest.nanos()),
					this.earliest.millis() - before.latest.millis());
			return (passed > most) ? passed - most : Math.min(0, passed - least);
		}

		// The longer of the times that the two clocks here allow, in milliseconds. One of
		// the clocks may have stepped back
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
