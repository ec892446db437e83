package io.mongolock.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import io.mongolock.event.LockInstrumentation.Scope;
import io.mongolock.interceptor.SubscriberContext;

/**
 * Makes a subscription's attempt a child of the observation in its subscriber's Context,
 * where Spring WebFlux puts the observation of the request. Makes the work under the lock
 * a child of the hold. Thread-safe.
 */
public final class ObservedSubscriptions implements SubscriberContext {

	private final ObservationRegistry registry;

	/**
	 * Create for a registry.
	 */
	public ObservedSubscriptions(ObservationRegistry registry) {
		this.registry = registry;
	}

	@Override
	public Scope claiming(ContextView context) {
		Object parent = context.getOrDefault(ObservationThreadLocalAccessor.KEY, null);
		return (parent instanceof Observation observation && observation != this.registry.getCurrentObservation())
				? observation.openScope()::close : Scope.NONE;
	}

	@Override
	public Context working(Context context) {
		Observation current = this.registry.getCurrentObservation();
		return (current != null) ? context.put(ObservationThreadLocalAccessor.KEY, current) : context;
	}

}
