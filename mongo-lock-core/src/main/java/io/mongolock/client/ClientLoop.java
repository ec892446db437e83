package io.mongolock.client;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.background.BackgroundTask;
import io.mongolock.core.ClockReading;
import io.mongolock.core.HeldLock;
import io.mongolock.core.Lease;
import io.mongolock.core.RenewalBatch;
import io.mongolock.core.RenewalSchedule;
import io.mongolock.event.LockEvents;
import io.mongolock.store.LeaseId;
import io.mongolock.store.LockStore;
import io.mongolock.store.RenewalAnswer;

/**
 * The loop of the client, on one daemon thread. It watches the deadlines of all leases.
 * It begins the work that its {@link RenewalSchedule} and each {@link BackgroundTask}
 * report as due, and waits until more work is due. The loop itself never asks the store,
 * so that it declares a loss in time even while requests hang. The requests run on an
 * executor, with at most {@value RenewalSchedule#MAX_REQUESTS} renewals at a time. No
 * listener of the application runs on the loop or on the executor. Thread-safe.
 */
final class ClientLoop {

	private static final long RETRY = 100_000_000;

	private final LockStore store;

	private final LockClock clock;

	private final Executor requests;

	private final ClientRuntime runtime;

	private final RenewalSchedule schedule;

	private final LockEvents events;

	private final List<BackgroundTask> tasks;

	private final ReleaseRequestPoller releaseRequests;

	/**
	 * The batches underway, each with a future that completes when its request is over.
	 */
	private final Map<RenewalBatch, CompletableFuture<Void>> underway = new ConcurrentHashMap<>();

	private final Queue<Consumer<RenewalSchedule>> answers = new ConcurrentLinkedQueue<>();

	/**
	 * When the next round begins. During a round, this is {@code null}, so that a new
	 * lease causes another round.
	 */
	private volatile @Nullable Long nextAt;

	private volatile @Nullable Thread watch;

	/** Whether the watch was woken after the beginning of its last round. */
	private volatile boolean woken;

	/**
	 * Create a loop that is not started yet.
	 * @param requests runs the requests to the store; must not block. A request that it
	 * rejects is tried again
	 * @param events learns of failures, and logs them on a thread of its own
	 * @param tasks may grow by {@link #add}
	 */
	ClientLoop(LockStore store, LockClock clock, Executor requests, LockEvents events, List<BackgroundTask> tasks,
			ReleaseRequestPoller releaseRequests, ClientRuntime runtime) {
		this.store = store;
		this.clock = clock;
		this.requests = requests;
		this.events = events;
		this.tasks = tasks;
		this.releaseRequests = releaseRequests;
		this.runtime = runtime;
		this.schedule = new RenewalSchedule(runtime.random());
	}

	/**
	 * Start the watch, unless it runs, and start the tasks.
	 */
	synchronized void start() {
		this.tasks.forEach((task) -> task.start(() -> wake(this.watch)));
		if (this.watch == null) {
			Thread thread = this.runtime.watch(this::watch);
			this.watch = thread;
			try {
				thread.start();
			}
			catch (Error ex) {
				// No thread can be started now, so the next caller starts one
				this.watch = null;
				throw ex;
			}
		}
	}

	/**
	 * Run a task from now on.
	 */
	synchronized void add(BackgroundTask task) {
		this.tasks.add(task);
		task.start(() -> wake(this.watch));
	}

	/**
	 * Stop the loop. No renewal begins after this. Renewals underway may still be
	 * answered.
	 */
	synchronized void stop() {
		Thread thread = this.watch;
		this.watch = null;
		wake(thread);
	}

	/**
	 * Renew a lease now, on the thread of its holder.
	 * @return whether the lock is held; {@code false} also after the loop was stopped
	 */
	boolean renew(HeldLock heldLock) {
		if (this.watch == null) {
			return false;
		}
		ClockReading requested = ClockReading.of(this.clock);
		boolean found = this.store.renew(heldLock.id(), heldLock.terms().operationTimeout());
		return heldLock.renewed(found, requested, ClockReading.of(this.clock));
	}

	/**
	 * Keep a lease until {@link #unregister} or its loss.
	 */
	void register(Lease lease) {
		ClockReading now = ClockReading.of(this.clock);
		attend(this.schedule.add(lease, now), now);
	}

	/**
	 * Keep a lease again that others may have ended meanwhile. So it is renewed at once.
	 */
	void registerAgain(Lease lease) {
		ClockReading now = ClockReading.of(this.clock);
		attend(this.schedule.addAgain(lease, now), now);
	}

	/**
	 * Keep a lease without renewing it until {@link #registerAgain}. Like any other
	 * lease, it is lost when it runs out.
	 */
	void watchOnly(Lease lease) {
		ClockReading now = ClockReading.of(this.clock);
		attend(this.schedule.watch(lease, now), now);
	}

