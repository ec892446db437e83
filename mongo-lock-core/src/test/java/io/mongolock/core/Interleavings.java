package io.mongolock.core;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Runs a few threads in every order in which they may take turns, one order after the
 * other: a thread goes on until it reaches a {@link #pause}, where any other may go on
 * instead, up to a number of times in one run. Only one runs at a time.
 */
final class Interleavings {

	private final int maxPreemptions;

	/** What was chosen at each point of the run, and from how many. */
	private final List<int[]> choices = new ArrayList<>();

	private final Semaphore ended = new Semaphore(0);

	/** Threads serve one run after the other, as to start one takes longer than a run. */
	private final ExecutorService threads = Executors.newCachedThreadPool((work) -> {
		Thread thread = new Thread(work);
		thread.setDaemon(true);
		return thread;
	});

	private List<Task> tasks = List.of();

	private @Nullable Task current;

	private int points;

	private int preemptions;

	private @Nullable Throwable failure;

	private Interleavings(int maxPreemptions) {
		this.maxPreemptions = maxPreemptions;
	}

	/**
	 * Run all orders.
	 * @param maxPreemptions how often in one run a thread that could go on has to wait
	 */
	static int explore(int maxPreemptions, Function<Interleavings, Scenario> scenario) throws InterruptedException {
		Interleavings all = new Interleavings(maxPreemptions);
		try {
			int runs = 0;
			do {
				all.run(scenario.apply(all));
				runs++;
			}
			while (all.hasNext());
			return runs;
		}
		finally {
			all.threads.shutdownNow();
		}
	}

	private void run(Scenario scenario) throws InterruptedException {
		this.points = 0;
		this.preemptions = 0;
		this.current = null;
		this.tasks = scenario.threads().stream().map(Task::new).toList();
		next();
		this.ended.acquire();
		this.current = null;
		for (Task task : this.tasks) {
			if (!task.over && this.failure == null) {
				this.failure = new AssertionError("A thread waits for ever");
			}
		}
		Throwable failure = this.failure;
		if (failure != null) {
			throw new AssertionError("In the order " + order(), failure);
		}
		scenario.check().run();
	}

	private String order() {
		return this.choices.stream().map((choice) -> String.valueOf(choice[0])).toList().toString();
	}

	private boolean hasNext() {
		while (!this.choices.isEmpty()) {
			int[] last = this.choices.get(this.choices.size() - 1);
			if (++last[0] < last[1]) {
				return true;
			}
			this.choices.remove(this.choices.size() - 1);
		}
		return false;
	}

	/**
	 * Another thread may go on instead.
	 */
	void pause() {
		await(() -> true);
	}

	/**
	 * Go on only if a condition holds.
	 */
	void await(BooleanSupplier condition) {
		Task task = this.current;
		if (task != null) {
			task.condition = condition;
			next();
			task.sleep();
		}
	}

	private void next() {
		Task before = this.current;
		List<Task> ready = new ArrayList<>();
		boolean goesOn = before != null && before.isReady();
		if (goesOn) {
			ready.add(before);
		}
		this.tasks.stream().filter((task) -> task != before && task.isReady()).forEach(ready::add);
		if (ready.isEmpty()) {
			this.ended.release();
			return;
		}
		int options = (goesOn && this.preemptions == this.maxPreemptions) ? 1 : ready.size();
		if (this.points == this.choices.size()) {
			this.choices.add(new int[] { 0, options });
		}
		int chosen = this.choices.get(this.points++)[0];
		this.preemptions += (goesOn && chosen != 0) ? 1 : 0;
		this.current = ready.get(chosen);
		this.current.baton.release();
	}

	private final class Task {

		private final Semaphore baton = new Semaphore(0);

		private BooleanSupplier condition = () -> true;

		private boolean over;

		private Task(Runnable work) {
			Interleavings.this.threads.execute(() -> run(work));
		}

		private void run(Runnable work) {
			try {
				sleep();
				work.run();
			}
			catch (Stopped ex) {
				return;
			}
			catch (RuntimeException | Error ex) {
				Interleavings.this.failure = ex;
			}
			this.over = true;
			next();
		}

		private void sleep() {
			try {
				this.baton.acquire();
			}
			catch (InterruptedException ex) {
				throw new Stopped();
			}
		}

		private boolean isReady() {
			return !this.over && Interleavings.this.failure == null && this.condition.getAsBoolean();
		}

	}

	/**
	 * Some threads.
	 *
	 * @param threads what each does
	 * @param check what is to be in the end
	 */
	record Scenario(List<Runnable> threads, Runnable check) {

	}

	/** The run is over. */
	private static final class Stopped extends RuntimeException {

	}

}
