package io.mongolock.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

import io.mongolock.LockSettings;
import io.mongolock.store.LeaseId;
import io.mongolock.store.RenewalAnswer;

/**
 * A {@link RenewalSchedule} with a store whose requests take time, but none that passes.
 * The store executes the statements of a request one after the other; at a blocked
 * document it waits, and so do the statements behind.
 */
final class VirtualRenewals {

	static final long FOR_EVER = Long.MAX_VALUE / 2;

	private final Random random = new Random(1);

	private final RenewalSchedule schedule = new RenewalSchedule((bound) -> this.random.nextInt((int) bound));

	private final PriorityQueue<Event> events = new PriorityQueue<>();

	private final Map<String, long[]> blocked = new HashMap<>();

	private final Set<String> missing = new HashSet<>();

	private final Set<String> refused = new HashSet<>();

	private final Map<String, Long> lost = new HashMap<>();

	private final List<Lease> leases = new ArrayList<>();

	private long latency = 5;

	private long silentFrom = FOR_EVER;

	private long silentUntil = FOR_EVER;

	private boolean hanging;

	private boolean refusing;

	private long now;

	private long count;

	private int inFlight;

	int mostInFlight;

	int requests;

	/**
	 * Hold locks from now on.
	 * @param prefix of their keys, which end with a number from 0
	 */
	void hold(int number, String prefix, Duration ttl) {
		LockTerms terms = LockTerms.of(LockSettings.builder().ttl(ttl).build());
		for (int i = 0; i < number; i++) {
			LeaseId id = new LeaseId(prefix + i, prefix + i);
			Lease lease = new Lease(id, 1, terms, clock(), (lost) -> this.lost.put(lost.id().key(), this.now));
			this.leases.add(lease);
			this.schedule.add(lease, clock());
		}
	}

	void block(String key, long from, long until) {
		this.blocked.put(key, new long[] { from, until });
	}

	void remove(String key) {
		this.missing.add(key);
	}

	/**
	 * Have the store refuse the renewals of a document, whatever goes along with them.
	 */
	void refuse(String key, boolean refused) {
		if (refused) {
			this.refused.add(key);
		}
		else {
			this.refused.remove(key);
		}
	}

	void silent(long from, long until) {
		this.silentFrom = from;
		this.silentUntil = until;
	}

	/**
	 * Have the primary never answer what it is sent from then on, until there is another.
	 */
	void hang(long from, long elected) {
		silent(from, elected);
		this.hanging = true;
		this.inFlight++;
		after(elected, () -> this.schedule.primaryChanged(clock()));
	}

	void latency(long millis) {
		this.latency = millis;
	}

	void refuse() {
		this.refusing = true;
	}

	/**
	 * Let time pass.
	 * @param millis until when
	 */
	void runUntil(long millis) {
		look();
		while (true) {
			long next = this.now + Math.max(1, (this.schedule.nextIn(clock()) + 999_999) / 1_000_000);
			Event event = this.events.peek();
			if (Math.min(next, (event != null) ? event.at() : FOR_EVER) > millis) {
				return;
			}
			if (event != null && event.at() <= next) {
				this.events.remove();
				this.now = event.at();
				event.action().run();
			}
			else {
				this.now = next;
			}
			look();
		}
	}

	Map<String, Long> lost() {
		return this.lost;
	}

	long held() {
		return this.leases.stream().filter((lease) -> lease.isHeld(clock())).count();
	}

	private void look() {
		for (RenewalBatch batch : this.schedule.due(clock())) {
			this.requests++;
			this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
			send(batch, clock());
		}
	}

	private void send(RenewalBatch batch, ClockReading requested) {
		long gaveUp = this.now + batch.timeout().toMillis();
		boolean silent = this.now >= this.silentFrom && this.now < this.silentUntil;
		long answered = (silent && this.hanging) ? FOR_EVER
				: Math.max(this.now, (silent) ? this.silentUntil : 0) + this.latency;
		int found = 0;
		Set<LeaseId> failed = batch.leases()
			.stream()
			.map(Lease::id)
			.filter((id) -> this.refused.contains(id.key()))
			.collect(Collectors.toSet());
		for (Lease lease : batch.leases()) {
			long[] block = this.blocked.getOrDefault(lease.id().key(), new long[2]);
			answered = (answered >= block[0]) ? Math.max(answered, block[1]) : answered;
			found += (this.missing.contains(lease.id().key()) || failed.contains(lease.id())) ? 0 : 1;
		}
		if (this.refusing || answered >= gaveUp) {
			after((this.refusing) ? this.now + 1 : gaveUp, () -> this.schedule.failed(batch, clock()));
		}
		else {
			RenewalAnswer answer = new RenewalAnswer(found, failed, null);
			after(answered, () -> this.schedule.answered(batch, answer, requested, clock()));
		}
	}

	private void after(long at, Runnable action) {
		this.events.add(new Event(at, this.count++, () -> {
			this.inFlight--;
			action.run();
		}));
	}

	private ClockReading clock() {
		return LeaseTests.at(this.now);
	}

	private record Event(long at, long number, Runnable action) implements Comparable<Event> {

		@Override
		public int compareTo(Event other) {
			return (this.at != other.at) ? Long.compare(this.at, other.at) : Long.compare(this.number, other.number);
		}

	}

}
