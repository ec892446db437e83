package io.mongolock.interceptor;

import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Runs a method under those of its locks whose condition holds, evaluated before any key;
 * without a lock if none does.
 *
 * @param locks what was declared
 * @param conditions evaluates their conditions
 * @param execution runs the method under some of them
 * @param without runs it under none
 */
record ConditionalExecution(List<LockOperation> locks, LockKeyEvaluator conditions,
		Function<List<LockOperation>, LockedExecution> execution, LockedExecution without) implements LockedExecution {

	@Override
	public @Nullable Object run(LockedCall call) throws Throwable {
		List<LockOperation> wanted = this.locks.stream().filter((lock) -> this.conditions.holds(lock, call)).toList();
		return ((wanted.isEmpty()) ? this.without : this.execution.apply(wanted)).run(call);
	}

}
