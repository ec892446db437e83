package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/**
 * Warns of methods that wait for a lock on a thread of Reactor that must not block, once
 * each. Thread-safe.
 */
class NonBlockingThreads {

	private static final Log logger = LogFactory.getLog(NonBlockingThreads.class);

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.scheduler.Schedulers",
			NonBlockingThreads.class.getClassLoader());

	private final Set<Method> warned = ConcurrentHashMap.newKeySet();

	void warnIfOnOne(Method method, Class<?> targetClass) {
		if (REACTOR && Reactor.isNonBlocking() && this.warned.add(method)) {
			logger.warn("@DistributedLock method " + InvalidLockMethodException.describe(method, targetClass)
					+ " waits for its lock on " + Thread.currentThread().getName()
					+ ", a thread that must not block: all that this thread serves waits with it. Call the method on "
					+ "Schedulers.boundedElastic(), for instance with Mono.fromCallable(…).subscribeOn(…)");
		}
	}

	/** Loaded only if Reactor is there. */
	private static final class Reactor {

		private static boolean isNonBlocking() {
			return Schedulers.isInNonBlockingThread();
		}

	}

}
