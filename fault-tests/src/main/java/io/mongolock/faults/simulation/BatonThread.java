package io.mongolock.faults.simulation;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * A thread of a simulated process, which runs only while it has the {@link Batons baton}.
 * Threads are reused: {@link #start()} begins a task on one that runs idle.
 */
final class BatonThread extends Thread {

	private static final ConcurrentLinkedDeque<BatonThread> IDLE = new ConcurrentLinkedDeque<>();

	private volatile boolean hasBaton;

	private @Nullable Runnable task;

	private @Nullable Batons batons;

	@Nullable SimulatedProcess process;

	@Nullable SimulatedErrand errand;

	/** What the judge knows of the attempt that it makes or ends. */
	@Nullable LeaseHistory history;

	/** Stands for the present wait, if any: whatever ends an earlier one is late. */
	int wait;

	boolean waits;

	/** As that of {@link LockSupport}. */
	boolean permit;

	/** Whether it may stand still for long. */
	boolean stalls;

	/** Since when, and until when, it stood still last; negative for never. */
	long stillFrom = -1;

	long stillUntil = -1;

	private boolean interrupted;

	private BatonThread() {
		super("simulated");
		setDaemon(true);
	}

	static BatonThread of(Batons batons, SimulatedProcess process, Runnable task) {
		BatonThread idle = IDLE.pollFirst();
		BatonThread thread = (idle != null) ? idle : new BatonThread();
		thread.batons = batons;
		thread.process = process;
		thread.task = task;
		thread.permit = false;
		thread.waits = false;
		thread.stalls = false;
		thread.stillFrom = -1;
		thread.stillUntil = -1;
		thread.interrupted = false;
		thread.wait++;
		if (idle == null) {
			thread.startReally();
		}
		return thread;
	}

	private void startReally() {
		super.start();
	}

	boolean isOf(Batons batons) {
		return this.batons == batons;
	}

	@Override
	public void start() {
		batons().begin(this);
	}

	@Override
	public void interrupt() {
		Batons batons = this.batons;
		if (batons == null || Thread.currentThread() == this) {
			super.interrupt();
		}
		else if (!this.interrupted) {
			this.interrupted = true;
			batons.wake(this);
		}
	}

	@Override
	public void run() {
		while (true) {
			awaitBaton();
			Batons batons = batons();
			batons.run(this, this.task);
			Thread.interrupted();
			this.task = null;
			this.process = null;
			this.history = null;
			this.errand = null;
			this.batons = null;
			batons.ended(this, () -> IDLE.addFirst(this));
		}
	}

	void giveBaton() {
		this.hasBaton = true;
		LockSupport.unpark(this);
	}

	// An interrupt that came before is felt after it
	void awaitBaton() {
		boolean interrupted = Thread.interrupted();
		while (!this.hasBaton) {
			LockSupport.park(this);
		}
		this.hasBaton = false;
		if (interrupted | this.interrupted) {
			this.interrupted = false;
			super.interrupt();
		}
	}

	private Batons batons() {
		Batons batons = this.batons;
		if (batons == null) {
			throw new IllegalStateException("runs for nobody");
		}
		return batons;
	}

}
