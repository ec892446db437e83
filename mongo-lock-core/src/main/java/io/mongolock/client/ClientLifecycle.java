package io.mongolock.client;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Knows whether the client runs, ends or has stopped, and so decides what may begin. Has
 * the threads and the loop of each run. A request takes one permit if a caller makes it
 * or if it releases a lock. A stop takes all permits to wait for such requests. This
 * class ends no hold, because {@link LockTemplate#stop} does so by
 * {@link HoldRegistry#cutOffAll}. Thread-safe: the monitor guards changes of the phase.
 */
final class ClientLifecycle {

	private static final Set<Phase> CLAIMING = EnumSet.of(Phase.RUNNING);

	private static final Set<Phase> RELEASING = EnumSet.of(Phase.RUNNING, Phase.ENDING, Phase.STOPPING);

	private final ClientRuntime runtime;

	private final Function<ClientThreads, ClientLoop> loops;

	/** More permits than there can be threads. */
	private final Semaphore requests = new Semaphore(Integer.MAX_VALUE);

	private volatile Running running;

	private volatile Phase phase = Phase.NEW;

	ClientLifecycle(ClientRuntime runtime, Function<ClientThreads, ClientLoop> loops) {
		this.runtime = runtime;
		this.loops = loops;
		this.running = create();
	}

	/**
	 * Start the client, unless it runs. Locks that are still held stay held, unless the
	 * client was {@link #stop stopped}.
	 */
	synchronized void start() {
		if (this.phase == Phase.STOPPING || this.phase == Phase.STOPPED) {
			this.running = create();
		}
		if (this.phase != Phase.RUNNING) {
			this.running.loop().start();
			this.phase = Phase.RUNNING;
		}
	}

	/**
	 * Start the client if it was neither started nor stopped before.
	 */
	boolean startIfNew() {
		if (this.phase == Phase.NEW) {
			startOnce();
		}
		return this.phase == Phase.RUNNING;
	}

	private synchronized void startOnce() {
		if (this.phase == Phase.NEW) {
			start();
		}
	}

	boolean isRunning() {
		return this.phase == Phase.RUNNING;
	}

	/**
	 * Whether leases are renewed.
	 */
	boolean isRenewing() {
		Phase current = this.phase;
		return current == Phase.RUNNING || current == Phase.ENDING;
	}

	/**
	 * Take no more claims, and renew leases as before.
	 */
	synchronized void stopClaims() {
		if (this.phase == Phase.NEW || this.phase == Phase.RUNNING) {
			this.phase = Phase.ENDING;
		}
	}

	/**
	 * Take no more claims, and renew no more leases.
	 */
	synchronized void stop() {
		if (this.phase != Phase.STOPPED) {
			this.phase = Phase.STOPPING;
			this.running.loop().stop();
		}
	}

	/**
	 * Wait until no request has a permit any more.
	 */
	void awaitRequests(Duration timeout) {
		this.runtime.awaitUnused(this.requests, Integer.MAX_VALUE, timeout.toNanos());
	}

	/**
	 * Begin no more requests, and end the threads.
	 */
	synchronized void close() {
		this.phase = Phase.STOPPED;
		// A loop runs again if another thread called start during the stop
		this.running.loop().stop();
		this.running.threads().stop();
	}

	/**
	 * Wait for renewals and for requests for places in the queue that were underway at
	 * {@link #close}.
	 */
	void awaitRenewals(Duration timeout) {
		try {
			this.running.threads().renewals().awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	boolean isClosed() {
		return this.phase == Phase.STOPPED;
	}

	/**
	 * Begin a claim.
	 * @return whether the client runs; if so, {@link #endRequest()} must follow
	 */
	boolean beginClaim() {
		return begin(CLAIMING);
	}

	/**
	 * Begin to renew a lease, or to give back a lock or a place.
	 * @return whether requests may still be sent; if so, {@link #endRequest()} must
	 * follow
	 */
	boolean beginRequest() {
		return begin(RELEASING);
	}

	void endRequest() {
		this.requests.release();
	}

	private boolean begin(Set<Phase> phases) {
		this.requests.acquireUninterruptibly();
		if (phases.contains(this.phase)) {
			return true;
		}
		this.requests.release();
		return false;
	}

	ClientThreads threads() {
		return this.running.threads();
	}

	ClientLoop loop() {
		return this.running.loop();
	}

	private Running create() {
		ClientThreads threads = new ClientThreads(this.runtime);
		return new Running(threads, this.loops.apply(threads));
	}

	private enum Phase {

		NEW, RUNNING,

		/** No lock is granted. Leases are renewed until their holders are done. */
		ENDING,

		/** Leases are no longer renewed, either. */
		STOPPING, STOPPED

	}

	private record Running(ClientThreads threads, ClientLoop loop) {

	}

}
