package io.mongolock.interceptor;

import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Runs a method under each of its locks whose condition holds, or without a lock if no
 * condition holds. All conditions are evaluated before any key.
 *
 * @param locks the declared locks
 * @param conditions evaluates their conditions
 * @param all runs the method under all locks
 * @param some makes the execution that runs the method under some of several locks
 * @param without runs the method without a lock
 */
record ConditionalExecution(List<LockOperation> locks, LockKeyEvaluator conditions, LockedExecution all,
		Function<List<LockOperation>, LockedExecution> some, LockedExecution without) implements LockedExecution {

	@Override
	public @Nullable Object run(LockedCall call) throws Throwable {
		List<LockOperation> wanted = this.locks.stream().filter((lock) -> this.conditions.holds(lock, call)).toList();
		return under(wanted).run(call);
	}

	private LockedExecution under(List<LockOperation> wanted) {
		if (wanted.size() == this.locks.size()) {
			return this.all;
		}
		return (wanted.isEmpty()) ? this.without : this.some.apply(wanted);
	}

}
