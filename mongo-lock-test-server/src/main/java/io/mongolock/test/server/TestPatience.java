package io.mongolock.test.server;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Makes the tests of this build wait longer than Awaitility's 10 s, which are too short
 * on a busy machine. It also keeps a test from failing because of an exception in a
 * thread of another test that runs at the same time. JUnit finds this class by itself. If
 * the build does not say how long to wait, this class changes nothing.
 */
public final class TestPatience implements TestExecutionListener {

	@Override
	public void testPlanExecutionStarted(TestPlan plan) {
		Long seconds = Long.getLong("test-patience.seconds");
		if (seconds != null) {
			Awaitility.setDefaultTimeout(Duration.ofSeconds(seconds));
			Awaitility.doNotCatchUncaughtExceptionsByDefault();
		}
	}

}
