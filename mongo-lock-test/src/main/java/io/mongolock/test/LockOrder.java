package io.mongolock.test;

import org.springframework.context.ApplicationContext;

/**
 * Finds locks that are taken in opposite orders, before two callers that do so at the
 * same time wait for each other. In Spring's tests each application context records which
 * names of locks its threads take while they work under others, from its start on, also
 * where nobody waits; nothing is recorded elsewhere.
 */
public final class LockOrder {

	private LockOrder() {
	}

	/**
	 * Fail if locks were taken in opposite orders: of two names each inside the other, or
	 * in a circle of several names; or of one name a lower key inside a higher one and
	 * the other way round. Several keys of one call are taken in the order of the keys.
	 * An attempt that does not wait, as its request or SKIP says, counts as outer lock
	 * only; wait timeouts of the application's settings are not looked at. Locks of
	 * handles, which are not bound to a thread, do not count.
	 * @param context the context of the test
	 * @throws AssertionError if there are such locks; it names them, and its suppressed
	 * exceptions show where each was taken
	 * @throws IllegalStateException if nothing is recorded, because this is no context of
	 * a test
	 */
	public static void assertConsistent(ApplicationContext context) {
		LockNestings nestings = context.getBeanProvider(LockNestings.class).getIfAvailable();
		if (nestings == null) {
			throw new IllegalStateException("The order of locks is recorded only in the application contexts of Spring "
					+ "tests, such as @SpringBootTest");
		}
		nestings.assertConsistent();
	}

}
