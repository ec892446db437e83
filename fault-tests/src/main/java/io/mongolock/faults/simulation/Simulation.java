package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.mongolock.LockRequest;
import io.mongolock.core.HandOver;
import io.mongolock.core.LockTerms;

/**
 * One history: some clients made of the product's own core, a store, and what goes wrong
 * between them. In every other history leases linger. All of it follows from one seed.
 * Belongs to one thread.
 */
final class Simulation {

	private static final LockRequest EXCLUSIVE = LockRequest.of("a");

	private static final LockRequest SHARED = LockRequest.builder("a").shared().build();

	/** Most histories are about one key, because those find most. */
	static final List<List<LockRequest>> LOCKS = List.of(List.of(EXCLUSIVE), List.of(EXCLUSIVE),
			List.of(LockRequest.builder("a").limit(2).build()), List.of(EXCLUSIVE, SHARED, SHARED),
			List.of(EXCLUSIVE, SHARED, LockRequest.builder("a").limit(2).build()),
			List.of(EXCLUSIVE, LockRequest.builder("b").limit(3).build()));

	private final SplittableRandom random;

	private final boolean lingers;

	private final Coverage coverage;

	private final Trace trace;

	private final List<SimulatedClient> clients = new ArrayList<>();

	private int lastWorkers;

	private Simulation(long seed, Coverage coverage, Trace trace) {
		this.random = new SplittableRandom(seed);
		this.lingers = seed % 2 != 0;
		this.coverage = coverage;
		this.trace = trace;
	}

	static void run(long seed, Coverage coverage, Trace trace) {
		new Simulation(seed, coverage, trace).run();
	}

	private void run() {
		Timings timings = Timings.of(this.random);
		Duration shortest = timings.shortest();

		List<LockTerms> manners = timings.manners((this.lingers) ? shortest.dividedBy(4) : Duration.ZERO);
		FaultProfile profile = FaultProfile.of(this.random, manners.get(0));
		List<LockRequest> locks = LOCKS.get(this.random.nextInt(LOCKS.size()));
		long heals = shortest.multipliedBy(2).plus(timings.longest()).toNanos();
		SimulatedWorld world = new SimulatedWorld(Chance.of(this.random), timings, profile, () -> heals, this.coverage,
				this.trace);
		if (profile.isCalm()) {
			world.judge.store.expectOrder();
		}
		int number = 2 + this.random.nextInt(3);
		HandOver handOver = handOver(this.random, shortest);
		boolean crowded = this.random.nextInt(4) == 0;
		int most = (crowded) ? 8 : 2;
		for (int client = 1; client <= number; client++) {
			this.clients.add(world.client("c" + client, handOver));
		}
		for (SimulatedClient client : this.clients) {
			for (int worker = this.random.nextInt(most); worker < most; worker++) {
				String name = client.name + "." + worker;
				client.run(new SimulatedWorker(name, client, manners, locks, heals, crowded)::work);
			}
		}
		List<LockRequest> all = new ArrayList<>(locks);
		if (profile.isMild() && this.random.nextInt(4) == 0) {
			all.addAll(crowd(manners, heals));
		}
		new FaultInjector(world.timeline, this.clients, world.servers, all, timings, heals).plan(profile);
		world.timeline.at(heals, () -> {
			world.heal();
			SimulatedClient last = world.client("last", handOver);
			for (LockRequest lock : locks) {
				new SimulatedWorker("last." + lock.key() + this.lastWorkers++, last, manners, locks, heals, false)
					.waitFor(lock);
			}
		});
		world.timeline.run();
		world.judge(this.clients, profile);
	}

	// Holders take longer here than they mostly do
	static HandOver handOver(SplittableRandom random, Duration shortest) {
		Duration maxTime = shortest.multipliedBy(new int[] { 0, 2, 8, 30 }[random.nextInt(4)]).dividedBy(2);
		return new HandOver(maxTime, (random.nextInt(4) == 0) ? random.nextInt(4) : 1000);
	}

	// Many locks of one client, which nobody else wants, held for long
	private List<LockRequest> crowd(List<LockTerms> manners, long until) {
		List<LockRequest> locks = new ArrayList<>();
		SimulatedClient client = this.clients.get(0);
		int size = 2 + this.random.nextInt(99);
		for (int i = 0; i < size; i++) {
			LockRequest lock = LockRequest.of("crowd" + i);
			locks.add(lock);
			client.run(new SimulatedWorker("m" + i, client, manners, List.of(lock), until, false)::workLong);
		}
		return locks;
	}

}
