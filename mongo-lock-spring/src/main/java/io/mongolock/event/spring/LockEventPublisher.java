package io.mongolock.event.spring;

import java.time.Duration;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationNotAllowedException;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

import io.mongolock.LockApplicationEvent;
import io.mongolock.LockDeadlock;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockPlace;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.ReleaseRequest;
import io.mongolock.event.SelectiveListener;

/**
 * Publishes the events of locks as Spring events. Grants and releases are published only
 * if there was a listener for them when the context was last refreshed, so that they cost
 * nothing otherwise. Thread-safe.
 */
public final class LockEventPublisher implements SelectiveListener, ApplicationListener<ContextRefreshedEvent> {

	private static final Log logger = LogFactory.getLog(LockEventPublisher.class);

	private final ApplicationContext context;

	private volatile boolean heard;

	/**
	 * Create a publisher.
	 */
	public LockEventPublisher(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		this.heard = isHeard(this.context);
	}

	@Override
	public boolean hearsGrantsAndReleases() {
		return this.heard;
	}

	@Override
	public void onWaiting(LockRequest request, LockPlace place) {
		publish(new LockApplicationEvent.Waiting(request, place));
	}

	@Override
	public void onAcquired(LockHandle handle) {
		publish(new LockApplicationEvent.Granted(handle));
	}

	@Override
	public void onUnavailable(LockRequest request, List<LockHolder> holders, Duration waited) {
		publish(new LockApplicationEvent.Unavailable(request, holders, waited));
	}

	@Override
	public void onSkipped(LockRequest request, List<LockHolder> holders, Duration waited) {
		publish(new LockApplicationEvent.Skipped(request, holders, waited));
	}

	@Override
	public void onDeadlock(LockDeadlock deadlock) {
		publish(new LockApplicationEvent.Deadlocked(deadlock));
	}

	@Override
	public void onReleased(LockHandle handle, Duration keptFor) {
		publish(new LockApplicationEvent.Released(handle, keptFor));
	}

	@Override
	public void onLost(LockHandle handle, LossReason reason) {
		publish(new LockApplicationEvent.Lost(handle, reason));
	}

	@Override
	public void onExpiredUncontested(LockHandle handle) {
		publish(new LockApplicationEvent.ExpiredUncontested(handle));
	}

	@Override
	public void onTakenOver(LockHandle handle, LockHolder previous) {
		publish(new LockApplicationEvent.TakenOver(handle, previous));
	}

	@Override
	public void onRenewalFailed(LockHandle handle, Throwable failure) {
		publish(new LockApplicationEvent.RenewalFailed(handle, failure));
	}

	@Override
	public void onReleaseFailed(LockHandle handle, Throwable failure) {
		publish(new LockApplicationEvent.ReleaseFailed(handle, failure));
	}

	@Override
	public void onReleaseRequested(LockHandle handle, ReleaseRequest request) {
		publish(new LockApplicationEvent.ReleaseRequested(handle, request));
	}

	@Override
	public void onStoreClockStepped(Duration step) {
		publish(new LockApplicationEvent.StoreClockStepped(step));
	}

	@Override
	public void onServerClockOff(String server, Duration offset) {
		publish(new LockApplicationEvent.ServerClockOff(server, offset));
	}

	private void publish(LockApplicationEvent event) {
		try {
			this.context.publishEvent(event);
		}
		catch (BeanCreationNotAllowedException ex) {
			// After a failed start, the listener beans cannot be created any more
			logger.debug("An event was not published, because the application ends", ex);
		}
	}

	// An event also reaches the listeners of parent contexts
	private static boolean isHeard(@Nullable ApplicationContext context) {
		if (context instanceof AbstractApplicationContext known) {
			for (ApplicationListener<?> listener : List.copyOf(known.getApplicationListeners())) {
				if (hears(listener, LockApplicationEvent.Granted.class)
						|| hears(listener, LockApplicationEvent.Released.class)) {
					return true;
				}
			}
		}
		return context != null && isHeard(context.getParent());
	}

	private static boolean hears(ApplicationListener<?> listener, Class<?> event) {
		GenericApplicationListener generic = (listener instanceof GenericApplicationListener known) ? known
				: new GenericApplicationListenerAdapter(listener);
		return generic.supportsEventType(ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, event));
	}

}
