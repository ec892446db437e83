package io.mongolock.faults.simulation;

import java.util.List;

import io.mongolock.LockRequest;
import io.mongolock.core.LockTerms;

/**
 * One thread of a client: wants a lock, works under it, releases it, and again.
 */
final class SimulatedWorker {

	private final String name;

	private final SimulatedClient client;

	private final List<LockTerms> terms;

	private final List<LockRequest> locks;

	private final long until;

	private final boolean crowded;

	private int rounds;

	// The last terms are for waitFor; where many want the same, each works and rests less
	SimulatedWorker(String name, SimulatedClient client, List<LockTerms> terms, List<LockRequest> locks, long until,
			boolean crowded) {
		this.name = name;
		this.client = client;
		this.terms = terms;
		this.locks = locks;
		this.until = until;
		this.crowded = crowded;
	}

	void work() {
		if (this.client.timeline.now() < this.until) {
			LockRequest lock = this.locks.get((int) this.client.timeline.between(0, this.locks.size()));
			long ttl = this.terms.get(0).ttl().toNanos();
			LockTerms terms = this.terms.get((int) this.client.timeline.between(0, this.terms.size() - 1L));
			int acts = (int) this.client.timeline.between(1, 8);
			run(new Errand(lock, terms, token(), acts, (this.crowded) ? ttl / 30 : ttl / 3, false));
		}
	}

	// Holds a lock for most of the time
	void workLong() {
		long ttl = this.terms.get(0).ttl().toNanos();
		LockTerms terms = this.terms.get((this.client.timeline.chance(0.8)) ? 0 : 2);
		run(new Errand(this.locks.get(0), terms, token(), (int) this.client.timeline.between(5, 25), ttl / 3, false));
	}

	// Wait for what others left, however long it takes
	void waitFor(LockRequest lock) {
		LockTerms terms = this.terms.get(this.terms.size() - 1);
		run(new Errand(lock, terms, token(), 1, terms.ttl().toNanos() / 10, true));
	}

	private void run(Errand errand) {
		SimulatedAttempt.run(errand, this.client, (history) -> {
			if (history != null) {
				new SimulatedHold(errand, this.client, history, this::rest).begin();
			}
			else {
				rest();
			}
		});
	}

	private void rest() {
		this.client.after(
				this.client.timeline.between(0, this.terms.get(0).ttl().toNanos() / ((this.crowded) ? 20 : 2)),
				this::work);
	}

	private String token() {
		return this.name + "." + ++this.rounds;
	}

	/**
	 * What for: how often to act under the lock, at most how long apart; the last waits
	 * as long as it takes.
	 */
	record Errand(LockRequest request, LockTerms terms, String token, int acts, long rest, boolean last) {
	}

}
