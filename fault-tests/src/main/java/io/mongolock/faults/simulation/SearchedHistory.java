package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.mongolock.LockRequest;
import io.mongolock.core.HandOver;
import io.mongolock.core.LockTerms;
import io.mongolock.faults.simulation.SimulatedWorker.Errand;

/**
 * A small history, all of which follows from {@link Choices}: what becomes of each
 * message, how long all that takes time takes, and after each event whether something
 * fails. Belongs to one thread.
 */
final class SearchedHistory {

	private static final long TTL = Scope.TERMS.ttl().toNanos();

	/** When all that went wrong is over. */
	private static final long HEALS = TTL * 3 / 2;

	/** Shorter than most work, so that turns end. */
	private static final HandOver HAND_OVER = new HandOver(Duration.ofMillis(500), 1000);

	/** Between two claims of one thread. */
	private static final long PAUSE = 80_000_000;

	/** Anything may become of any message; how probable it is does not count here. */
	private static final FaultProfile MESSAGES = new FaultProfile(0.1, 0.1, 0.1, 0.1, 0, 0, 0, 0, 0, 0, 0, 0.1, 0, 0, 0,
			0.1);

	/** Not made anew for each history. */
	private static final Map<Scope, List<LockTerms>> MANNERS = Stream.of(Scope.values())
		.collect(Collectors.toUnmodifiableMap(Function.identity(), (scope) -> scope.timings().manners(scope.linger())));

	private final Scope scope;

	private final Choices choices;

	private final Trace trace;

	private final SimulatedWorld world;

	private final List<LockTerms> manners;

	private final List<SimulatedClient> clients = new ArrayList<>();

	/** When the last choice was made that was not the usual one. */
	private long disturbedAt = -TTL;

	/** Whether more failed than messages and single documents. */
	private boolean failed;

	/** Whether there was any event. */
	private boolean begun;

	private SearchedHistory(Scope scope, Choices choices, Trace trace) {
		this.scope = scope;
		this.choices = choices;
		this.trace = trace;
		this.manners = Objects.requireNonNull(MANNERS.get(scope));
		this.world = new SimulatedWorld(choices, scope.timings(), MESSAGES, this::healedAt, new Coverage(), trace);
	}

	static void run(Scope scope, Choices choices, Trace trace) {
		new SearchedHistory(scope, choices, trace).run();
	}

	// Nothing that went wrong loses messages for longer than a ttl
	private long healedAt() {
		return Math.min(HEALS, this.disturbedAt + TTL);
	}

	private void run() {
		if (this.choices.areUsual()) {
			this.world.judge.store.expectOrder();
		}
		for (Scope.Client wants : this.scope.clients()) {
			SimulatedClient client = this.world.client("c" + (this.clients.size() + 1), HAND_OVER);
			this.clients.add(client);
			for (int thread = 1; thread <= wants.threads().size(); thread++) {
				Scope.Want want = wants.threads().get(thread - 1);
				String name = client.name + "." + thread;
				client.after(want.after() * 1_000_000, () -> run(want, client, name, 1));
			}
		}
		Timeline timeline = this.world.timeline;
		timeline.at(HEALS, () -> {
			this.world.heal();
			this.choices.settle();
			SimulatedClient last = this.world.client("last", HAND_OVER);
			List<LockRequest> locks = this.scope.locks();
			for (int i = 0; i < locks.size(); i++) {
				new SimulatedWorker("last." + i, last, this.manners, locks, HEALS, false).waitFor(locks.get(i));
			}
		});
		int unusual = 0;
		while (timeline.step()) {
			Set<String> active = this.trace.active();
			if (!active.isEmpty() && timeline.now() < HEALS) {
				mayFail(active);
			}
			if (this.choices.met() != unusual) {
				unusual = this.choices.met();
				this.disturbedAt = timeline.now();
			}
		}
		this.world.judge(this.clients, profile());
	}

	// No single message or document costs anybody a lock, except that of the document
	private FaultProfile profile() {
		return switch (this.choices.met()) {
			case 0 -> FaultProfile.CALM;
			case 1 -> (this.failed) ? MESSAGES : FaultProfile.MILD;
			default -> MESSAGES;
		};
	}

	private void run(Scope.Want want, SimulatedClient client, String thread, int time) {
		String token = (want.times() > 1) ? thread + "." + time : thread;
		Errand errand = new Errand(want.lock(), this.manners.get(want.manner()), token, want.acts(),
				want.rest() * 1_000_000, false);
		Runnable next = () -> {
			if (time < want.times()) {
				client.after(this.world.timeline.between(0, PAUSE), () -> run(want, client, thread, time + 1));
			}
		};
		SimulatedAttempt.run(errand, client, (history) -> {
			if (history != null) {
				new SimulatedHold(errand, client, history, next).begin();
			}
			else {
				next.run();
			}
		});
	}

	// What fails after an event of others might as well have failed before it; but which
	// writes a failover forgets, and which requests meet it, depends on all
	private void mayFail(Set<String> active) {
		List<Runnable> faults = new ArrayList<>();
		this.clients.stream().filter((client) -> active.contains(client.name)).forEach((client) -> add(client, faults));
		SimulatedServers servers = this.world.servers;
		faults.add(() -> servers.fail(TTL / 100));
		if (active.contains("store") || !this.begun) {
			this.begun = true;
			add(servers, faults);
		}
		int fault = this.choices.among(faults.size() + 1);
		if (fault > 0) {
			this.failed = true;
			faults.get(fault - 1).run();
		}
	}

	// A cut does not outlast the lease, a short standstill just does, and a long one also
	// the lease of another
	private void add(SimulatedClient client, List<Runnable> faults) {
		faults.add(client::crash);
		faults.add(() -> client.pause(TTL * 3 / 5));
		faults.add(() -> client.pause(TTL * 3 / 2));
		faults.add(() -> client.suspend(TTL * 3 / 2));
		faults.add(() -> client.cut(Math.min(TTL / 2, HEALS - this.world.timeline.now())));
	}

	private void add(SimulatedServers servers, List<Runnable> faults) {
		faults.add(servers::failAfterWrite);
		faults.add(() -> servers.clock.set(Scope.TERMS.margin().toNanos() - 10_000_000));
		faults.add(() -> servers.clock.set(TTL));
		faults.add(() -> {
			servers.block("a", Math.min(HEALS, this.world.timeline.now() + TTL));
			this.failed = false;
		});
	}

}
