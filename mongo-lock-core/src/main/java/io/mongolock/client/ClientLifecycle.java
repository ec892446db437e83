package io.mongolock.client;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Whether the client runs, ends or has stopped, and so what may begin; has the threads
 * and the loop of each run. A request that a caller makes, or that releases a lock, has
 * one of the permits; a stop that waits for those underway wants all. It ends no hold:
 * {@link LockTemplate#stop} does, by {@link HoldRegistry#cutOffAll}. Thread-safe; changes
 * of the phase are guarded by the monitor.
 */
final class ClientLifecycle {

	private static final Set<Phase> CLAIMING = EnumSet.of(Phase.RUNNING);

	private static final Set<Phase> RELEASING = EnumSet.of(Phase.RUNNING, Phase.ENDING, Phase.STOPPING);

	private final ClientRuntime runtime;

	private final Function<ClientThreads, ClientLoop> loops;

	/** More than there can be threads. */
	private final Semaphore requests = new Semaphore(Integer.MAX_VALUE);

	private volatile Running running;

	private volatile Phase phase = Phase.NEW;

	ClientLifecycle(ClientRuntime runtime, Function<ClientThreads, ClientLoop> loops) {
		this.runtime = runtime;
		this.loops = loops;
		this.running = create();
	}

	/**
	 * Run, unless running already. What was held meanwhile goes on, unless it was
	 * stopped.
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
	 * Run if nobody said anything yet.
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
	 * Whether what is held is renewed.
	 */
	boolean isRenewing() {
		Phase current = this.phase;
		return current == Phase.RUNNING || current == Phase.ENDING;
	}

	/**
	 * Take no more claims; what is held is renewed as before.
	 */
	synchronized void stopClaims() {
		if (this.phase == Phase.NEW || this.phase == Phase.RUNNING) {
			this.phase = Phase.ENDING;
		}
	}

	/**
	 * Take no more claims and renew nothing more.
	 */
	synchronized void stop() {
		if (this.phase != Phase.STOPPED) {
			this.phase = Phase.STOPPING;
			this.running.loop().stop();
		}
	}

	/**
	 * Wait until no request is underway any more that has a permit.
	 */
	void awaitRequests(Duration timeout) {
		this.runtime.awaitUnused(this.requests, Integer.MAX_VALUE, timeout.toNanos());
	}

	/**
	 * Begin no request any more, and end the threads.
	 */
	synchronized void close() {
		this.phase = Phase.STOPPED;
		// It runs again if this was started while another thread stopped it
		this.running.loop().stop();
		this.running.threads().stop();
	}

	/**
	 * Wait for renewals, and requests for places in the queue, that were underway when
	 * this was closed.
	 * @return whether they have ended
	 */
	boolean awaitRenewals(Duration timeout) {
		try {
			return this.running.threads().renewals().awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
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
	 * Begin to renew, or to give something back.
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

		/** Nothing is granted, and what is held is renewed until its holder is done. */
		ENDING,

		/** Nothing is renewed, either. */
		STOPPING, STOPPED

	}

	private record Running(ClientThreads threads, ClientLoop loop) {

	}

}
