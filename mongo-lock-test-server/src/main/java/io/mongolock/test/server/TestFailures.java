package io.mongolock.test.server;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Counts the tests of this JVM that fail, for the servers that it started. JUnit finds
 * this class by itself.
 */
public final class TestFailures implements TestExecutionListener {

	@Override
	public void executionFinished(TestIdentifier test, TestExecutionResult result) {
		if (result.getStatus() == Status.FAILED) {
			Failures.add();
		}
	}

}
