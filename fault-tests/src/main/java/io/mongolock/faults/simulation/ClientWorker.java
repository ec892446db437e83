package io.mongolock.faults.simulation;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockException;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.client.ClientBridge;
import io.mongolock.core.LockTerms;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.faults.simulation.Coverage.Event;

/**
 * One thread of an application: wants a lock, by whichever method of the client, works
 * under it, always looking before it acts, releases it, and again.
 */
final class ClientWorker {

	private final SimulatedJvm jvm;

	private final Batons batons;

	private final List<LockTerms> terms;

	private final List<LockRequest> locks;

	private final long until;

	private final boolean crowded;

	private final boolean patient;

	ClientWorker(SimulatedJvm jvm, Batons batons, List<LockTerms> terms, List<LockRequest> locks, long until,
			boolean crowded, boolean patient) {
		this.jvm = jvm;
		this.batons = batons;
		this.terms = terms;
		this.locks = locks;
		this.until = until;
		this.crowded = crowded;
		this.patient = patient;
	}

	private Timeline timeline() {
		return this.jvm.timeline;
	}

	void work() {
		Batons.current().stalls = true;
		long ttl = this.terms.get(0).ttl().toNanos();
		while (timeline().now() < this.until) {
			LockRequest lock = this.locks.get((int) timeline().between(0, this.locks.size()));
			LockTerms terms = this.terms.get((int) timeline().between(0, this.terms.size() - 1L));
			run(SimulatedErrand.of(lock, terms, (int) timeline().between(1, 6), (this.crowded) ? ttl / 30 : ttl / 3,
					false));
			this.batons.sleep(timeline().between(0, ttl / ((this.crowded) ? 20 : 2)));
		}
	}

	// Wait for what others left, however long it takes
	void waitFor(LockRequest lock) {
		LockTerms terms = this.terms.get(this.terms.size() - 1);
		run(SimulatedErrand.of(lock, terms, 1, terms.ttl().toNanos() / 10, true));
	}

	private void run(SimulatedErrand errand) {
		BatonThread self = Batons.current();
		self.errand = errand;
		self.history = null;
		if (!errand.last() && !this.patient && timeline().chance(0.1)) {
			long patience = timeline().between(0, 2 * errand.terms().operationTimeout().toNanos());
			this.jvm.after(patience, () -> {
				if (self.errand == errand) {
					this.jvm.judge.count(Event.CLAIM_CANCELLED);
					self.interrupt();
				}
			});
		}
		try {
			switch ((int) timeline().between(0, (errand.last()) ? 3 : 4)) {
				case 0 -> hold(errand, this.jvm.client.acquire(errand.request()));
				case 1 -> execute(errand);
				case 2 -> hold(errand, async(errand));
				default -> hold(errand, this.jvm.client.tryAcquire(errand.request()).orElse(null));
			}
		}
		catch (LockLostException ex) {
			// Was notified before
		}
		catch (LockException ex) {
			this.jvm.judge.count((ex instanceof LockStoreException) ? Event.CLAIM_FAILED : Event.DENIED);
		}
		finally {
			self.errand = null;
			Thread.interrupted();
			LeaseHistory history = self.history;
			if (history != null && history.heldLock == null && !history.isOver() && !this.batons.isOver()) {
				history.late = history.grantAnswered;
				this.jvm.judge.over(history);
			}
			self.history = null;
		}
	}

	private void execute(SimulatedErrand errand) {
		LeaseHistory[] history = new LeaseHistory[1];
		try {
			this.jvm.client.execute(errand.request(), (handle) -> {
				history[0] = notified(handle);
				Violation.check(ClientBridge.held(handle).lease().isHeld(this.jvm.now()), Violation.Kind.BEGUN_LOST,
						() -> history[0] + " begins to work although its lock is lost");
				share(errand, handle);
				act(errand, handle, history[0]);
				share(errand, handle);
				this.jvm.judge.closes(history[0]);
				return errand;
			});
		}
		finally {
			if (history[0] != null) {
				this.jvm.judge.closed(history[0]);
			}
		}
	}

