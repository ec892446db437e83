package io.mongolock.test.server;

import java.io.PrintStream;

import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Reports which tests of this JVM fail, for the logs of the servers that they started,
 * and for their own output if the build writes it to files. JUnit finds this class by
 * itself, and calls it on the thread of the test.
 */
public final class TestFailures implements TestExecutionListener {

	private final TestOutput output = new TestOutput(TestOutput.console());

	private @Nullable PrintStream out;

	private @Nullable PrintStream err;

	@Override
	public void testPlanExecutionStarted(TestPlan plan) {
		ServerLogs.OF_THIS_JVM.watch();
		if (Boolean.getBoolean("test-output.in-files")) {
			this.out = System.out;
			this.err = System.err;
			System.setOut(this.output.keep(this.out));
			System.setErr(this.output.keep(this.err));
		}
	}

	// If classes are handed out to several JVMs, each class has its own plan
	@Override
	public void testPlanExecutionFinished(TestPlan plan) {
		if (this.out != null && this.err != null) {
			System.setOut(this.out);
			System.setErr(this.err);
		}
	}

	@Override
	public void executionFinished(TestIdentifier test, TestExecutionResult result) {
		boolean failed = result.getStatus() == Status.FAILED;
		ServerLogs.OF_THIS_JVM.testEnded(failed);
		this.output.testEnded(test.getDisplayName(), failed);
	}

}
