package io.mongolock.faults.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockStoreException.Outcome;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.faults.simulation.SimulatedCall.Kind;
import io.mongolock.faults.simulation.SimulatedCall.Request;
import io.mongolock.store.LeaseId;
import io.mongolock.test.StoreLog;

/**
 * A replica set: a primary whose writes are replicated after a while, elections that
 * forget those that were not, and at times an old primary that does not know that it is
 * none. Answers for the majority wait for replication, others do not.
 */
final class SimulatedServers {

	private final Timeline timeline;

	private final SimulatedNetwork network;

	private final Judge judge;

	private final FaultProfile profile;

	final StoreClock clock;

	StoreLog log = new StoreLog();

	/** What an old primary knows that some clients still ask. */
	private @Nullable StoreLog old;

	/** Documents that are or were blocked, and until when. */
	private final Map<String, Long> blocked = new HashMap<>();

	/** Documents whose writes are refused, as by a validator, and until when. */
	private final Map<String, Long> refused = new HashMap<>();

	private final List<Consumer<String>> watches = new ArrayList<>();

	private final List<Consumer<LeaseId>> recallWatches = new ArrayList<>();

	private final List<Runnable> elections = new ArrayList<>();

	private int replicated;

	private int term;

	long electedAt;

	private boolean healed;

	private boolean failing;

	SimulatedServers(Timeline timeline, SimulatedNetwork network, Judge judge, FaultProfile profile) {
		this.timeline = timeline;
		this.network = network;
		this.judge = judge;
		this.profile = profile;
		this.clock = new StoreClock(timeline, timeline.between(0, profile.clockError()));
		judge.store.goBy(this.clock);
	}

	void watch(Consumer<String> released) {
		this.watches.add(released);
	}

	void watchRecalls(Consumer<LeaseId> recalled) {
		this.recallWatches.add(recalled);
	}

	<T> void receive(SimulatedCall<T> call) {
		StoreLog old = this.old;
		if (old != null && call.client.asksOldPrimary) {
			answerAsOldPrimary(call, old);
		}
		else if (this.timeline.now() >= this.electedAt) {
			answer(call);
		}
		else if (this.timeline.chance(0.5)) {
			this.network.refuse(call, Outcome.NOT_EXECUTED);
		}
	}

	// As a transaction does that wrote the document
	void block(String key, long until) {
		this.blocked.merge(key, until, Math::max);
		this.judge.event("store", "blocks " + key, Event.BLOCKED);
	}

	// As a validator or a quota does
	void refuse(String key, long until) {
		this.refused.merge(key, until, Math::max);
		this.judge.event("store", "refuses " + key, Event.REFUSED);
	}

	// As an administrator does, between two milliseconds: a grant before and one after it
	// within the same one may have the same fence
	void deleteSoon(String key) {
		this.timeline.at((this.timeline.now() / 1_000_000 + 1) * 1_000_000, () -> delete(key));
	}

	private void delete(String key) {
		Set<String> holders = this.log.holders(key);
		if (this.timeline.now() >= this.electedAt && this.log.delete(key)) {
			this.judge.store.deleted(holders);
			this.replicated = this.log.length();
			this.judge.event("store", "deletes " + key, Event.DELETED);
		}
	}

	void onElection(Runnable listener) {
		this.elections.add(listener);
	}

	boolean wasBlocked(String key) {
		return this.blocked.containsKey(key);
	}

