package io.mongolock.documents;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

import io.mongolock.documents.ProgramEntries.Entry;
import io.mongolock.documents.ProgramModel.Held;
import io.mongolock.documents.ProgramModel.Stored;
import io.mongolock.documents.ProgramModel.Transaction;
import io.mongolock.documents.ProgramWorld.Instance;

/**
 * A thread of an instance, which makes a step when it is asked to, also within callbacks.
 */
final class ProgramThread implements AutoCloseable {

	private static final long HANGS_SECONDS = 30;

	final String name;

	final Instance instance;

	/** What it is within, the innermost last. */
	final Deque<Frame> frames = new ArrayDeque<>();

	/** What it has loaded or saved. */
	final List<Seen> seen = new ArrayList<>();

	private final BlockingQueue<Runnable> steps = new LinkedBlockingQueue<>();

	private final Frame whole = new Frame(null, null);

	private final Thread thread;

	ProgramThread(String name, Instance instance) {
		this.name = name;
		this.instance = instance;
		this.thread = new Thread(() -> serve(this.whole), name);
		this.thread.setDaemon(true);
		this.thread.start();
	}

	@Nullable Transaction transaction() {
		return this.frames.stream()
			.map(Frame::transaction)
			.filter((transaction) -> transaction != null)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Do something.
	 * @param work what to do
	 * @return what came of it
	 */
	Outcome call(Callable<@Nullable Object> work) {
		CompletableFuture<Outcome> outcome = new CompletableFuture<>();
		this.steps.add(() -> outcome.complete(Outcome.of(work)));
		return await(outcome);
	}

	/**
	 * Enter a callback, and stay there.
	 * @param frame what is entered
	 * @param work enters it
	 * @return what is in hand there
	 */
	Outcome enter(Frame frame, Within work) {
		CompletableFuture<Outcome> entered = new CompletableFuture<>();
		this.steps.add(() -> {
			Outcome end = Outcome.of(() -> {
				work.run((inHand) -> {
					entered.complete(new Outcome(inHand, null));
					serve(frame);
				});
				return null;
			});
			entered.complete(end);
			frame.ended.complete(end);
		});
		return await(entered);
	}

	Outcome leave(Frame frame) {
		this.steps.add(() -> frame.over = true);
		return await(frame.ended);
	}

	private void serve(Frame frame) {
		while (!frame.over) {
			try {
				this.steps.take().run();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

	private Outcome await(CompletableFuture<Outcome> outcome) {
		try {
			return outcome.get(HANGS_SECONDS, TimeUnit.SECONDS);
		}
		catch (TimeoutException ex) {
			StackTraceElement[] where = this.thread.getStackTrace();
			AssertionError hangs = new AssertionError("hangs for " + HANGS_SECONDS + " s");
			hangs.setStackTrace(where);
			throw hangs;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.frames.forEach((frame) -> this.steps.add(() -> frame.over = true));
		this.steps.add(() -> this.whole.over = true);
	}

	/**
	 * What a step came to.
	 *
	 * @param value what was returned
	 * @param failure what was thrown
	 */
	record Outcome(@Nullable Object value, @Nullable Throwable failure) {

		static Outcome of(Callable<@Nullable Object> work) {
			try {
				return new Outcome(work.call(), null);
			}
			catch (Throwable ex) {
				return new Outcome(null, ex);
			}
		}

		boolean isDone() {
			return this.failure == null;
		}

		boolean is(Class<?> type) {
			return type.isInstance(this.failure);
		}

		@Override
		public String toString() {
			return (this.failure != null) ? String.valueOf(this.failure) : String.valueOf(this.value);
		}

	}

	/**
	 * An entity that was loaded or saved.
	 *
	 * @param document the document
	 * @param entity the entity
	 * @param transaction in which transaction, {@code null} for none
	 */
	record Seen(Stored document, Entry entity, @Nullable Transaction transaction) {

	}

	/**
	 * A callback or a transaction.
	 */
	static final class Frame {

		private final CompletableFuture<Outcome> ended = new CompletableFuture<>();

		private final @Nullable Transaction transaction;

		@Nullable Held held;

		private boolean over;

		Frame(@Nullable Held held, @Nullable Transaction transaction) {
			this.held = held;
			this.transaction = transaction;
		}

		@Nullable Transaction transaction() {
			return this.transaction;
		}

	}

	interface Within {

		void run(Callback callback) throws Exception;

	}

	interface Callback {

		void within(@Nullable Object inHand);

	}

}
