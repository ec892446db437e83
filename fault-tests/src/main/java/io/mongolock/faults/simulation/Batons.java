package io.mongolock.faults.simulation;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Lets the threads of a history run one at a time: a thread that has to wait has the
 * timeline go on until it says whose wait is over, and passes the baton on to that one.
 * So all that happens follows from the seed. Belongs to the thread that has the baton.
 */
final class Batons {

	private static final ThreadMXBean MONITORS = ManagementFactory.getThreadMXBean();

	private static final long FAR = 1_000_000_000_000L;

	/** Far more than any history takes, on whatever machine. */
	private static final long MOST_SECONDS = 120;

	private final Timeline timeline;

	private final Set<BatonThread> alive = new LinkedHashSet<>();

	private final CountDownLatch end = new CountDownLatch(1);

	private @Nullable BatonThread next;

	private @Nullable Throwable failure;

	private boolean over;

	Batons(Timeline timeline) {
		this.timeline = timeline;
	}

	// To the end of the history
	void run() {
		passOn(null);
		try {
			if (!this.end.await(MOST_SECONDS, TimeUnit.SECONDS)) {
				throw new IllegalStateException("A thread blocks that has the baton: " + stacks());
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		if (this.failure instanceof Error error) {
			throw error;
		}
		if (this.failure instanceof RuntimeException exception) {
			throw exception;
		}
	}

	private String stacks() {
		StringBuilder stacks = new StringBuilder();
		this.alive.forEach((thread) -> {
			stacks.append(System.lineSeparator()).append(thread).append(' ').append(thread.getState());
			for (StackTraceElement element : thread.getStackTrace()) {
				stacks.append(System.lineSeparator()).append("  ").append(element);
			}
		});
		return stacks.toString();
	}

	boolean isOver() {
		return this.over;
	}

	// The first that goes wrong ends the history. After its end threads run on without
	// their time, where the client holds off what ends them
	void fail(Throwable failure) {
		if (!this.over) {
			this.failure = failure;
		}
		this.over = true;
	}

	void start(SimulatedProcess process, Runnable task) {
		BatonThread.of(this, process, task).start();
	}

	void begin(BatonThread thread) {
		this.alive.add(thread);
		thread.waits = true;
		resumeIn(thread, this.timeline.between(0, 100_000));
	}

	void run(BatonThread thread, @Nullable Runnable task) {
		try {
			if (task != null && !this.over) {
				task.run();
			}
		}
		catch (HistoryOver ex) {
			// As all others
		}
		catch (RuntimeException | Error ex) {
			fail(ex);
		}
	}

	void ended(BatonThread thread, Runnable idle) {
		this.alive.remove(thread);
		idle.run();
		passOn(thread);
	}

	static BatonThread current() {
		return (BatonThread) Thread.currentThread();
	}

	// Until resumed, or for a time on the clock of its process
	void await(long nanos) {
		BatonThread self = current();
		self.wait++;
		self.waits = true;
		if (nanos < FAR) {
			resumeIn(self, nanos);
		}
		if (this.over) {
			self.waits = false;
			throw new HistoryOver();
		}
		BatonThread next = pick();
		if (next != self) {
			give(next);
			self.awaitBaton();
		}
		self.waits = false;
		if (this.over) {
			throw new HistoryOver();
		}
	}

	void sleep(long nanos) {
		long until = process(current()).now().nanos() + nanos;
		for (long left = nanos; left > 0; left = until - process(current()).now().nanos()) {
			await(left);
		}
	}

	// As of LockSupport
	void park(long nanos) {
		BatonThread self = current();
		if (!self.permit && !self.isInterrupted() && nanos > 0) {
			await(nanos);
		}
		self.permit = false;
	}

	void unpark(BatonThread thread) {
		if (thread.isOf(this)) {
			thread.permit = true;
			wake(thread);
		}
	}

	void wake(BatonThread thread) {
		if (thread.waits) {
			resumeIn(thread, this.timeline.between(0, 50_000));
		}
	}

	void wakeIn(BatonThread thread, long nanos) {
		resumeIn(thread, nanos);
	}

	private void resumeIn(BatonThread thread, long nanos) {
		int wait = thread.wait;
		process(thread).after(nanos, () -> {
			if (thread.waits && thread.wait == wait) {
				this.next = thread;
			}
		});
	}

	// The thread stands still for a moment, if it keeps nobody from a monitor
	void standStill(long nanos) {
		BatonThread self = current();
		ThreadInfo[] info = MONITORS.getThreadInfo(new long[] { self.getId() }, true, false);
		if (!this.over && info[0].getLockedMonitors().length == 0) {
			boolean permit = self.permit;
			self.stillFrom = this.timeline.now();
			sleep(nanos);
			self.stillUntil = this.timeline.now();
			self.permit |= permit;
		}
	}

	private static SimulatedProcess process(BatonThread thread) {
		SimulatedProcess process = thread.process;
		if (process == null) {
			throw new IllegalStateException("A thread of nobody");
		}
		return process;
	}

	private void passOn(@Nullable BatonThread ended) {
		BatonThread next = pick();
		if (next != null) {
			give(next);
		}
		else {
			this.end.countDown();
		}
	}

	private static void give(@Nullable BatonThread next) {
		if (next == null) {
			throw new IllegalStateException("Nobody is alive");
		}
		next.giveBaton();
	}

	// Whose wait is over next; at the end all have to go
	private @Nullable BatonThread pick() {
		this.next = null;
		while (!this.over && this.next == null) {
			try {
				this.over = !this.timeline.step();
			}
			catch (RuntimeException | Error ex) {
				fail(ex);
			}
		}
		if (this.over) {
			return (this.alive.isEmpty()) ? null : this.alive.iterator().next();
		}
		return this.next;
	}

	/**
	 * Nothing happens any more: whatever waits ends.
	 */
	static final class HistoryOver extends Error {

		private static final long serialVersionUID = 1;

		HistoryOver() {
			super("The history is over", null, false, false);
		}

	}

}