	private <T> void answer(SimulatedCall<T> call) {
		List<LeaseId> refused = refused(call.request);
		call.refused = refused;
		if (refused.size() == call.request.ids().size()) {
			this.network.refuse(call, (call.request.kind() == Kind.CLAIM) ? Outcome.REFUSED : Outcome.UNKNOWN);
			return;
		}
		Request<T> request = (refused.isEmpty()) ? call.request : call.request.without(refused);
		for (int index = 0; index < request.ids().size(); index++) {
			long until = this.blocked.getOrDefault(request.ids().get(index).key(), 0L);
			if (until > this.timeline.now() && request.kind() != Kind.LOOK) {
				waitFor(call, index, until);
				return;
			}
		}
		int before = this.log.length();
		String recalledBefore = recalled(request.id().key());
		T answer = (refused.isEmpty()) ? call.execute(this.log, this.clock.now())
				: request.execution().apply(this.log, this.clock.now());
		boolean changed = this.log.length() != before;
		this.judge.store.executed(request, this.log.grantSince(before), this.log, changed);
		if (changed && (request.kind() == Kind.RELEASE || request.kind() == Kind.LEAVE)) {
			call.request.ids().forEach((id) -> this.watches.forEach((released) -> released.accept(id.key())));
		}
		if (this.failing && this.log.length() != before) {
			this.failing = false;
			this.timeline.after(this.timeline.between(0, 5_000_000), () -> fail(1_000_000));
		}
		String recalled = recalled(request.id().key());
		LeaseId recall = (recalled != null && !recalled.equals(recalledBefore))
				? new LeaseId(request.id().key(), recalled) : null;
		int reign = this.term;
		int length = this.log.length();
		this.timeline.after(replication(), () -> {
			if (reign == this.term) {
				this.replicated = Math.max(this.replicated, length);
				if (recall != null) {
					this.recallWatches.forEach((watch) -> watch.accept(recall));
				}
				if (call.request.majority()) {
					this.network.reply(call, answer);
				}
			}
		});
		if (!request.majority()) {
			this.network.reply(call, answer);
		}
	}

	private @Nullable String recalled(String key) {
		return this.log.look(key, this.clock.now()).recalled();
	}

	private List<LeaseId> refused(Request<?> request) {
		return (request.kind() == Kind.LOOK) ? List.of()
				: request.ids()
					.stream()
					.filter((id) -> this.refused.getOrDefault(id.key(), 0L) > this.timeline.now())
					.toList();
	}

	// The statements before the one that is blocked are executed, those behind it wait as
	// well. The server ends most of what its client has given up.
	private void waitFor(SimulatedCall<?> call, int index, long until) {
		if (index > 0) {
			Request<?> before = call.request.upTo(index);
			int length = this.log.length();
			before.execution().apply(this.log, this.clock.now());
			this.judge.store.executed(before, null, this.log, this.log.length() != length);
		}
		this.timeline.at(until, () -> {
			if (!call.isOver() || this.timeline.chance(0.1)) {
				receive(call);
			}
		});
	}

	private <T> void answerAsOldPrimary(SimulatedCall<T> call, StoreLog old) {
		T answer = call.execute(old, this.clock.now());
		if (!call.request.majority()) {
			this.judge.count(Event.RELEASE_ANSWERED_BY_OLD_PRIMARY);
			this.network.reply(call, answer);
		}
	}

	private long replication() {
		boolean late = !this.healed && this.timeline.chance(this.profile.lag());
		return this.timeline.between(1_000_000, (late) ? 3_000_000_000L : 10_000_000);
	}

	// The primary fails; another, whose clock may be wrong, is elected and knows only
	// what reached it
	void fail(long election) {
		int survives = (int) this.timeline.between(this.replicated, this.log.length() + 1L);
		this.judge.store.forgets(this.log, survives);
		this.log = this.log.upTo(survives);
		this.replicated = survives;
		this.term++;
		this.electedAt = this.timeline.now() + election;
		this.judge.event("store", "fails over", Event.FAILOVER);
		stepClock();
		this.timeline.at(this.electedAt, () -> this.elections.forEach(Runnable::run));
	}

	// As soon as it has written something
	void failAfterWrite() {
		this.failing = true;
	}

	// The primary is cut off from the others, but not from all clients; the others elect
	// another
	void isolate(long election) {
		this.old = this.log.upTo(this.log.length());
		this.judge.event("store", "isolates the primary", Event.OLD_PRIMARY);
		fail(election);
	}

	// The old primary learns that it is none
	void rejoin() {
		this.old = null;
	}

	void stepClock() {
		this.clock.set(this.timeline.between(0, this.profile.clockError()));
		this.judge.event("store", "clock is set", null);
	}

	// The TTL index removes a lock that was not touched for the shortest retention
	void collect(String key, Duration ttl) {
		if (this.timeline.now() >= this.electedAt
				&& this.log.collect(key, this.clock.now().minus(ttl.multipliedBy(2)))) {
			this.replicated = this.log.length();
			this.judge.event("store", "removes " + key, Event.REMOVED_BY_TTL_INDEX);
		}
	}

	// From now on replication is quick, and there is one primary
	void heal() {
		this.healed = true;
		this.failing = false;
		this.electedAt = Math.min(this.electedAt, this.timeline.now());
		rejoin();
	}

}
