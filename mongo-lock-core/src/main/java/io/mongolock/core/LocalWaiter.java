package io.mongolock.core;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.core.AcquisitionRequests.LastAnswer;

/**
 * Somebody in the {@link LocalWaitQueues local queue}, as those see it who are ahead of
 * it there.
 */
abstract class LocalWaiter implements WaitQueue.Member {

	abstract Attempt attempt();

	/**
	 * Whether others want the lock once this one has it.
	 * @return {@code null} if its lease is never idle
	 */
	abstract @Nullable Recall recall();

	/**
	 * What the store said to it last.
	 */
	abstract LastAnswer lastAnswer();

	/**
	 * Others stand in the queue of the store: its next request enters that.
	 */
	abstract void expectQueue();

	/**
	 * Its turn has come: it is to go on.
	 */
	abstract void callTurn();

	/**
	 * It has to give up, as the client stops.
	 */
	abstract void stop();

	/**
	 * A holder of this JVM hands its lock over, unless this one has ended. The turn is to
	 * be passed on in either case.
	 * @param register is given what this one holds; must not block
	 */
	abstract boolean accept(HeldLock from, ClockReading now, Consumer<HeldLock> register);

}
