package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;

import org.jspecify.annotations.Nullable;

import io.mongolock.client.ClientBridge;

/**
 * The threads of a client as those of a simulated process, which pass on a baton.
 */
final class SimulatedRuntime extends ClientBridge {

	private static final long POLL = 1_000_000;

	private final Batons batons;

	private final SimulatedProcess process;

	SimulatedRuntime(Batons batons, SimulatedProcess process) {
		this.batons = batons;
		this.process = process;
	}

	@Override
	public ThreadPoolExecutor direct(int most, int idleSeconds, String name) {
		return new Pool(most, false);
	}

	@Override
	public ThreadPoolExecutor queued(int most, String name) {
		return new Pool(most, true);
	}

	@Override
	public ScheduledThreadPoolExecutor timer(String name) {
		return new Timer();
	}

	// Of the log alone, because nobody listens and no handles are watched
	@Override
	public ThreadFactory daemons(String name) {
		return Inline::new;
	}

	@Override
	public Thread watch(Runnable task) {
		return BatonThread.of(this.batons, this.process, task);
	}

	@Override
	public void park(Object blocker, long nanos) {
		this.batons.park(nanos);
	}

	@Override
	public void unpark(@Nullable Thread thread) {
		if (thread instanceof BatonThread waiting) {
			this.batons.unpark(waiting);
		}
	}

	@Override
	public boolean tryAcquire(Semaphore permits, int all, long nanos) {
		long until = this.process.now().nanos() + nanos;
		for (long pause = POLL; !permits.tryAcquire(all); pause *= 2) {
			long left = until - this.process.now().nanos();
			if (left <= 0) {
				return false;
			}
			this.batons.sleep(Math.min(left, pause));
		}
		return true;
	}

	@Override
	public LongUnaryOperator random() {
		return (bound) -> this.process.timeline.between(0, bound);
	}

	private final class Pool extends ThreadPoolExecutor {

		private final int most;

		private final boolean queues;

		private final Queue<Runnable> tasks = new ArrayDeque<>();

		private int running;

		private Pool(int most, boolean queues) {
			super(0, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
			this.most = most;
			this.queues = queues;
		}

		@Override
		public void execute(Runnable task) {
			boolean full = this.running == this.most;
			if (!this.queues && (isShutdown() || full)) {
				throw new RejectedExecutionException((isShutdown()) ? "stopped" : "no thread left");
			}
			if (isShutdown()) {
				return;
			}
			if (full) {
				this.tasks.add(task);
			}
			else {
				this.running++;
				SimulatedRuntime.this.batons.start(SimulatedRuntime.this.process, () -> work(task));
			}
		}

		private void work(Runnable first) {
			try {
				for (Runnable task = first; task != null; task = this.tasks.poll()) {
					task.run();
				}
			}
			finally {
				this.running--;
			}
		}

		@Override
		public boolean awaitTermination(long timeout, TimeUnit unit) {
			long until = SimulatedRuntime.this.process.now().nanos() + unit.toNanos(timeout);
			for (long pause = POLL; this.running > 0; pause *= 2) {
				long left = until - SimulatedRuntime.this.process.now().nanos();
				if (left <= 0) {
					return false;
				}
				SimulatedRuntime.this.batons.sleep(Math.min(left, pause));
			}
			return true;
		}

	}

	private final class Timer extends ScheduledThreadPoolExecutor {

		private final Pool thread = new Pool(1, true);

		private boolean closed;

		private Timer() {
			super(0);
		}

		@Override
		public ScheduledFuture<?> schedule(Runnable action, long delay, TimeUnit unit) {
			Alarm alarm = new Alarm(Duration.of(delay, unit.toChronoUnit()));
			if (!this.closed) {
				SimulatedRuntime.this.process.after(unit.toNanos(delay), () -> {
					if (!this.closed && !alarm.isCancelled()) {
						this.thread.execute(() -> {
							if (!alarm.isCancelled()) {
								action.run();
							}
						});
					}
				});
			}
			return alarm;
		}

		@Override
		public List<Runnable> shutdownNow() {
			this.closed = true;
			return List.of();
		}

	}

	private static final class Alarm extends CompletableFuture<@Nullable Object>
			implements ScheduledFuture<@Nullable Object> {

		private final Duration delay;

		private Alarm(Duration delay) {
			this.delay = delay;
		}

		@Override
		public long getDelay(TimeUnit unit) {
			return unit.convert(this.delay);
		}

		@Override
		public int compareTo(Delayed other) {
			return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
		}

	}

	/**
	 * Runs what it is started for at once, and ends instead of waiting for more.
	 */
	private static final class Inline extends Thread {

		private final Runnable task;

		private Inline(Runnable task) {
			this.task = task;
		}

		@Override
		public void start() {
			boolean interrupted = Thread.interrupted();
			Thread.currentThread().interrupt();
			this.task.run();
			Thread.interrupted();
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
