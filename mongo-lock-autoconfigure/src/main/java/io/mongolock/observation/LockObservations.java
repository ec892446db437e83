package io.mongolock.observation;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.observation.Observation;
import io.micrometer.observation.Observation.Event;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockException;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.LossReason;
import io.mongolock.core.ReleaseDecision.ReleaseOutcome;
import io.mongolock.event.LockInstrumentation;

/**
 * Observations of attempts, and of holds from the grant to the release. Both are children
 * of the current observation of the attempting thread or, by
 * {@link ObservedSubscriptions}, of the observation in a subscriber's Context.
 * Observations of work under a lock on the holder's thread are children of the hold.
 * Thread-safe.
 */
public final class LockObservations implements LockInstrumentation {

	/** From the call to the grant, or to the end without a grant. */
	public static final String ACQUIRE = "mongo.lock.acquire";

	/** From the grant to the release. */
	public static final String HOLD = "mongo.lock.hold";

	private static final Event QUEUED = Event.of("queued");

	private static final Event WOKEN = Event.of("woken");

	private static final Event GRANTED = Event.of("granted");

	private static final Event RENEWED = Event.of("renewed");

	private static final Event LOST = Event.of("lost");

	private final ObservationRegistry registry;

	private final LockObservationConvention convention;

	private final Map<Object, Observation> attempts = new ConcurrentHashMap<>();

	private final Map<LockHandle, Observation> holds = new ConcurrentHashMap<>();

	/**
	 * Create observations.
	 */
	public LockObservations(ObservationRegistry registry, LockObservationConvention convention) {
		this.registry = registry;
		this.convention = convention;
	}

	/**
	 * Whether anything is observed.
	 */
	public boolean observes() {
		return !this.registry.isNoop();
	}

	@Override
	public void attempting(Object attempt, LockRequest request) {
		Observation observation = create(ACQUIRE, request);
		if (!observation.isNoop()) {
			this.attempts.put(attempt, observation.start());
		}
	}

	@Override
	public Scope asking(Object attempt) {
		return scope(this.attempts.get(attempt));
	}

	@Override
	public void queued(Object attempt) {
		Observation observation = this.attempts.get(attempt);
		if (observation != null && observation.getContext() instanceof LockObservationContext context
				&& !context.hasWaited()) {
			context.waiting();
			observation.event(QUEUED);
		}
	}

	@Override
	public void woken(Object attempt) {
		eventIfWaited(this.attempts.get(attempt), WOKEN);
	}

	@Override
	public void granted(Object attempt, LockRequest request, LockHandle handle) {
		Observation acquire = this.attempts.get(attempt);
		eventIfWaited(acquire, GRANTED);
		Observation observation = create(HOLD, request);
		if (observation.isNoop()) {
			return;
		}
		if (acquire != null) {
			// Set explicitly, because other threads have no current observation
			observation.getContext().setParentObservation(acquire.getContext().getParentObservation());
		}
		this.holds.put(handle, observation.start());
	}

	@Override
	public void attempted(Object attempt, LockRequest request, AttemptOutcome outcome,
			@Nullable LockStoreException failure, Duration waited) {
		stop(this.attempts.remove(attempt), LockTags.lower(outcome), failure);
	}

	@Override
	public Scope working(LockHandle handle) {
		return scope(this.holds.get(handle));
	}

	@Override
	public void renewed(LockHandle handle) {
		event(this.holds.get(handle), RENEWED);
	}

	@Override
	public void lost(LockHandle handle, LockRequest request, LossReason reason) {
		event(this.holds.get(handle), LOST);
	}

	@Override
	public void ended(LockHandle handle, LockRequest request, ReleaseOutcome outcome, Duration heldFor) {
		stop(this.holds.remove(handle), LockTags.outcome(outcome),
				(outcome == ReleaseOutcome.LOST) ? lossOf(handle) : null);
	}

	private Observation create(String name, LockRequest request) {
		Observation observation = Observation.createNotStarted(name, () -> new LockObservationContext(request),
				this.registry);
		return (observation.isNoop()) ? observation : observation.observationConvention(this.convention);
	}

	// Without a wait, the end of the observation shows the grant. An event would cost a
	// look for a counter each time
	private static void eventIfWaited(@Nullable Observation observation, Event event) {
		if (observation != null && observation.getContext() instanceof LockObservationContext context
				&& context.hasWaited()) {
			observation.event(event);
		}
	}

	private static void event(@Nullable Observation observation, Event event) {
		if (observation != null) {
			observation.event(event);
		}
	}

	private static Scope scope(@Nullable Observation observation) {
		return (observation != null) ? observation.openScope()::close : Scope.NONE;
	}

	// The exception that the holder gets
	private static @Nullable LockLostException lossOf(LockHandle handle) {
		try {
			handle.assertHeld();
			return null;
		}
		catch (LockLostException ex) {
			return ex;
		}
	}

	private static void stop(@Nullable Observation observation, String outcome, @Nullable LockException error) {
		if (observation != null && observation.getContext() instanceof LockObservationContext context) {
			context.end(outcome);
			if (error != null) {
				observation.error(error);
			}
			observation.stop();
		}
	}

}
