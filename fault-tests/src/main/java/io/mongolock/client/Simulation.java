package io.mongolock.client;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.core.ResolvedLockSettings;

/**
 * One history: some clients made of the product's own core, a store, and what goes wrong
 * between them. All of it follows from one seed. Belongs to one thread.
 */
final class Simulation {

	private static final List<LockRequest> ONE = List.of(LockRequest.of("a"));

	private static final List<LockRequest> TWO = List.of(LockRequest.of("a"), LockRequest.of("b"));

	private final SplittableRandom random;

	private final Coverage coverage;

	private final Trace trace;

	private final List<SimulatedClient> clients = new ArrayList<>();

	private Simulation(long seed, Coverage coverage, Trace trace) {
		this.random = new SplittableRandom(seed);
		this.coverage = coverage;
		this.trace = trace;
	}

	/**
	 * Run a history.
	 * @param seed from which all of it follows
	 * @param coverage counts what it reaches
	 * @param trace tells what happens
	 * @throws Violation if a promise is broken
	 */
	static void run(long seed, Coverage coverage, Trace trace) {
		new Simulation(seed, coverage, trace).run();
	}

	private void run() {
		ResolvedLockSettings terms = terms();
		List<ResolvedLockSettings> manners = List.of(manner(terms, 0, true), manner(terms, 0, false),
				manner(terms, 0.3, true), manner(terms, 0.8, true), manner(terms, 1.5, true), manner(terms, 1, false),
				manner(terms, 100, true));
		FaultProfile weather = FaultProfile.of(this.random, terms);
		List<LockRequest> locks = (this.random.nextInt(3) != 0) ? ONE : TWO;
		long heals = terms.ttl().toNanos() * 3;
		Timeline timeline = new Timeline(this.random);
		Judge judge = new Judge(timeline, this.trace, this.coverage, terms);
		SimulatedNetwork network = new SimulatedNetwork(timeline, this.trace, judge, terms, weather);
		SimulatedServers servers = new SimulatedServers(timeline, network, judge, weather);
		AtRest rest = new AtRest(judge, servers, terms, heals);
		judge.onOver((tenure) -> timeline.after(rest.cleanedUpAfter(), () -> rest.checkCleanedUp(tenure)));
		int number = 2 + this.random.nextInt(3);
		for (int client = 1; client <= number; client++) {
			this.clients.add(new SimulatedClient("c" + client, timeline, network, servers, judge));
		}
		for (SimulatedClient client : this.clients) {
			for (int worker = this.random.nextInt(2); worker < 2; worker++) {
				String name = client.name() + "." + worker;
				client.run(new SimulatedWorker(name, client, timeline, judge, manners, locks, heals)::work);
			}
		}
		new FaultInjector(timeline, this.clients, servers, locks, terms, heals).plan(weather);
		timeline.at(heals, () -> {
			network.heal();
			servers.heal();
			SimulatedClient last = new SimulatedClient("last", timeline, network, servers, judge);
			for (LockRequest lock : locks) {
				new SimulatedWorker("last." + lock.key(), last, timeline, judge, manners, locks, heals).waitFor(lock);
			}
		});
		timeline.run();
		rest.judge(weather.isCalm());
	}

	private ResolvedLockSettings terms() {
		Duration ttl = Duration.ofSeconds(3L + this.random.nextInt(10));
		Duration retry = ttl.dividedBy(2 + this.random.nextInt(5)).truncatedTo(ChronoUnit.MILLIS);
		return ResolvedLockSettings.of(LockSettings.builder().ttl(ttl).retryInterval(retry).build());
	}

	private static ResolvedLockSettings manner(ResolvedLockSettings terms, double ttlsToWait, boolean autoRenew) {
		Duration wait = Duration.ofMillis((long) (terms.ttl().toMillis() * ttlsToWait));
		return new ResolvedLockSettings(terms.ttl(), terms.margin(), terms.renewInterval(), terms.operationTimeout(),
				wait, terms.retryInterval(), autoRenew);
	}

}
