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
	 * Take what the current thread carries, but for what the decorator does, for other
	 * threads of the application.
	 */
	public Captured capture() {
		List<Captured> captured = this.states.stream().map(ThreadState::capture).toList();
		return new Captured() {

			@Override
			public Scope replace() {
				return open(captured, Captured::replace);
			}

			@Override
			public Scope complete() {
				return open(captured, Captured::complete);
			}

		};
	}

	/**
	 * Let a task take along what the current thread carries. Whatever a state or the
	 * decorator throws is thrown.
	 * @return runs the task with that, and nothing else, on a thread of the library; to
	 * be called once, as tasks of executors are. Throws what the task threw, or why it
	 * could not be run.
	 */
	public <A, T extends @Nullable Object> Task<A, T> carry(Task<A, T> task) {
		Captured captured = capture();
		Run<A, T> run = new Run<>(task);
		Runnable decorated = this.decorator.apply(run);
		return (argument) -> {
			run.argument = argument;
			run(run, decorated, captured);
			return run.result();
		};
	}

	@SuppressWarnings("try") // closing is what the resource is for
	private static void run(Run<?, ?> run, Runnable decorated, Captured captured) {
		try (Scope carried = captured.replace()) {
			decorated.run();
		}
		catch (RuntimeException | Error ex) {
			if (!run.begun) {
				throw ex;
			}
			// The task has run, and its end is what counts; as in an executor
			Thread current = Thread.currentThread();
			current.getUncaughtExceptionHandler().uncaughtException(current, ex);
		}
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
	 * Work that begins on another thread than the one that asked for it.
	 *
	 * @param <A> what it is given when it begins
	 * @param <T> what it results in
	 */
	@FunctionalInterface
	public interface Task<A, T extends @Nullable Object> {

		/**
		 * Run it.
		 * @throws Throwable whatever it throws
		 */
		T call(A argument) throws Throwable;

	}

	/** The run of a task. Used by one thread. */
	private static final class Run<A, T extends @Nullable Object> implements Runnable {

		private final Task<A, T> task;

		private @Nullable A argument;

		private boolean begun;

		private @Nullable T result;

		private @Nullable Throwable failure;

		private Run(Task<A, T> task) {
			this.task = task;
		}

		@Override
		public void run() {
			A argument = this.argument;
			if (this.begun || argument == null) {
				return;
			}
			this.begun = true;
			try {
				this.result = this.task.call(argument);
			}
			catch (Throwable ex) {
				this.failure = ex;
			}
		}

		@SuppressWarnings("NullAway") // null only if T may be
		private T result() throws Throwable {
			if (!this.begun) {
				throw new IllegalStateException("Not run by the TaskDecorator beans, or not at once. A TaskDecorator "
						+ "has to run the task that it was given, on the thread that calls it");
			}
			if (this.failure != null) {
				throw this.failure;
			}
			return this.result;
		}

	}

}
