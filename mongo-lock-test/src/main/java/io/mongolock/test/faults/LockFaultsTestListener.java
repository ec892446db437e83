package io.mongolock.test.faults;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Ends the faults of a test method when the method ends.
 */
class LockFaultsTestListener implements TestExecutionListener {

	@Override
	public void afterTestMethod(TestContext context) {
		if (context.hasApplicationContext()) {
			context.getApplicationContext().getBeanProvider(LockFaults.class).ifAvailable(LockFaults::heal);
		}
	}

}
