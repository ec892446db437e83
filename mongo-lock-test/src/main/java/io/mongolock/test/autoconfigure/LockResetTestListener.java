package io.mongolock.test.autoconfigure;

import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

import io.mongolock.client.LockTemplate;
import io.mongolock.test.InMemoryLockStore;

/**
 * Has all locks free again after a test method.
 */
class LockResetTestListener implements TestExecutionListener, Ordered {

	private static final Log logger = LogFactory.getLog(LockResetTestListener.class);

	/**
	 * After a test method the reverse counts: behind the transaction of the test (4000),
	 * which keeps its locks until then, and before the context is closed (3000).
	 */
	@Override
	public int getOrder() {
		return 3900;
	}

	@Override
	public void afterTestMethod(TestContext context) {
		AutoConfigureMongoLockTest annotation = TestContextAnnotationUtils.findMergedAnnotation(context.getTestClass(),
				AutoConfigureMongoLockTest.class);
		if (annotation != null && annotation.reset() && context.hasApplicationContext()) {
			ApplicationContext application = context.getApplicationContext();
			application.getBeanProvider(InMemoryLockStore.class)
				.ifAvailable((store) -> reset(store, application, context.getTestMethod().toGenericString()));
		}
	}

	private static void reset(InMemoryLockStore store, ApplicationContext application, String test) {
		List<String> held = store.clear();
		if (!held.isEmpty()) {
			logger.warn("Locks were still held after " + test + " and are now lost: " + held
					+ ". Release them in the test, or wait for the work that holds them; "
					+ "@AutoConfigureMongoLockTest(reset = false) keeps them");
		}
		// This application may hold them itself, and learns of it by a renewal
		application.getBeanProvider(LockTemplate.class).ifAvailable((client) -> held.forEach(client::renew));
	}

}
