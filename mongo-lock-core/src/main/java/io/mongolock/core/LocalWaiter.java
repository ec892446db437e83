package io.mongolock.core;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.core.AcquisitionRequests.LastAnswer;

/**
 * A waiter in the {@link LocalWaitQueues local queue}, as holders and waiters ahead of it
 * see it.
 */
abstract class LocalWaiter implements WaitQueue.Member {

	abstract Attempt attempt();

	/**
	 * The knowledge whether others want the lock after its grant to this waiter.
	 * @return {@code null} if its lease must not be idle
	 */
	abstract @Nullable Recall recall();

	/**
	 * The last answer of the store to this waiter.
	 */
	abstract LastAnswer lastAnswer();

	/**
	 * Others stand in the queue of the store, so its next request enters that queue.
	 */
	abstract void expectQueue();

	/**
	 * Its turn has come, so it must go on.
	 */
	abstract void callTurn();

	/**
	 * It has to give up, because the client stops.
	 */
	abstract void stop();

	/**
	 * A holder of this JVM hands its lock over, unless this waiter has ended. The caller
	 * must pass the turn on in either case.
	 * @param register is given the lock as this waiter holds it; must not block
	 */
	abstract boolean accept(HeldLock from, ClockReading now, Consumer<HeldLock> register);

}
