package io.mongolock.observation;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

import io.mongolock.LockHandle;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LossReason;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.event.LockInstrumentation;

/**
 * Meters of the locks of one client. They are tagged with the name of a lock, never with
 * its key, because there may be millions of keys. Thread-safe.
 */
public final class LockMeters implements LockInstrumentation, SmartInitializingSingleton {

	private static final String HAND_OVER = "mongo.lock.hand.over";

	private static final String WAKE_UP = "mongo.lock.wake.up";

	/**
	 * A maximum is shown for so long that two scrapes a minute apart cannot both miss it.
	 */
	private static final Duration SHOWN_FOR = Duration.ofMinutes(3);

	private static final Map<String, String> DESCRIPTIONS = Map.of(LockObservations.ACQUIRE,
			"Time until a call gets its lock or ends without the lock", LockObservations.HOLD,
			"Time from the grant of a lock to its release", HAND_OVER,
			"Time between two successive holds in this application, if the second hold needs no request to MongoDB",
			WAKE_UP, "How long MongoDB takes to answer an attempt that was woken");

	private final MeterRegistry registry;

	private final boolean timesAttempts;

	private final ObjectProvider<LockTemplate> client;

	private final Map<String, Counter> idleTaken = new ConcurrentHashMap<>();

	private final Map<TimerId, Timer> timers = new ConcurrentHashMap<>();

	private final Set<String> expected = ConcurrentHashMap.newKeySet();

	private final Counter deadlocks;

	private final Timer renewals;

	private final Timer failedRenewals;

	private final DistributionSummary batches;

	private final DistributionSummary leaseUsed;

	private final AtomicLong clockOffset = new AtomicLong();

	private final Map<String, AtomicLong> serverClocks = new ConcurrentHashMap<>();

	/**
	 * Create meters.
	 * @param timesAttempts whether to time attempts and holds, which observations would
	 * also do
	 * @param client whose locks are shown; it may hear these meters, so it is asked for
	 * once all singletons exist
	 */
	public LockMeters(MeterRegistry registry, boolean timesAttempts, ObjectProvider<LockTemplate> client) {
		this.registry = registry;
		this.timesAttempts = timesAttempts;
		this.client = client;
		this.deadlocks = Counter.builder("mongo.lock.deadlocks")
			.description("Deadlocks in which attempts of this application waited")
			.register(registry);
		this.renewals = renewal("answered");
		this.failedRenewals = renewal("failed");
		this.batches = DistributionSummary.builder("mongo.lock.renewal.leases")
			.description("How many leases one request renews")
			.register(registry);
		this.leaseUsed = DistributionSummary.builder("mongo.lock.lease.used")
			.description("Share of a lease's time that had passed when its renewal was sent. At 1, the lock is lost")
			.distributionStatisticExpiry(SHOWN_FOR)
			.register(registry);
		TimeGauge.builder("mongo.lock.store.clock.offset", this.clockOffset, TimeUnit.MILLISECONDS, AtomicLong::get)
			.description("Estimate of how far MongoDB's clock is ahead of this machine's clock")
			.register(registry);
	}

	/**
	 * Show how many locks are held, how many attempts wait, and how many leases are idle.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		this.client.ifAvailable(this::show);
	}

	private void show(LockTemplate client) {
		Gauge.builder("mongo.lock.held", client::held)
			.description("Locks held by this application")
			.register(this.registry);
		Gauge.builder("mongo.lock.waiting", client::waiting)
			.description("Waiting attempts of this application")
			.register(this.registry);
		Gauge.builder("mongo.lock.idle", () -> client.idle().size())
			.description("Unused leases that this application keeps for its next calls")
			.register(this.registry);
	}

	/**
	 * Create the counters for alarms at zero, because an alarm on an increase needs a
	 * first value.
	 */
	public void expect(String name) {
		if (!this.expected.contains(name) && this.expected.add(name)) {
			for (LossReason reason : LossReason.values()) {
				lost(name, reason);
			}
			takenOver(name);
		}
	}

	@Override
	public void attempting(Object attempt, LockRequest request) {
		expect(LockTags.name(request));
	}

	@Override
	public void attempted(Object attempt, LockRequest request, AttemptOutcome outcome,
			@Nullable LockStoreException failure, Duration waited) {
		if (this.timesAttempts) {
			timer(LockObservations.ACQUIRE, request, LockTags.lower(outcome), LockTags.error(failure)).record(waited);
		}
	}

