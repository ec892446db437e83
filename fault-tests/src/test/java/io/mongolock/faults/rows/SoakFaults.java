package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.mongolock.faults.harness.MixedWorkers;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.test.proxy.CommandSelection;
import io.mongolock.test.proxy.FaultCount;
import io.mongolock.test.proxy.FaultProxy;

/**
 * Faults in an order that a seed decides. Not thread-safe.
 */
final class SoakFaults {

	private static final List<String> COMMANDS = List.of("findAndModify", "update");

	private final Random random;

	private final WorkerProcesses processes;

	private final MixedWorkers workers;

	private final List<FaultProxy> proxies;

	private final Duration longest;

	private int count;

	private int atOnce;

	/**
	 * The seed decides everything; nothing stands still for longer than the longest. Each
	 * worker is behind the proxy of its place.
	 */
	SoakFaults(long seed, WorkerProcesses processes, MixedWorkers workers, List<FaultProxy> proxies, Duration longest) {
		this.random = new Random(seed);
		this.processes = processes;
		this.workers = workers;
		this.proxies = proxies;
		this.longest = longest;
	}

	/**
	 * Let one happen, and some time pass.
	 */
	void next() {
		List<Integer> those = some();
		int kind = this.random.nextInt(24);
		if (kind < 12) {
			those.forEach(this::fault);
		}
		else if (kind < 14) {
			those.forEach((place) -> this.proxies.get(place).cut());
		}
		else if (kind < 16) {
			those.forEach((place) -> this.proxies.get(place).blackhole());
			pause(100, 6000);
			those.forEach((place) -> this.proxies.get(place).heal());
		}
		else if (kind < 19) {
			suspend(those, 800);
		}
		else if (kind < 20) {
			// Beyond the lease, if there is time for that
			suspend(those, 8000);
		}
		else if (kind < 22) {
			those.forEach(this.workers::replace);
		}
		else {
			this.processes.server().ifPresent((server) -> {
				server.suspend();
				pause(10, 6000);
				server.resume();
			});
		}
		this.count++;
		this.atOnce += (those.size() > 1) ? 1 : 0;
		pause(10, 150);
	}

	/** How many happened to several workers, or all of them, at once. */
	int atOnce() {
		return this.atOnce;
	}

	int count() {
		return this.count;
	}

	private List<Integer> some() {
		List<Integer> shuffled = new ArrayList<>(IntStream.range(0, this.workers.size()).boxed().toList());
		Collections.shuffle(shuffled, this.random);
		int size = (this.random.nextBoolean()) ? 1 : 1 + this.random.nextInt(shuffled.size());
		return shuffled.subList(0, size);
	}

	private void suspend(List<Integer> those, int atMostMillis) {
		this.workers.suspend(those, time(10, atMostMillis));
	}

	private void fault(int place) {
		CommandSelection on = this.proxies.get(place)
			.on(COMMANDS.get(this.random.nextInt(COMMANDS.size())))
			.collection("locks");
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
		LockSupport.parkNanos(time(least, most).toNanos());
	}

	private Duration time(int least, int most) {
		Duration time = Duration.ofMillis(least + this.random.nextInt(most - least));
		return (time.compareTo(this.longest) < 0) ? time : this.longest;
	}

}
