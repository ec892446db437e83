package io.mongolock.faults.simulation;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.mongolock.core.LockTerms;
import io.mongolock.faults.simulation.Coverage.Event;
import io.mongolock.store.LeaseId;

/**
 * The attempts of one history, and what is written down and counted of them.
 */
final class Histories {

	private final Timeline timeline;

	private final Trace trace;

	final Coverage coverage;

	private final Map<String, LeaseHistory> histories = new LinkedHashMap<>();

	Histories(Timeline timeline, Trace trace, Coverage coverage) {
		this.timeline = timeline;
		this.trace = trace;
		this.coverage = coverage;
	}

	LeaseHistory begins(LeaseId id, SimulatedProcess client, LockTerms terms, int limit, boolean last) {
		LeaseHistory history = new LeaseHistory(id, client, terms, limit, last);
		this.histories.put(id.leaseToken(), history);
		return history;
	}

	Collection<LeaseHistory> all() {
		return this.histories.values();
	}

	LeaseHistory of(String token) {
		return Objects.requireNonNull(this.histories.get(token));
	}

	void count(Event event) {
		this.coverage.count(event);
	}

	void event(String who, String what, Object... subject) {
		this.trace.add(this.timeline.now(), who, what, subject);
	}

	void event(LeaseHistory history, String what, Event event) {
		event(history.client.name, what, history.id.key(), history);
		count(event);
	}

}
