package io.mongolock.faults.harness.history;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.mongolock.faults.harness.history.HistoryRecord.Died;
import io.mongolock.faults.harness.history.HistoryRecord.Lease;
import io.mongolock.faults.harness.history.HistoryRecord.Looked;
import io.mongolock.faults.harness.history.HistoryRecord.Outcome;
import io.mongolock.faults.harness.history.Violation.Kind;

/**
 * Whether no lease lasts that nobody uses: a living process releases its lease within a
 * request or two, not counting the time in which the store could not be asked or the
 * process did not run; a dead one's lasts for its ttl. Not thread-safe.
 */
final class UnusedLeases {

	/**
	 * A driver that asks whether a server that was killed is there again, for ten seconds
	 * by default, and a request.
	 */
	static final Duration PROMPT = Duration.ofSeconds(12);

	/**
	 * For how long a busy machine may leave a renewal of a process unread that has died.
	 */
	private static final Duration UNREAD = Duration.ofSeconds(3);

	/** Looks further apart than that were hindered. */
	private static final Duration LOOK = Duration.ofSeconds(1);

	private final Map<String, Long> usedUntil;

	private final Map<String, Long> died;

	private final Stalls stalls;

	private final Map<String, Long> unused = new HashMap<>();

	private final Map<String, Long> firstSeen = new HashMap<>();

	private final Map<String, Violation> violations = new HashMap<>();

	private UnusedLeases(Collection<Section> sections, Collection<Died> died, Stalls stalls) {
		this.usedUntil = sections.stream()
			.collect(Collectors.toMap((section) -> section.entered().grant(), UnusedLeases::end, Math::max));
		this.died = died.stream().collect(Collectors.toMap(Died::process, Died::nanos));
		this.stalls = stalls;
	}

	// Looked at whenever somebody did
	static UnusedLeases of(Collection<Section> sections, Collection<Died> died, Collection<Looked> looks,
			Stalls stalls) {
		UnusedLeases leases = new UnusedLeases(sections, died, stalls);
		List<Looked> inOrder = looks.stream().sorted(Comparator.comparingLong(Looked::nanos)).toList();
		Looked before = new Looked(List.of(), 0, 0);
		for (Looked look : inOrder) {
			leases.add(before, look);
			before = look;
		}
		return leases;
	}

	Collection<Violation> violations() {
		return this.violations.values();
	}

	// For how long processes that live kept leases that nobody used
	Collection<Long> kept() {
		return this.unused.values();
	}

	private static long end(Section section) {
		return (section.outcome() == Outcome.OPEN) ? Long.MAX_VALUE : section.leftNanos();
	}

	private void add(Looked before, Looked look) {
		Set<Lease> seenBefore = new HashSet<>(before.leases());
		for (Lease lease : look.leases()) {
			this.firstSeen.putIfAbsent(lease.grant(), look.nanos());
			Long death = this.died.get(lease.process());
			if (death != null && death < look.nanos()) {
				addOfDead(lease, Math.max(death, this.firstSeen.get(lease.grant())), look);
			}
			else if (seenBefore.contains(lease) && look.nanos() - before.nanos() <= LOOK.toNanos()) {
				addOfLiving(lease, before.nanos(), look);
			}
		}
	}

	private void addOfDead(Lease lease, long since, Looked look) {
		long late = look.nanos() - since - lease.ttlNanos();
		if (late > UNREAD.toNanos()) {
			violated(lease, look, "outlived process " + lease.process() + " by its ttl and " + Spread.millis(late));
		}
	}

	private void addOfLiving(Lease lease, long before, Looked look) {
		// a grant without a section is one whose caller gave up, or is about to begin
		long from = Math.max(before, this.usedUntil.getOrDefault(lease.grant(), 0L));
		long running = look.nanos() - from - this.stalls.nanos(lease.process(), from, look.nanos());
		if (from < look.nanos() && running > 0
				&& this.unused.merge(lease.grant(), running, Long::sum) > PROMPT.toNanos()) {
			violated(lease, look, "was kept by process " + lease.process() + " for "
					+ Spread.millis(this.unused.get(lease.grant())) + " in which it could have been released");
		}
	}

	// The last look counts, which says how long it was
	private void violated(Lease lease, Looked look, String what) {
		this.violations.put(lease.grant(),
				new Violation(Kind.ORPHAN, lease.key(), look.nanos(), "held by nobody: '" + lease.key() + "' " + what));
	}

}