	@Override
	public void handedOver(LockRequest request, Duration took) {
		timer(HAND_OVER, request, null, null).record(took);
	}

	@Override
	public void tookIdle(LockRequest request) {
		// A cache, because a look in the registry would cost as much as such an attempt
		this.idleTaken.computeIfAbsent(LockTags.name(request), this::idleTaken).increment();
	}

	private Counter idleTaken(String name) {
		return Counter.builder("mongo.lock.idle.taken")
			.description("Attempts that took an idle lease of this application, without a request to MongoDB")
			.tags("lock", name)
			.register(this.registry);
	}

	@Override
	public void recalled(LockRequest request) {
		Counter.builder("mongo.lock.recalled")
			.description("Leases that were idle, or could soon be, when another instance wanted them")
			.tags("lock", LockTags.name(request))
			.register(this.registry)
			.increment();
	}

	@Override
	public void wokenUp(LockRequest request, boolean granted, Duration took) {
		timer(WAKE_UP, request, (granted) ? "granted" : "waiting", null).record(took);
	}

	@Override
	public void deadlocked() {
		this.deadlocks.increment();
	}

	@Override
	public void lost(LockHandle handle, LockRequest request, LossReason reason) {
		lost(LockTags.name(request), reason).increment();
	}

	private Counter lost(String name, LossReason reason) {
		return Counter.builder("mongo.lock.lost")
			.description("Locks lost while they were held")
			.tags("lock", name, "reason", LockTags.lower(reason))
			.register(this.registry);
	}

	@Override
	public void takenOver(LockRequest request) {
		takenOver(LockTags.name(request)).increment();
	}

	private Counter takenOver(String name) {
		return Counter.builder("mongo.lock.taken.over")
			.description("Grants of a lock after the lease of its earlier holder had run out")
			.tags("lock", name)
			.register(this.registry);
	}

	@Override
	public void ended(LockHandle handle, LockRequest request, ReleaseOutcome outcome, Duration heldFor) {
		if (this.timesAttempts) {
			timer(LockObservations.HOLD, request, LockTags.outcome(outcome), LockTags.error(outcome)).record(heldFor);
		}
	}

	@Override
	public void renewed(int leases, boolean answered, Duration took) {
		((answered) ? this.renewals : this.failedRenewals).record(took);
		this.batches.record(leases);
	}

	@Override
	public void leaseUsed(double share) {
		this.leaseUsed.record(share);
	}

	@Override
	public void storeClock(Duration ahead) {
		this.clockOffset.set(ahead.toMillis());
	}

	@Override
	public void serverClock(String server, Duration offset) {
		this.serverClocks.computeIfAbsent(server, this::serverClock).set(offset.toMillis());
	}

	private AtomicLong serverClock(String server) {
		AtomicLong offset = new AtomicLong();
		TimeGauge.builder("mongo.lock.server.clock.offset", offset, TimeUnit.MILLISECONDS, AtomicLong::get)
			.description("How far a MongoDB server's clock was ahead of the other servers' clocks at the last report")
			.tag("server", server)
			.register(this.registry);
		return offset;
	}

	private Timer renewal(String outcome) {
		return Timer.builder("mongo.lock.renewal")
			.description("Requests to renew leases")
			.tag("outcome", outcome)
			.register(this.registry);
	}

	// A cache, because the registry would build the tags each time
	private Timer timer(String meter, LockRequest request, @Nullable String outcome, @Nullable String error) {
		return this.timers.computeIfAbsent(new TimerId(meter, LockTags.name(request), outcome, error),
				(id) -> id.builder().register(this.registry));
	}

	/**
	 * Identifies a timer. Timers that observations may also feed have the tag for the
	 * error, as observations have.
	 */
	private record TimerId(String meter, String name, @Nullable String outcome, @Nullable String error) {

		Timer.Builder builder() {
			Timer.Builder builder = Timer.builder(this.meter)
				.description(DESCRIPTIONS.get(this.meter))
				.tag("lock", this.name);
			if (this.outcome != null) {
				builder.tag("outcome", this.outcome);
			}
			return (this.error != null) ? builder.tag("error", this.error) : builder;
		}

	}

}