	/**
	 * Wait for renewals of a lease that began before {@link #watchOnly}, but at most for
	 * the operation timeout of the lease.
	 */
	void awaitRenewals(Lease lease) {
		if (this.watch == null) {
			return;
		}
		// A round takes answers before it begins requests, so all earlier requests are
		// known here
		CompletableFuture<Void> begun = new CompletableFuture<>();
		answer((schedule) -> begun.complete(null));
		try {
			begun.thenCompose((none) -> ofLease(lease))
				.get(lease.terms().operationTimeout().toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (TimeoutException | ExecutionException ex) {
			// A renewal that hangs may conflict with the statement that follows
		}
	}

	private CompletableFuture<Void> ofLease(Lease lease) {
		return CompletableFuture.allOf(this.underway.entrySet()
			.stream()
			.filter((request) -> request.getKey().leases().contains(lease))
			.map(Map.Entry::getValue)
			.toArray(CompletableFuture[]::new));
	}

	/**
	 * Repeat all renewals underway at once, because another primary was elected. Does not
	 * block.
	 */
	void primaryChanged() {
		if (this.watch != null) {
			ClockReading now = ClockReading.of(this.clock);
			answer((schedule) -> schedule.primaryChanged(now));
		}
	}

	private void attend(long dueIn, ClockReading now) {
		Long next = this.nextAt;
		if (next == null || now.nanos() + dueIn - next < 0) {
			wake(this.watch);
		}
	}

	// The flag is needed, because a round that waits for a Java lock, for example to
	// start a thread, consumes the permit of unpark
	private void wake(@Nullable Thread thread) {
		this.woken = true;
		this.runtime.unpark(thread);
	}

	/**
	 * Stop keeping a lease.
	 */
	void unregister(Lease lease) {
		this.schedule.remove(lease);
	}

	private void watch() {
		while (Thread.currentThread() == this.watch) {
			long pause = round();
			if (pause > 0 && !this.woken) {
				this.runtime.park(this, pause);
			}
		}
	}

	// The watch must survive every failure, because it notices losses
	private long round() {
		this.woken = false;
		this.nextAt = null;
		try {
			long next = beginWhatIsDue();
			this.nextAt = next;
			return next - this.clock.nanoTime();
		}
		catch (RuntimeException | Error ex) {
			this.nextAt = null;
			watchFailed(ex);
			return RETRY / 10;
		}
	}

	private void watchFailed(Throwable failure) {
		publish((events) -> events.watchFailed(failure));
	}

	private void failed(RenewalBatch batch, List<Lease> leases, Throwable failure) {
		publish((events) -> events.renewalFailed(batch, leases, failure));
	}

	private void publish(Consumer<LockEvents> event) {
		try {
			event.accept(this.events);
		}
		catch (RuntimeException | Error ex) {
			// For example, there may be no memory to report the failure
		}
	}

	private long beginWhatIsDue() {
		for (Consumer<RenewalSchedule> answer = this.answers.poll(); answer != null; answer = this.answers.poll()) {
			answer.accept(this.schedule);
		}
		ClockReading now = ClockReading.of(this.clock);
		for (RenewalBatch batch : this.schedule.due(now)) {
			begin(batch, now);
		}
		long pause = ClockReading.NEVER;
		for (BackgroundTask task : this.tasks) {
			pause = Math.min(pause, run(task, now));
		}
		// This comes last, so that it sees leases that came while a task waited for a
		// thread
		pause = Math.min(pause, this.schedule.nextIn(now));
		return now.nanos() + ((this.events.retry()) ? Math.min(pause, RETRY) : pause);
	}

	private long run(BackgroundTask task, ClockReading now) {
		try {
			return task.run(now, this.requests);
		}
		catch (RuntimeException | Error ex) {
			// A failed task must not harm the leases
			watchFailed(ex);
			return RETRY;
		}
	}

	private void begin(RenewalBatch batch, ClockReading now) {
		CompletableFuture<Void> over = new CompletableFuture<>();
		this.underway.put(batch, over);
		over.whenComplete((none, failure) -> this.underway.remove(batch));
		try {
			this.requests.execute(() -> {
				boolean answered = false;
				try {
					answered = renew(batch, now);
				}
				finally {
					over.complete(null);
				}
				if (answered) {
					this.releaseRequests.renewed(batch.leases(), this.clock.nanoTime(), batch.timeout(),
							() -> this.watch != null);
				}
			});
		}
		catch (RuntimeException | Error ex) {
			// No thread could be started. The watch goes on, and the batch is tried again
			over.complete(null);
			failed(batch, batch.leases(), ex);
			this.schedule.failed(batch, now);
		}
	}

	private boolean renew(RenewalBatch batch, ClockReading due) {
		if (this.watch == null) {
			// The loop was stopped after this request was handed to the executor
			return false;
		}
		try {
			ask(batch);
		}
		catch (RuntimeException | Error ex) {
			if (this.watch != null) {
				// This comes first, because a batch without an answer is never tried
				// again
				ClockReading now = ClockReading.of(this.clock);
				answer((schedule) -> schedule.failed(batch, now));
				failed(batch, batch.leases(), ex);
				this.events.renewed(batch.leases(), -1, due);
			}
			return false;
		}
		return true;
	}

	private void ask(RenewalBatch batch) {
		ClockReading requested = ClockReading.of(this.clock);
		this.events.renewing(batch.leases(), requested);
		List<LeaseId> ids = batch.leases().stream().map(Lease::id).toList();
		RenewalAnswer answer = this.store.renewAll(ids, notes(batch), batch.timeout());
		ClockReading now = ClockReading.of(this.clock);
		List<Lease> failed = batch.leases().stream().filter((lease) -> answer.failed().contains(lease.id())).toList();
		List<Lease> others = batch.leases().stream().filter((lease) -> !answer.failed().contains(lease.id())).toList();
		this.events.renewalsAnswered(others, answer.found());
		answer((schedule) -> schedule.answered(batch, answer, requested, now));
		if (answer.failure() != null) {
			failed(batch, failed, answer.failure());
		}
		this.events.renewed(others, answer.found(), requested);
		this.events.renewed(failed, -1, requested);
	}

	private static Map<LeaseId, String> notes(RenewalBatch batch) {
		Map<LeaseId, String> notes = new HashMap<>();
		for (Lease lease : batch.leases()) {
			String note = lease.note();
			if (note != null) {
				notes.put(lease.id(), note);
			}
		}
		return notes;
	}

	private void answer(Consumer<RenewalSchedule> answer) {
		this.answers.add(answer);
		wake(this.watch);
	}

}