	private @Nullable LockHandle async(SimulatedErrand errand) {
		BatonThread self = Batons.current();
		CompletableFuture<LockHandle> result = this.jvm.client.acquireAsync(errand.request());
		result.whenComplete((handle, failure) -> this.batons.unpark(self));
		while (!result.isDone()) {
			if (self.isInterrupted() && result.cancel(false)) {
				return null;
			}
			this.batons.park(Long.MAX_VALUE);
		}
		try {
			return result.join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof LockException failure) {
				throw failure;
			}
			throw ex;
		}
	}

	private LeaseHistory notified(LockHandle handle) {
		LeaseHistory history = Objects.requireNonNull(Batons.current().history);
		this.jvm.judge.notified(history, ClientBridge.held(handle), this.jvm.handOver);
		this.jvm.notified(history);
		return history;
	}

	private void hold(SimulatedErrand errand, @Nullable LockHandle handle) {
		if (handle == null) {
			return;
		}
		LeaseHistory history = notified(handle);
		act(errand, handle, history);
		if (timeline().chance(0.02)) {
			ClientBridge.letExpire(handle);
			history.leftToExpire = true;
			history.entry.leftToExpire = true;
			history.entry.releaseAsked = true;
		}
		this.jvm.judge.closes(history);
		try {
			handle.close();
		}
		finally {
			Violation.check(!history.leftToExpire || history.outcome != ReleaseOutcome.RELEASED, Violation.Kind.OUTCOME,
					() -> history + " was to run out, and was notified that it was released");
			this.jvm.judge.closed(history);
		}
	}

	private void act(SimulatedErrand errand, LockHandle handle, LeaseHistory history) {
		for (int act = 0; act < errand.acts() && isHeld(handle, history); act++) {
			long checkedAt = timeline().now();
			this.batons.sleep(hesitation(errand));
			this.jvm.judge.acts(history, checkedAt);
			if (timeline().chance(0.1)) {
				renew(handle);
			}
			else {
				this.batons.sleep(rest(errand));
			}
		}
		if (timeline().chance(0.2)) {
			// Some take long to stop
			this.batons.sleep(rest(errand) * 4);
		}
	}

	private static boolean isHeld(LockHandle handle, Object history) {
		boolean held = handle.isHeld();
		Violation.check(held || ClientBridge.held(handle).lossReason() != null, Violation.Kind.OUTCOME,
				() -> history + " was taken from its holder without a loss");
		return held;
	}

	// Within the work, perhaps after a while, and lets go of it twice
	private void share(SimulatedErrand errand, LockHandle outer) {
		if (!timeline().chance(0.3)) {
			return;
		}
		this.batons.sleep((timeline().chance(0.5)) ? 0 : rest(errand));
		try {
			LockHandle inner = this.jvm.client.acquire(errand.request());
			Violation.check(ClientBridge.held(inner).lossReason() == null, Violation.Kind.BEGUN_LOST,
					() -> inner + " was shared although it was lost");
			inner.close();
			inner.close();
			this.jvm.judge.count(Event.SHARED);
		}
		catch (LockLostException ex) {
			this.jvm.judge.count(Event.NOT_SHARED);
			Violation.check(ClientBridge.held(outer).lossReason() != null, Violation.Kind.OUTCOME,
					() -> outer + " was said to be lost and is not");
		}
	}

	private static void renew(LockHandle handle) {
		try {
			handle.renew();
		}
		catch (LockLostException | LockStoreException ex) {
			// Looks before it acts again
		}
	}

	private long rest(SimulatedErrand errand) {
		return timeline().between(1_000_000, errand.rest());
	}

	// Mostly short; sometimes longer than the margin allows for
	private long hesitation(SimulatedErrand errand) {
		long most = (timeline().chance(0.02)) ? 2 * errand.terms().margin().toNanos() : 2_000_000;
		return timeline().between(0, most);
	}

}
