package io.mongolock.core;

import java.time.Duration;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Hands a lock to the next one who waits for it in this JVM, with no request to the
 * store, as long as the streak of this JVM lasts: other JVMs wait meanwhile. Decides;
 * knows no thread, clock or driver.
 *
 * @param maxTime how long a lock may be handed on after its grant, zero for never
 * @param maxCount how often it may be handed on, zero for never
 */
public record HandOver(Duration maxTime, int maxCount) {

	/** Far beyond any use, far below what overflows nanoseconds. */
	public static final Duration MAX_TIME = Duration.ofDays(10_000);

	/**
	 * A quarter of a second or a thousand holders.
	 */
	public static final HandOver DEFAULT = new HandOver(Duration.ofMillis(250), 1000);

	/** So that a streak finds as many fences between the last one and the clock. */
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
	 * @return whether its grant set aside more fences than were given out, and nobody
	 * asked to release it, or recalled it without waiting since before the grant
	 */
	public boolean mayPass(HeldLock from) {
		return from.fence() < from.grant().lastFence() && from.handOvers() < this.maxCount
				&& from.lease().releaseRequest() == null && (!from.isRecalled() || from.grant().contended());
	}

	/**
	 * Hand a lock that its holder releases to the next one in the queue, if there is one
	 * that it suits.
	 * @param register is given the lock as the next one holds it, before that knows; must
	 * not block, nor call what users wrote
	 * @param passed is run when it has been handed over, before the next one goes on
	 * @return whether it has been handed over; if not, it is to be released
	 */
	public boolean pass(HeldLock from, ClientQueues queues, ClockReading now, Consumer<HeldLock> register,
			Runnable passed) {
		if (!mayPass(from, now)) {
			return false;
		}
		for (LocalWaiter next = next(from, queues, now); next != null; next = next(from, queues, now)) {
			try {
				if (next.accept(from, now, register)) {
					passed.run();
					return true;
				}
			}
			finally {
				// If it did not get the lock, it asks for it
				ClientQueues.wake(next);
			}
		}
		return false;
	}

	private @Nullable LocalWaiter next(HeldLock from, ClientQueues queues, ClockReading now) {
		return queues.successor(from, (next) -> from.suits(next.attempt(), now));
	}

	private boolean mayPass(HeldLock from, ClockReading now) {
		return mayPass(from) && from.streak().elapsed(now) < this.maxTime.toNanos();
	}

}
