package io.mongolock.faults.mutants;

import java.util.List;

import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.junit.platform.launcher.listeners.TestExecutionSummary.Failure;

/**
 * Runs some methods of a test class, named by its arguments, and says at the end, after
 * all that they print, which of them failed. Exit status 1 if any did, 2 if there is
 * none.
 */
public final class TestMain {

	private TestMain() {
	}

	public static void main(String[] args) {
		List<String> methods = List.of(args).subList(1, args.length);
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(DiscoverySelectors.selectClass(args[0]))
			.filters((PostDiscoveryFilter) (test) -> FilterResult
				.includedIf(methods.contains(test.getSource().map(TestMain::method).orElse(""))))
			.build();
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		LauncherFactory.create().execute(request, listener);
		TestExecutionSummary summary = listener.getSummary();
		summary.getFailures().forEach(TestMain::print);
		System.exit((!summary.getFailures().isEmpty()) ? 1 : (summary.getTestsSucceededCount() > 0) ? 0 : 2);
	}

	private static void print(Failure failure) {
		TestIdentifier test = failure.getTestIdentifier();
		System.out.println(test.getDisplayName() + ": " + failure.getException());
		System.out
			.println("Failed: " + test.getSource().map(TestMain::method).orElse("") + " " + test.getDisplayName());
	}

	private static String method(TestSource source) {
		return (source instanceof MethodSource method) ? method.getMethodName() : "";
	}

}
