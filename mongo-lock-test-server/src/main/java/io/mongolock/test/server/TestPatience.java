package io.mongolock.test.server;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Has the tests of this build wait longer than the 10 s of Awaitility, which a busy
 * machine uses up, and not fail by what a thread of another test throws that runs beside
 * them. JUnit finds this class by itself; where the build does not say how long, it
 * changes nothing.
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
