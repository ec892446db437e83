package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.core.HandOver;
import io.mongolock.core.ResolvedLockSettings;
import io.mongolock.faults.simulation.SimulatedWorker.Errand;

/**
 * A small history, all of which follows from {@link Choices}: what becomes of each
 * message, how long all that takes time takes, and after each event whether something
 * fails. Belongs to one thread.
 */
final class SearchedHistory {

	private static final ResolvedLockSettings TERMS = ResolvedLockSettings
		.of(LockSettings.builder().ttl(Duration.ofSeconds(3)).build());

	private static final long TTL = TERMS.ttl().toNanos();

	/** When all that went wrong is over. */
	private static final long HEALS = TTL * 3 / 2;

	/** Anything may become of any message; how probable it is does not count here. */
	private static final FaultProfile MESSAGES = new FaultProfile(0.1, 0.1, 0.1, 0.1, 0, 0, 0, 0, 0, 0, 0, 0.1, 0, 0, 0,
			0.1);

	private final Scope scope;

	private final Choices choices;

	private final Trace trace;

	private final SimulatedWorld world;

	private final List<ResolvedLockSettings> manners;

	private final List<SimulatedClient> clients = new ArrayList<>();

	private SearchedHistory(Scope scope, Choices choices, Trace trace) {
		Timings timings = new Timings(TERMS, TERMS);
		this.scope = scope;
		this.choices = choices;
		this.trace = trace;
		this.manners = timings.manners(Duration.ZERO);
		this.world = new SimulatedWorld(choices, timings, MESSAGES, HEALS, new Coverage(), trace);
	}

	static void run(Scope scope, Choices choices, Trace trace) {
		new SearchedHistory(scope, choices, trace).run();
	}

	private void run() {
		if (this.choices.areUsual()) {
			this.world.judge.store.expectOrder();
		}
		HandOver handOver = new HandOver(TERMS.ttl(), 1000);
		for (List<Scope.Want> wants : this.scope.clients()) {
			SimulatedClient client = this.world.client("c" + (this.clients.size() + 1), handOver);
			this.clients.add(client);
			for (int thread = 1; thread <= wants.size(); thread++) {
				Scope.Want want = wants.get(thread - 1);
				Errand errand = new Errand(want.lock(), this.manners.get(want.manner()), client.name + "." + thread,
						want.acts(), want.rest() * 1_000_000, false);
				client.run(() -> run(errand, client));
			}
		}
		Timeline timeline = this.world.timeline;
		timeline.at(HEALS, () -> {
			this.world.heal();
			SimulatedClient last = this.world.client("last", handOver);
			List<LockRequest> locks = this.scope.locks();
			for (int i = 0; i < locks.size(); i++) {
				new SimulatedWorker("last." + i, last, this.manners, locks, HEALS, false).waitFor(locks.get(i));
			}
		});
		List<Runnable> faults = faults();
		int before = this.trace.size();
		while (timeline.step()) {
			if (this.trace.size() != before && timeline.now() < HEALS) {
				before = this.trace.size();
				int fault = this.choices.among(faults.size() + 1);
				if (fault > 0) {
					faults.get(fault - 1).run();
				}
			}
		}
		this.world.judge(this.clients, (this.choices.areUsual()) ? FaultProfile.CALM : MESSAGES);
	}

	private static void run(Errand errand, SimulatedClient client) {
		SimulatedAttempt.run(errand, client, (history) -> {
			if (history != null) {
				new SimulatedHold(errand, client, history, () -> {
				}).begin();
			}
		});
	}

	// A standstill outlasts the lease, a cut does not; requests are refused while an
	// election
	// lasts, and sent again at once
	private List<Runnable> faults() {
		List<Runnable> faults = new ArrayList<>();
		this.clients.forEach((client) -> {
			faults.add(client::crash);
			faults.add(() -> client.pause(TTL * 3 / 2));
			faults.add(() -> client.suspend(TTL * 3 / 2));
			faults.add(() -> client.cut(TTL / 2));
		});
		SimulatedServers servers = this.world.servers;
		faults.add(() -> servers.fail(TTL / 100));
		faults.add(servers::failAfterWrite);
		faults.add(() -> servers.clock.set(TERMS.margin().toNanos() - 10_000_000));
		faults.add(() -> servers.block("a", this.world.timeline.now() + TTL));
		return faults;
	}

}
