package io.mongolock.concurrent;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

import io.mongolock.concurrent.ThreadState.Captured;
import io.mongolock.event.LockInstrumentation.Scope;

/**
 * The context that the thread of a caller carries, for work that begins later on another.
 * Chosen once per client. Thread-safe.
 */
public final class CallerContext {

	/** Carries nothing. */
	public static final CallerContext NONE = new CallerContext(List.of(), UnaryOperator.identity());

	private final Supplier<List<ThreadState>> states;

	private final UnaryOperator<Runnable> decorator;

	/** What a thread has decorated that had called before, while another subscribes. */
	private final ThreadLocal<@Nullable Relay> called = new ThreadLocal<>();

	/**
	 * Create a context.
	 * @param decorator gives a task, on the thread of the caller, what the application
	 * carries in its own way; what that leaves behind on the thread that runs the task
	 * harms nobody only on threads of the library
	 */
	public CallerContext(List<ThreadState> states, UnaryOperator<Runnable> decorator) {
		this(() -> states, decorator);
	}

	/**
	 * Create a context.
	 * @param states asked whenever work begins, and answers the same each time
	 * @param decorator as above
	 */
	public CallerContext(Supplier<List<ThreadState>> states, UnaryOperator<Runnable> decorator) {
		this.states = states;
		this.decorator = decorator;
	}

	/**
	 * Take what the current thread carries.
	 */
	public Carried carry() {
		Relay before = this.called.get();
		return new Carried(this.states.get().stream().map(ThreadState::capture).toList(),
				(before != null) ? before : new Relay(this.decorator));
	}

	/**
	 * Let work that begins on the current thread be the caller of what it calls, also
	 * while the thread has what another carried.
	 * @return is closed on the same thread
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

	@SuppressWarnings("try") // closing is what the resources are for
	private static void closeBoth(Scope inner, Scope outer) {
		try (outer; inner) {
			// Also if one of them fails
		}
	}

	/**
	 * Work that begins on another thread than the one that asked for it.
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
	 * What a thread carried. Thread-safe.
	 */
	public final class Carried {

		private final List<Captured> captured;

		private final Relay relay;

		private Carried(List<Captured> captured, Relay relay) {
			this.captured = captured;
			this.relay = relay;
		}

		/**
		 * Let the current thread, which may be one of the application, keep what it has
		 * and have of this what it lacks. The decorator does nothing to that thread: what
		 * is taken from it meanwhile has what the decorator took from this caller.
		 * @return is closed on the same thread
		 */
		public Scope complete() {
			Scope completed = open(this.captured, Captured::complete);
			Relay before = CallerContext.this.called.get();
			CallerContext.this.called.set(this.relay);
			return () -> closeBoth(() -> CallerContext.this.called.set(before), completed);
		}

		/**
		 * Run a task with this, and nothing else, on the current thread, which is one of
		 * the library.
		 * @throws Throwable what it threw, or why it could not be run
		 */
		@SuppressWarnings("try") // closing is what the resource is for
		public <T extends @Nullable Object> T call(Task<T> task) throws Throwable {
			Run<T> run = new Run<>(task);
			try (Scope carried = open(this.captured, Captured::replace)) {
				this.relay.pass(run);
			}
			catch (RuntimeException | Error ex) {
				if (!run.begun) {
					throw ex;
				}
				// The task has run, and its end is what counts; as in an executor
				Thread current = Thread.currentThread();
				current.getUncaughtExceptionHandler().uncaughtException(current, ex);
			}
			return run.result();
		}

	}

	/** Is decorated once, by a caller, and run for each subscription. */
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

		@SuppressWarnings("NullAway") // null only if T may be
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
