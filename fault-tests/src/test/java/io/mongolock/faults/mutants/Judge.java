package io.mongolock.faults.mutants;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.worker.ChildJvm;
import io.mongolock.faults.simulation.SearchMain;
import io.mongolock.faults.simulation.SimulationMain;
import io.mongolock.test.server.GivenServer;

/**
 * A program that must notice a mutant. It runs in a JVM of its own, ends with status 1,
 * and says what it noticed.
 */
record Judge(Class<?> main, List<String> arguments, String complaint, String name) {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(15);

	// Finds that kind of violation first
	static Judge simulation(String violation) {
		return new Judge(SimulationMain.class, List.of("DECISIONS", "1", "10000"), "Broken: " + violation,
				"the simulation (" + violation + ")");
	}

	// All histories of a scope with one unusual choice
	static Judge search(String scope, String violation) {
		return new Judge(SearchMain.class, List.of("1", scope), "Broken: " + violation,
				"the search of " + scope + " (" + violation + ")");
	}

	// Which promise breaks first depends on when its threads run
	static Judge clients() {
		return new Judge(SimulationMain.class, List.of("CLIENTS", "1", "2000"), "Broken: ",
				"the simulation of clients");
	}

	// A method that fails, of a class of any module
	static Judge test(String test, String method) {
		return new Judge(TestMain.class, List.of(test, method), "Failed: " + method, row(test, method));
	}

	// Random faults of a real set, whose report says so
	static Judge chaos(String complaint) {
		return new Judge(TestMain.class,
				List.of("io.mongolock.faults.chaos.ChaosTests", "randomFaultsOfServersAndProcessesBreakNoPromise"),
				complaint, "chaos (" + complaint.strip() + ")");
	}

	// The same program, asked for both
	Judge and(Judge other) {
		List<String> all = Stream.concat(this.arguments.stream(), other.arguments.stream()).distinct().toList();
		return new Judge(this.main, all, this.complaint, this.name);
	}

	// The broken class comes before the product on the class path
	Verdict judge(Path broken) {
		try (ChildJvm jvm = new ChildJvm(classPath(broken), this.main.getName(), options(), this.arguments)) {
			int status = jvm.awaitExit(LONG_ENOUGH);
			return new Verdict(this, status, jvm.output());
		}
	}

	@Override
	public String toString() {
		return this.name;
	}

	// Tests of other modules, which show no row, are not on the class path
	private static String row(String test, String method) {
		String name = test.substring(test.lastIndexOf('.') + 1) + "." + method;
		try {
			// not initialized, which would start what the class needs for its tests
			Class<?> type = Class.forName(test, false, Judge.class.getClassLoader());
			return Arrays.stream(type.getDeclaredMethods())
				.filter((candidate) -> candidate.getName().equals(method))
				.map((candidate) -> candidate.getAnnotation(ShowsRow.class))
				.filter(Objects::nonNull)
				.findFirst()
				.map((row) -> "row " + row.value() + " (" + name + ")")
				.orElse(name);
		}
		catch (ClassNotFoundException ex) {
			return name;
		}
	}

	// a container for each mutant would take longer than the judgement; a server that the
	// environment names is inherited
	private static List<String> options() {
		return (GivenServer.uri().isEmpty()) ? List.of("-D" + GivenServer.NAME + "=" + GivenServer.EMBEDDED)
				: List.of();
	}

	private static String classPath(Path broken) {
		return String.join(System.getProperty("path.separator"), broken.toString(),
				System.getProperty("java.class.path"), testsOf("mongo-lock-core"), testsOf("mongo-lock-mongodb"),
				testsOf("mongo-lock-spring"), testsOf("mongo-lock-autoconfigure"), testsOf("mongo-lock-data"),
				testsOf("mongo-lock-documents"), testsOf("mongo-lock-leader"), testsOf("mongo-lock-jobs"),
				testsOf("mongo-lock-shedlock"), testsOf("mongo-lock-test"));
	}

	private static String testsOf(String module) {
		return Path.of("..", module, "target", "test-classes").toString();
	}

	// Its exit status, and the last of what it printed
	record Verdict(Judge judge, int status, String output) {

		boolean isNoticed() {
			return this.status == 1 && this.output.contains(this.judge.complaint);
		}

	}

}
