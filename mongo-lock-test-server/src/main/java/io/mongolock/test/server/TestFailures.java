package io.mongolock.test.server;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Says which tests of this JVM fail, for the logs of the servers that they started. JUnit
 * finds this class by itself, and calls it on the thread of the test.
 */
public final class TestFailures implements TestExecutionListener {

	@Override
	public void testPlanExecutionStarted(TestPlan plan) {
		ServerLogs.OF_THIS_JVM.watch();
	}

	@Override
	public void executionFinished(TestIdentifier test, TestExecutionResult result) {
		ServerLogs.OF_THIS_JVM.testEnded(result.getStatus() == Status.FAILED);
	}

}
