package io.mongolock.client;

import java.time.Duration;
import java.util.List;

import io.mongolock.LockClock;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.core.QueuePlaces;

/**
 * The options of a {@link LockTemplate}. Immutable.
 *
 * @param configured the settings for all that a request leaves open
 * @param owner the client as others see it, for diagnostics
 * @param clock the clock for all times
 * @param listeners the listeners that learn what happens to the locks
 * @param leakDetection what to do about handles that are never closed
 * @param onDeadlock what to do about attempts that wait for each other
 * @param handOver how long locks are handed over within this JVM
 * @param placeTtl how long a place in the queue of a lock counts after its JVM died
 * @param maxPlaces how many places the queue of a lock may have
 * @param callerContext carries the context of the calling thread to work on another
 * thread
 */
public record ClientOptions(ConfiguredSettings configured, LockOwner owner, LockClock clock,
		List<LockListener> listeners, LeakDetection leakDetection, OnDeadlock onDeadlock, HandOver handOver,
		Duration placeTtl, int maxPlaces, CallerContext callerContext) {

	private static final Duration PLACE_TTL = Duration.ofSeconds(6);

	/**
	 * The options of a client that warns of leaks and deadlocks, hands locks over, and
	 * keeps its places in queues for six seconds.
	 */
	public ClientOptions(ConfiguredSettings configured, LockOwner owner, LockClock clock,
			List<LockListener> listeners) {
		this(configured, owner, clock, listeners, LeakDetection.WARN, OnDeadlock.WARN, HandOver.DEFAULT, PLACE_TTL,
				QueuePlaces.MAX_PLACES, CallerContext.NONE);
	}

	/**
	 * Return a copy with another treatment of handles that are never closed.
	 */
	public ClientOptions withLeakDetection(LeakDetection leakDetection) {
		return new ClientOptions(this.configured, this.owner, this.clock, this.listeners, leakDetection,
				this.onDeadlock, this.handOver, this.placeTtl, this.maxPlaces, this.callerContext);
	}

	/**
	 * Return a copy with another treatment of attempts that wait for each other.
	 */
	public ClientOptions withOnDeadlock(OnDeadlock onDeadlock) {
		return new ClientOptions(this.configured, this.owner, this.clock, this.listeners, this.leakDetection,
				onDeadlock, this.handOver, this.placeTtl, this.maxPlaces, this.callerContext);
	}

	/**
	 * Return a copy with other bounds for hand-overs within this JVM.
	 */
	public ClientOptions withHandOver(HandOver handOver) {
		return new ClientOptions(this.configured, this.owner, this.clock, this.listeners, this.leakDetection,
				this.onDeadlock, handOver, this.placeTtl, this.maxPlaces, this.callerContext);
	}

	/**
	 * Return a copy with another ttl of places in queues.
	 */
	public ClientOptions withPlaceTtl(Duration placeTtl) {
		return new ClientOptions(this.configured, this.owner, this.clock, this.listeners, this.leakDetection,
				this.onDeadlock, this.handOver, placeTtl, this.maxPlaces, this.callerContext);
	}

	/**
	 * Return a copy with another bound for the queue of a lock.
	 */
	public ClientOptions withMaxPlaces(int maxPlaces) {
		return new ClientOptions(this.configured, this.owner, this.clock, this.listeners, this.leakDetection,
				this.onDeadlock, this.handOver, this.placeTtl, maxPlaces, this.callerContext);
	}

	/**
	 * Return a copy that carries another context of the calling thread to work on another
	 * thread.
	 */
	public ClientOptions withCallerContext(CallerContext callerContext) {
		return new ClientOptions(this.configured, this.owner, this.clock, this.listeners, this.leakDetection,
				this.onDeadlock, this.handOver, this.placeTtl, this.maxPlaces, callerContext);
	}

	/**
	 * The choices for a handle that was garbage-collected without being closed. Without a
	 * release, its lock would be renewed until the application stops.
	 */
	public enum LeakDetection {

		/**
		 * Do nothing.
		 */
		OFF,

		/**
		 * Log a warning once for each place in the code that acquires such handles.
		 */
		WARN,

		/**
		 * Log the warning, and release the lock.
		 */
		RELEASE

	}

	/**
	 * The choices for attempts that wait for each other.
	 */
	public enum OnDeadlock {

		/**
		 * Report the deadlock.
		 */
		WARN,

		/**
		 * Report the deadlock, and end the wait of the caller whose lock was granted
		 * last.
		 */
		FAIL

	}

}
