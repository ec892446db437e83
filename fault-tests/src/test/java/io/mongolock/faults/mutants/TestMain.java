package io.mongolock.faults.mutants;

import java.util.ArrayList;
import java.util.List;

import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs some methods of a test class and says at the end, after all that they print, which
 * of them failed. Exit status 1 if any did, 2 if there is none.
 */
public final class TestMain {

	private TestMain() {
	}

	/**
	 * Run tests.
	 * @param args the name of a class and those of some of its methods
	 */
	public static void main(String[] args) {
		List<String> methods = List.of(args).subList(1, args.length);
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(DiscoverySelectors.selectClass(args[0]))
			.filters((PostDiscoveryFilter) (test) -> FilterResult
				.includedIf(methods.contains(test.getSource().map(TestMain::method).orElse(""))))
			.build();
		Failures failures = new Failures();
		LauncherFactory.create().execute(request, failures);
		failures.names.forEach((name) -> System.out.println("Failed: " + name));
		System.exit((!failures.names.isEmpty()) ? 1 : (failures.passed > 0) ? 0 : 2);
	}

	private static String method(TestSource source) {
		return (source instanceof MethodSource method) ? method.getMethodName() : "";
	}

	private static final class Failures implements TestExecutionListener {

		private final List<String> names = new ArrayList<>();

		private int passed;

		@Override
		public void executionFinished(TestIdentifier test, TestExecutionResult result) {
			if (result.getStatus() == Status.FAILED) {
				this.names.add(test.getSource().map(TestMain::method).orElse("") + " " + test.getDisplayName());
				System.out.println(test.getDisplayName() + ": " + result.getThrowable().orElse(null));
			}
			else if (test.isTest() && result.getStatus() == Status.SUCCESSFUL) {
				this.passed++;
			}
		}

	}

}
