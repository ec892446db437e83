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
 * The ways in which a {@link LockTemplate} works, beside the store that it asks.
 * Immutable.
 *
 * @param configured what holds where a request says nothing
 * @param owner who asks, for diagnostics
 * @param clock by which all time is measured
 * @param listeners who hears of the locks
 * @param leakDetection what to do about handles that are never closed
 * @param onDeadlock what to do about attempts that wait for each other
 * @param handOver how long locks are handed on within this JVM
 * @param placeTtl how long a place in the queue of a lock counts after its JVM died
 * @param maxPlaces how many places the queue of a lock may have
 * @param callerContext takes along what the thread of a caller carries, for work that
 * begins on another
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
	 * With another way to treat handles that are never closed.
	 */
	public ClientOptions withLeakDetection(LeakDetection leakDetection) {
		return new ClientOptions(this.configured, this.owner, this.clock, this.listeners, leakDetection,
				this.onDeadlock, this.handOver, this.placeTtl, this.maxPlaces, this.callerContext);
	}

	/**
	 * With another way to treat attempts that wait for each other.
	 */
	public ClientOptions withOnDeadlock(OnDeadlock onDeadlock) {
		return new ClientOptions(this.configured, this.owner, this.clock, this.listeners, this.leakDetection,
				onDeadlock, this.handOver, this.placeTtl, this.maxPlaces, this.callerContext);
	}

	/**
	 * With other bounds for what is handed on within this JVM.
	 */
	public ClientOptions withHandOver(HandOver handOver) {
		return new ClientOptions(this.configured, this.owner, this.clock, this.listeners, this.leakDetection,
				this.onDeadlock, handOver, this.placeTtl, this.maxPlaces, this.callerContext);
	}

	/**
	 * With another life of places in queues.
	 */
	public ClientOptions withPlaceTtl(Duration placeTtl) {
		return new ClientOptions(this.configured, this.owner, this.clock, this.listeners, this.leakDetection,
				this.onDeadlock, this.handOver, placeTtl, this.maxPlaces, this.callerContext);
	}

	/**
	 * With another bound for the queue of a lock.
	 */
	public ClientOptions withMaxPlaces(int maxPlaces) {
		return new ClientOptions(this.configured, this.owner, this.clock, this.listeners, this.leakDetection,
				this.onDeadlock, this.handOver, this.placeTtl, maxPlaces, this.callerContext);
	}

	/**
	 * With what the thread of a caller carries, for work that begins on another.
	 */
	public ClientOptions withCallerContext(CallerContext callerContext) {
		return new ClientOptions(this.configured, this.owner, this.clock, this.listeners, this.leakDetection,
				this.onDeadlock, this.handOver, this.placeTtl, this.maxPlaces, callerContext);
	}

	/**
	 * What to do about a handle that was garbage-collected without being closed, whose
	 * lock would otherwise be renewed until the application stops.
	 */
	public enum LeakDetection {

		/**
		 * Nothing.
		 */
		OFF,

		/**
		 * Say once per place in the code where such handles are acquired.
		 */
		WARN,

		/**
		 * Say so, and release the lock.
		 */
		RELEASE

	}

	/**
	 * What to do about attempts that wait for each other.
	 */
	public enum OnDeadlock {

		/**
		 * Say so.
		 */
		WARN,

		/**
		 * Say so, and end the wait whose caller holds the lock that was granted last.
		 */
		FAIL

	}

}
