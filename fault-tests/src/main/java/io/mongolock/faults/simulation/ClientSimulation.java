package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.mongolock.LockRequest;
import io.mongolock.core.HandOver;
import io.mongolock.core.LockTerms;

/**
 * One history of the product's own clients, with all their threads, one of which runs at
 * a time. Beside the faults of a {@link Simulation} documents are deleted, single
 * statements refused, threads stand still and are interrupted, and clients are stopped
 * and started again. In every other history leases linger.
 */
final class ClientSimulation {

	private final SplittableRandom random;

	private final boolean lingers;

	private final Coverage coverage;

	private final Trace trace;

	private final List<SimulatedJvm> jvms = new ArrayList<>();

	private ClientSimulation(long seed, Coverage coverage, Trace trace) {
		this.random = new SplittableRandom(seed);
		this.lingers = seed % 2 != 0;
		this.coverage = coverage;
		this.trace = trace;
	}

	static void run(long seed, Coverage coverage, Trace trace) {
		new ClientSimulation(seed, coverage, trace).run();
	}

	private void run() {
		Timings timings = Timings.of(this.random);
		List<LockTerms> manners = timings.manners((this.lingers) ? timings.shortest().dividedBy(4) : Duration.ZERO);
		FaultProfile profile = (this.random.nextInt(8) == 0) ? FaultProfile.CALM
				: FaultProfile.of(this.random, manners.get(0));
		boolean restarts = !profile.isMild() || profile.isCalm() && this.random.nextBoolean();
		List<LockRequest> locks = Simulation.LOCKS.get(this.random.nextInt(Simulation.LOCKS.size()));
		long ttl = timings.shortest().toNanos();
		long heals = timings.shortest().multipliedBy(2).plus(timings.longest()).toNanos();
		SimulatedWorld world = new SimulatedWorld(Chance.of(this.random), timings, profile, () -> heals, this.coverage,
				this.trace);
		Timeline timeline = world.timeline;
		Batons batons = new Batons(timeline);
		SimulatedServers servers = world.servers;
		if (profile.isCalm() && !restarts) {
			world.judge.store.expectOrder();
		}
		HandOver handOver = Simulation.handOver(this.random, timings.shortest());
		boolean standsStill = restarts && this.random.nextInt(4) != 0;
		boolean crowded = this.random.nextInt(4) == 0;
		int most = (crowded) ? 5 : 2;
		int number = 2 + this.random.nextInt(2);
		for (int i = 1; i <= number; i++) {
			this.jvms.add(new SimulatedJvm("c" + i, timeline, world.network, servers, world.judge, handOver,
					timings.placeTtl(), batons, standsStill, !profile.isMild() || restarts));
		}
		for (SimulatedJvm jvm : this.jvms) {
			for (int worker = this.random.nextInt(most); worker < most; worker++) {
				jvm.startWork(new ClientWorker(jvm, batons, manners, locks, heals, crowded, profile.isMild())::work);
			}
		}
		new FaultInjector(timeline, this.jvms, servers, locks, timings, heals).plan(profile);
		if (!profile.isMild()) {
			for (LockRequest lock : locks) {
				// With a clock that was set back as well, the next fence may be lower
				sometimes(timeline, heals, (profile.clockError() <= 1) ? 3 : Integer.MAX_VALUE,
						() -> servers.deleteSoon(lock.key()));
				sometimes(timeline, heals, 4, () -> servers.refuse(lock.key(),
						Math.min(heals, timeline.now() + timeline.between(1, 2 * ttl))));
			}
		}
		for (SimulatedJvm jvm : this.jvms) {
			sometimes(timeline, heals - ttl, (restarts) ? (profile.isCalm()) ? 1 : 4 : Integer.MAX_VALUE,
					() -> jvm.restartSoon(() -> restart(jvm, timeline, ttl, profile, world.rest)));
		}
		timeline.at(heals, () -> {
			world.heal();
			SimulatedJvm last = new SimulatedJvm("last", timeline, world.network, servers, world.judge, handOver,
					timings.placeTtl(), batons, false, false);
			this.jvms.add(last);
			for (SimulatedJvm jvm : this.jvms) {
				if (!jvm.isCrashed() && !jvm.restarts) {
					locks.stream()
						.distinct()
						.forEach((lock) -> jvm.startWork(
								() -> new ClientWorker(jvm, batons, manners, locks, heals, false, true).waitFor(lock)));
				}
			}
		});
		batons.run();
		this.jvms.forEach((jvm) -> Violation.check(jvm.isAtRest(), Violation.Kind.PROGRESS,
				() -> jvm.name + " still keeps a turn that nobody takes"));
		world.rest.judge(profile);
	}

	private static void restart(SimulatedJvm jvm, Timeline timeline, long ttl, FaultProfile profile, AtRest rest) {
		long budget = (profile.isCalm()) ? ttl : timeline.between(0, ttl / 4);
		jvm.restart(budget, timeline.between(0, ttl / 4), () -> {
			if (profile.isCalm()) {
				rest.checkStopped(jvm);
			}
		});
	}

	private void sometimes(Timeline timeline, long until, int rarely, Runnable fault) {
		if (this.random.nextInt(rarely) == 0) {
			timeline.at(timeline.between(0, until), fault);
		}
	}

}
