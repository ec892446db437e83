package io.mongolock.test;

import org.springframework.context.ApplicationContext;

/**
 * Finds locks that are taken in opposite orders, before two callers that do so at the
 * same time wait for each other. In Spring's tests, each application context records from
 * its start on which names of locks its threads take while they hold others, even if no
 * thread waits. Nothing is recorded elsewhere.
 */
public final class LockOrder {

	private LockOrder() {
	}

	/**
	 * Fail if locks were taken in opposite orders. This includes two names that were each
	 * taken inside the other, and several names in a circle. It also includes one name
	 * with a lower key taken inside a higher key, and a higher key inside a lower key.
	 * Several keys of one call are taken in the order of the keys. An attempt that does
	 * not wait, by its request or by SKIP, counts only as an outer lock. Wait timeouts in
	 * the application's settings are not considered. Locks of handles do not count,
	 * because handles are not bound to a thread.
	 * @param context the context of the test
	 * @throws AssertionError if there are such locks; it names them, and its suppressed
	 * exceptions show where each was taken
	 * @throws IllegalStateException if nothing is recorded, because this is not a test's
	 * context
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
