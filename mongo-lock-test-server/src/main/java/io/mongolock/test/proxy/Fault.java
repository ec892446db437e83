package io.mongolock.test.proxy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * A fault that is in force. Thread-safe.
 */
public final class Fault {

	private final Predicate<Command> condition;

	private final Action action;

	private final int times;

	private final AtomicInteger applied = new AtomicInteger();

	private volatile boolean disarmed;

	Fault(Predicate<Command> condition, Action action, int times) {
		this.condition = condition;
		this.action = action;
		this.times = times;
	}

	/**
	 * The number of requests that it has affected so far.
	 * @return the number, counted when the request is seen
	 */
	public int applied() {
		return this.applied.get();
	}

	/**
	 * Let later requests pass. Held requests stay held.
	 */
	public void disarm() {
		this.disarmed = true;
	}

	Action action() {
		return this.action;
	}

	/**
	 * Whether it affects a command; if so, the command is counted.
	 * @param command the command
	 * @return whether its action must be taken
	 */
	boolean takes(Command command) {
		if (this.disarmed || applied() >= this.times || !this.condition.test(command)) {
			return false;
		}
		return this.applied.getAndUpdate((count) -> Math.min(count + 1, this.times)) < this.times;
	}

}
