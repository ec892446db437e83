package io.mongolock.concurrent;

import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.mongolock.concurrent.ThreadState.Captured;
import io.mongolock.event.LockInstrumentation.Scope;

/**
 * What the thread of a caller carries, for work that begins later on another. Chosen once
 * per client. Thread-safe.
 */
public final class CallerContext {

	/** Carries nothing. */
	public static final CallerContext NONE = new CallerContext(List.of(), UnaryOperator.identity());

	private final List<ThreadState> states;

	private final UnaryOperator<Runnable> decorator;

	/**
	 * Create a context.
	 * @param decorator gives a task, on the thread of the caller, what the application
	 * carries in its own way; what that leaves behind on the thread that runs the task
	 * harms nobody only on threads of the library
	 */
	public CallerContext(List<ThreadState> states, UnaryOperator<Runnable> decorator) {
		this.states = List.copyOf(states);
		this.decorator = decorator;
	}

	/**
	 * Take what the current thread carries, for any thread. The decorator has no part in
	 * this.
	 */
	public Captured capture() {
		List<Captured> all = this.states.stream().map(ThreadState::capture).toList();
		return new Captured() {

			@Override
			public Scope replace() {
				return open(all, Captured::replace);
			}

			@Override
			public Scope complete() {
				return open(all, Captured::complete);
			}

		};
	}

	/**
	 * Take what the current thread carries, for one task on a thread of the library.
	 */
	public Carried carry() {
		return new Carried(capture(), this.decorator);
	}

	private static Scope open(List<Captured> all, Function<Captured, Scope> opening) {
		Scope scope = Scope.NONE;
		try {
			for (Captured captured : all) {
				Scope outer = scope;
				Scope inner = opening.apply(captured);
				scope = (inner == Scope.NONE) ? outer : () -> closeBoth(inner, outer);
			}
			return scope;
		}
		catch (RuntimeException | Error ex) {
			scope.close();
			throw ex;
		}
	}

	@SuppressWarnings("try") // closing is what the resources are for
	private static void closeBoth(Scope inner, Scope outer) {
		try (outer; inner) {
			// Also if one of them fails
		}
	}

	/**
	 * What is begun elsewhere than where it was asked for.
	 *
	 * @param <T> what it results in
	 */
	@FunctionalInterface
	public interface Task<T extends @Nullable Object> {

		/**
		 * Run it.
		 * @throws Throwable whatever it throws
		 */
		T call() throws Throwable;

	}

	/**
	 * What a thread carried, for one task. Handed from thread to thread.
	 */
	public static final class Carried {

		private final Captured captured;

		private final Runnable decorated;

		private @Nullable Task<?> task;

		private @Nullable Object result;

		private @Nullable Throwable failure;

		private Carried(Captured captured, UnaryOperator<Runnable> decorator) {
			this.captured = captured;
			this.decorated = decorator.apply(this::run);
		}

		/**
		 * Run the task on the current thread, once.
		 * @throws Throwable what it threw, or why it could not be run
		 */
		@SuppressWarnings({ "unchecked", "try", "NullAway" }) // the result is the task's
		public <T extends @Nullable Object> T call(Task<T> task) throws Throwable {
			this.task = task;
			try (Scope carried = this.captured.replace()) {
				this.decorated.run();
			}
			catch (RuntimeException | Error ex) {
				if (this.task != null) {
					throw ex;
				}
				// The task has run, and its end is what counts; as in an executor
				Thread current = Thread.currentThread();
				current.getUncaughtExceptionHandler().uncaughtException(current, ex);
			}
			if (this.task != null) {
				throw new IllegalStateException("Not run by the TaskDecorator beans, or not at once: " + task
						+ ". A TaskDecorator has to run the task that it was given, on the thread that calls it");
			}
			if (this.failure != null) {
				throw this.failure;
			}
			return (T) this.result;
		}

		private void run() {
			Task<?> task = this.task;
			if (task == null) {
				return;
			}
			this.task = null;
			try {
				this.result = task.call();
			}
			catch (Throwable ex) {
				this.failure = ex;
			}
		}

	}

}
