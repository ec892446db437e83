package io.mongolock.test.proxy;

import java.util.function.IntFunction;

/**
 * A fault whose number of times must still be set. Until then, it does not happen.
 */
public final class FaultCount {

	private final IntFunction<Fault> arm;

	FaultCount(IntFunction<Fault> arm) {
		this.arm = arm;
	}

	/**
	 * Let it happen to the next matching request.
	 * @return the fault in force
	 */
	public Fault once() {
		return times(1);
	}

	/**
	 * Let it happen to the next matching requests.
	 * @param times how many, at least 1
	 * @return the fault in force
	 */
	public Fault times(int times) {
		if (times < 1) {
			throw new IllegalArgumentException("A fault must happen at least once, not " + times + " times");
		}
		return this.arm.apply(times);
	}

	/**
	 * Let it happen to all matching requests, until it is disarmed or cleared.
	 * @return the fault in force
	 */
	public Fault always() {
		return times(Integer.MAX_VALUE);
	}

}
