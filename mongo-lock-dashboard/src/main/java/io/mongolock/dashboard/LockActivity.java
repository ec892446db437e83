package io.mongolock.dashboard;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.mongolock.LockClock;
import io.mongolock.LockDeadlock;
import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LossReason;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.dashboard.Activity.Loss;
import io.mongolock.dashboard.Activity.Name;
import io.mongolock.dashboard.Activity.Stuck;
import io.mongolock.dashboard.Activity.Turn;
import io.mongolock.event.LockInstrumentation;

/**
 * Remembers what this instance did with its locks since it started, in bounded memory:
 * histograms by name, the latest turns, losses and deadlocks. Thread-safe: the monitor
 * guards everything except the histograms.
 */
final class LockActivity implements LockInstrumentation {

	static final int MAX_TURNS = 300;

	static final int MAX_LOSSES = 20;

	static final int MAX_NAMES = 100;

	private static final String OTHERS = "others";

	private final Map<String, ByName> names = new ConcurrentHashMap<>();

	private final Deque<Ended> turns = new ArrayDeque<>();

	private final Deque<Lost> losses = new ArrayDeque<>();

	private final Deque<Deadlocked> deadlocks = new ArrayDeque<>();

	private final LockClock clock;

	private long deadlocked;

	private long ended;

	private long lost;

	LockActivity(LockClock clock) {
		this.clock = clock;
	}

	@Override
	public void attempted(Object attempt, LockRequest request, AttemptOutcome outcome,
			@Nullable LockStoreException failure, Duration waited) {
		if (outcome == AttemptOutcome.GRANTED) {
			named(request).waits().record(waited);
		}
	}

	@Override
	public void ended(LockHandle handle, LockRequest request, ReleaseOutcome outcome, Duration heldFor) {
		named(request).holds().record(heldFor);
		String end = outcome.name().toLowerCase(Locale.ROOT).replace('_', ' ');
		synchronized (this) {
			this.turns.addLast(new Ended(++this.ended, request.key(), end, heldFor, this.clock.nanoTime()));
			if (this.turns.size() > MAX_TURNS) {
				this.turns.removeFirst();
			}
		}
	}

	@Override
	public void lost(LockHandle handle, LockRequest request, LossReason reason) {
		synchronized (this) {
			keep(this.losses, new Lost(++this.lost, request.key(), reason, this.clock.nanoTime()));
		}
	}

	@Override
	public void onDeadlock(LockDeadlock deadlock) {
		List<String> keys = deadlock.waits().stream().map(LockDeadlock.Wait::key).distinct().toList();
		synchronized (this) {
			keep(this.deadlocks, new Deadlocked(++this.deadlocked, keys, this.clock.nanoTime()));
		}
	}

	private static <T> void keep(Deque<T> latest, T one) {
		latest.addFirst(one);
		if (latest.size() > MAX_LOSSES) {
			latest.removeLast();
		}
	}

	/**
	 * The latest events.
	 * @param seen the number of the last turn that the page knows already
	 */
	Activity since(long seen, int held, int waiting) {
		List<Name> names = this.names.entrySet()
			.stream()
			.map((entry) -> entry.getValue().toName(entry.getKey()))
			.sorted(Comparator.comparing(Name::name))
			.toList();
		synchronized (this) {
			long now = this.clock.nanoTime();
			return new Activity(this.ended, held, waiting, Durations.BOUNDS, names,
					this.turns.stream().filter((turn) -> turn.number() > seen).map((turn) -> turn.toTurn(now)).toList(),
					this.lost, this.losses.stream().map((loss) -> loss.toLoss(now)).toList(),
					this.deadlocks.stream().map((deadlock) -> deadlock.toStuck(now)).toList());
		}
	}

	// Names come from annotations, so they are few. Other names must not fill the memory
	private ByName named(LockRequest request) {
		String name = (request.name() != null) ? request.name() : "none";
		ByName known = this.names.get(name);
		return (known != null) ? known
				: this.names.computeIfAbsent((this.names.size() < MAX_NAMES) ? name : OTHERS, (none) -> new ByName());
	}

	private static long millis(long from, long to) {
		return TimeUnit.NANOSECONDS.toMillis(to - from);
	}

	private record ByName(Durations waits, Durations holds) {

		ByName() {
			this(new Durations(), new Durations());
		}

		Name toName(String name) {
			return new Name(name, this.waits.counts(), this.holds.counts());
		}

	}

	private record Ended(long number, String key, String end, Duration heldFor, long at) {

		Turn toTurn(long now) {
			return new Turn(this.number, this.key, this.end, this.heldFor.toMillis(), millis(this.at, now));
		}

	}

	private record Deadlocked(long number, List<String> keys, long at) {

		Stuck toStuck(long now) {
			return new Stuck(this.number, this.keys, millis(this.at, now));
		}

	}

	private record Lost(long number, String key, LossReason reason, long at) {

		Loss toLoss(long now) {
			return new Loss(this.number, this.key, this.reason.name().toLowerCase(Locale.ROOT), millis(this.at, now));
		}

	}

}
