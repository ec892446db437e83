package io.mongolock.event.spring;

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
	public void on(LockApplicationEvent event) {
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
