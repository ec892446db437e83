package io.mongolock.faults.mutants;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs one test class and says which of its methods fail. Exit status 1 if any does, 2 if
 * there is none.
 */
final class TestMain {

	private TestMain() {
	}

	public static void main(String[] args) {
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(DiscoverySelectors.selectClass(args[0]))
			.build();
		Failures failures = new Failures();
		LauncherFactory.create().execute(request, failures);
		System.exit((failures.failed > 0) ? 1 : (failures.passed > 0) ? 0 : 2);
	}

	private static final class Failures implements TestExecutionListener {

		private int passed;

		private int failed;

		@Override
		public void executionFinished(TestIdentifier test, TestExecutionResult result) {
			if (result.getStatus() == Status.FAILED) {
				this.failed++;
				System.out.println("Failed: " + test.getDisplayName() + " " + result.getThrowable().orElse(null));
			}
			else if (test.isTest() && result.getStatus() == Status.SUCCESSFUL) {
				this.passed++;
			}
		}

	}

}
