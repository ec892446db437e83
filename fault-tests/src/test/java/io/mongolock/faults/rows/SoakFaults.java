package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import io.mongolock.test.proxy.CommandSelection;
import io.mongolock.test.proxy.FaultCount;

/**
 * Faults in an order that a seed decides. Not thread-safe.
 */
final class SoakFaults {

	private static final List<String> COMMANDS = List.of("findAndModify", "update");

	private final Random random;

	private final List<SoakWorker> workers;

	private final Duration longestPause;

	private int count;

	/**
	 * Create faults.
	 * @param seed decides everything
	 * @param workers whom they befall
	 * @param longestPause how long a worker stands still at most
	 */
	SoakFaults(long seed, List<SoakWorker> workers, Duration longestPause) {
		this.random = new Random(seed);
		this.workers = workers;
		this.longestPause = longestPause;
	}

	/**
	 * Let one happen, and some time pass.
	 */
	void next() {
		SoakWorker worker = this.workers.get(this.random.nextInt(this.workers.size()));
		int kind = this.random.nextInt(20);
		if (kind < 12) {
			fault(worker);
		}
		else if (kind < 14) {
			worker.proxy().cut();
		}
		else if (kind < 16) {
			worker.proxy().blackhole();
			pause(100, 6000);
			worker.proxy().heal();
		}
		else if (kind < 19) {
			worker.jvm().suspend();
			pause(10, (int) this.longestPause.toMillis());
			worker.jvm().resume();
		}
		else {
			worker.replace();
		}
		this.count++;
		pause(10, 150);
	}

	int count() {
		return this.count;
	}

	private void fault(SoakWorker worker) {
		CommandSelection on = worker.proxy().on(COMMANDS.get(this.random.nextInt(COMMANDS.size()))).collection("locks");
		Duration delay = Duration.ofMillis(this.random.nextInt(4000));
		FaultCount fault = switch (this.random.nextInt(10)) {
			case 0 -> on.dropRequest();
			case 1 -> on.dropReply();
			case 2 -> on.duplicateRequest();
			case 3, 4 -> on.delayRequest(delay);
			case 5 -> on.delayReply(delay);
			case 6 -> on.drip(20);
			case 7 -> on.cutBeforeReply();
			case 8 -> on.cutInReply();
			default -> on.halfOpen();
		};
		fault.times(1 + this.random.nextInt(3));
	}

	private void pause(int least, int most) {
		LockSupport.parkNanos(Duration.ofMillis(least + this.random.nextInt(most - least)).toNanos());
	}

}
