package io.mongolock.core;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Hands a lock to its next waiter in this JVM without a request to the store. It does so
 * only as long as the streak of this JVM lasts, because other JVMs wait meanwhile. Knows
 * no thread, clock or driver.
 *
 * @param maxTime how long a lock may be handed over after its grant, zero for never
 * @param maxCount how often a lock may be handed over, zero for never
 */
public record HandOver(Duration maxTime, int maxCount) {

	/** Longer than anybody needs, and short enough not to overflow nanoseconds. */
	public static final Duration MAX_TIME = Duration.ofDays(10_000);

	/**
	 * A quarter of a second or a thousand hand-overs.
	 */
	public static final HandOver DEFAULT = new HandOver(Duration.ofMillis(250), 1000);

	/**
	 * Limited so that a streak finds enough fences between the last fence and the clock.
	 */
	public static final int MAX_COUNT = 10_000;

	public HandOver {
		if (maxTime.isNegative() || maxTime.compareTo(MAX_TIME) > 0 || maxCount < 0 || maxCount > MAX_COUNT) {
			throw new IllegalArgumentException("A value of the hand-over is out of range: max-time "
					+ DurationPrinter.print(maxTime) + " (from 0 to " + DurationPrinter.print(MAX_TIME)
					+ "), max-count " + maxCount + " (from 0 to " + MAX_COUNT + ")");
		}
	}

	/**
	 * How many fences a grant has to set aside for a streak.
	 */
	public int reserve() {
		return (this.maxTime.isZero()) ? 0 : this.maxCount;
	}

	/**
	 * Whether a lock may be handed over at all.
	 * @return whether its grant has fences left, its streak has hand-overs left, and
	 * nobody asked to release the lock. If others recalled the lock, other JVMs must have
	 * been waiting since before the grant
	 */
	public boolean mayPass(HeldLock from) {
		return from.fence() < from.grant().lastFence() && from.handOvers() < this.maxCount
				&& from.lease().releaseRequest() == null && (!from.isRecalled() || from.grant().contended());
	}

	/**
	 * {@link ClientQueues#pass Hand} a lock that its holder releases to the next waiter
	 * in the queue, if its streak goes on.
	 * @return whether the lock has been handed over; otherwise it must be released
	 */
	public boolean pass(HeldLock from, ClientQueues queues, ClockReading now, Consumer<HeldLock> register,
			Runnable passed) {
		return mayPass(from) && from.streak().elapsed(now) < this.maxTime.toNanos()
				&& queues.pass(from, now, register, passed);
	}

}
