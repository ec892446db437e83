package io.mongolock.concurrent;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.mongolock.concurrent.ThreadState.Captured;
import io.mongolock.event.LockInstrumentation.Scope;

/**
 * Carries the context of a caller's thread to work that begins later on another thread.
 * It is chosen once per client. Thread-safe.
 */
public final class CallerContext {

	/** Carries no context. */
	public static final CallerContext NONE = new CallerContext(List.of(), UnaryOperator.identity());

	private final Supplier<List<ThreadState>> states;

	private final UnaryOperator<Runnable> decorator;

	/**
	 * The decorated relay of an earlier caller, while the current thread has the context
	 * of this caller.
	 */
	private final ThreadLocal<@Nullable Relay> called = new ThreadLocal<>();

	/**
	 * Create a context.
	 * @param decorator decorates a task on the thread of the caller, for the context that
	 * the application carries in its own way. It may leave context behind on the thread
	 * that runs the task, which is harmless only on threads of the library
	 */
	public CallerContext(List<ThreadState> states, UnaryOperator<Runnable> decorator) {
		this(() -> states, decorator);
	}

	/**
	 * Create a context.
	 * @param states is asked whenever work begins, and always returns the same states
	 * @param decorator decorates a task, as in the other constructor
	 */
	public CallerContext(Supplier<List<ThreadState>> states, UnaryOperator<Runnable> decorator) {
		this.states = states;
		this.decorator = decorator;
	}

	/**
	 * Take the context of the current thread.
	 */
	public Carried carry() {
		Relay before = this.called.get();
		return new Carried(this.states.get().stream().map(ThreadState::capture).toList(),
				(before != null) ? before : new Relay(this.decorator));
	}

	/**
	 * Let work begin on the current thread. This work is the caller of everything that it
	 * calls, even while the thread has the context of another caller.
	 * @return the scope, which the same thread must close
	 */
	public Scope begin() {
		Relay before = this.called.get();
		this.called.remove();
		return () -> this.called.set(before);
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

	@SuppressWarnings("try") // the resources are there only to be closed
	private static void closeBoth(Scope inner, Scope outer) {
		try (outer; inner) {
			// Both are closed, even if one of them fails
		}
	}

	/**
	 * Work that begins on another thread than the thread that asked for it.
	 *
	 * @param <T> the type of the result
	 */
	@FunctionalInterface
	public interface Task<T extends @Nullable Object> {

		/**
		 * Run the task.
		 * @throws Throwable any exception of the task
		 */
		T call() throws Throwable;

	}

	/**
	 * The context that was taken from a thread. Thread-safe.
	 */
	public final class Carried {

		private final List<Captured> captured;

		private final Relay relay;

		private Carried(List<Captured> captured, Relay relay) {
			this.captured = captured;
			this.relay = relay;
		}

		/**
		 * Complete the context of the current thread: the thread keeps its own context,
		 * and gets from this context what it lacks. The thread may belong to the
		 * application, so the decorator does not change it. If a context is taken from
		 * this thread meanwhile, it includes what the decorator took from this caller.
		 * @return the scope, which the same thread must close
		 */
		public Scope complete() {
			Scope completed = open(this.captured, Captured::complete);
			Relay before = CallerContext.this.called.get();
			CallerContext.this.called.set(this.relay);
			return () -> closeBoth(() -> CallerContext.this.called.set(before), completed);
		}

		/**
		 * Run a task with this context alone, on the current thread, which belongs to the
		 * library.
		 * @throws Throwable the exception of the task, or the reason why the task could
		 * not be run
		 */
		@SuppressWarnings("try") // the resource is there only to be closed
		public <T extends @Nullable Object> T call(Task<T> task) throws Throwable {
			Run<T> run = new Run<>(task);
			try (Scope carried = open(this.captured, Captured::replace)) {
				this.relay.pass(run);
			}
			catch (RuntimeException | Error ex) {
				if (!run.begun) {
					throw ex;
				}
				// The task has run, so its outcome counts, and this failure goes to the
				// handler, as in an executor
				Thread current = Thread.currentThread();
				current.getUncaughtExceptionHandler().uncaughtException(current, ex);
			}
			return run.result();
		}

	}

	/** Decorated once, on the thread of a caller, and run for each subscription. */
	private static final class Relay {

		private final ThreadLocal<@Nullable Runnable> run = new ThreadLocal<>();

		private final Runnable decorated;

		private Relay(UnaryOperator<Runnable> decorator) {
			this.decorated = decorator.apply(this::run);
		}

		private void pass(Runnable run) {
			this.run.set(run);
			try {
				this.decorated.run();
			}
			finally {
				this.run.remove();
			}
		}

		private void run() {
			Runnable run = this.run.get();
			if (run != null) {
				run.run();
			}
		}

	}

	/** One run of a task. Used by one thread. */
	private static final class Run<T extends @Nullable Object> implements Runnable {

		private final Task<T> task;

		private boolean begun;

		private @Nullable T result;

		private @Nullable Throwable failure;

		private Run(Task<T> task) {
			this.task = task;
		}

		@Override
		public void run() {
			if (this.begun) {
				return;
			}
			this.begun = true;
			try {
				this.result = this.task.call();
			}
			catch (Throwable ex) {
				this.failure = ex;
			}
		}

		@SuppressWarnings("NullAway") // null only if T may be null
		private T result() throws Throwable {
			if (!this.begun) {
				throw new IllegalStateException("The TaskDecorator beans did not run the work, or ran it later. A "
						+ "TaskDecorator has to run the given task on the calling thread");
			}
			if (this.failure != null) {
				throw this.failure;
			}
			return this.result;
		}

	}

}
