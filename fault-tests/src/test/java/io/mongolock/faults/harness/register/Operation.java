package io.mongolock.faults.harness.register;

import org.jspecify.annotations.Nullable;

/**
 * What one client did to a register. It took effect at one moment between its call and
 * its return, both included.
 *
 * @param <S> what the register stands at
 */
interface Operation<S> {

	/** When an operation returns whose answer is not known: it may have no effect. */
	long NEVER = Long.MAX_VALUE;

	long calledNanos();

	long returnedNanos();

	/**
	 * What the register stands at afterwards.
	 * @param state what it stands at before
	 * @return {@code null} if the register does not answer so then
	 */
	@Nullable S apply(S state);

}
