package io.mongolock.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;

/**
 * Whether the client runs, and what runs with it. Requests for locks hold the read lock,
 * so that a stop can wait for those underway. Thread-safe; changes of the phase are
 * guarded by the monitor.
 */
final class ClientLifecycle {

	private final Function<ClientThreads, LeaseRenewer> renewers;

	private final ReentrantReadWriteLock claims = new ReentrantReadWriteLock();

	private volatile Running running;

	private volatile Phase phase = Phase.NEW;

	ClientLifecycle(Function<ClientThreads, LeaseRenewer> renewers) {
		this.renewers = renewers;
		this.running = create();
	}

	/**
	 * Run, unless running already.
	 */
	synchronized void start() {
		if (this.phase == Phase.STOPPED) {
			this.running = create();
		}
		if (this.phase != Phase.RUNNING) {
			this.running.renewer().start();
			this.phase = Phase.RUNNING;
		}
	}

	/**
	 * Run if nobody said anything yet.
	 * @return whether the client runs
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
	 * Take no more claims and renew nothing more.
	 */
	synchronized void stop() {
		this.phase = Phase.STOPPED;
		this.running.renewer().stop();
	}

	/**
	 * Wait until no claim is underway any more.
	 * @param timeout how long at most
	 */
	void awaitClaims(Duration timeout) {
		boolean interrupted = Thread.interrupted();
		try {
			if (this.claims.writeLock().tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
				this.claims.writeLock().unlock();
			}
		}
		catch (InterruptedException ex) {
			interrupted = true;
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * End the threads.
	 */
	void stopThreads() {
		this.running.threads().stop();
	}

	/**
	 * Begin a claim.
	 * @return whether the client runs; if so, {@link #endClaim()} must follow on the same
	 * thread
	 */
	boolean beginClaim() {
		this.claims.readLock().lock();
		if (this.phase == Phase.RUNNING) {
			return true;
		}
		this.claims.readLock().unlock();
		return false;
	}

	void endClaim() {
		this.claims.readLock().unlock();
	}

	ClientThreads threads() {
		return this.running.threads();
	}

	LeaseRenewer renewer() {
		return this.running.renewer();
	}

	private Running create() {
		ClientThreads threads = new ClientThreads();
		return new Running(threads, this.renewers.apply(threads));
	}

	private enum Phase {

		NEW, RUNNING, STOPPED

	}

	private record Running(ClientThreads threads, LeaseRenewer renewer) {

	}

}
