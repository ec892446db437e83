package io.mongolock.faults.simulation;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import io.mongolock.faults.simulation.Choices.Unusual;

/**
 * Runs a search from the command line.
 */
public final class SearchMain {

	private SearchMain() {
	}

	// Arguments: how many choices may be unusual, and of which scopes, all by default; or
	// a scope and the choices of one history; status 1 if a promise was broken
	public static void main(String[] args) {
		boolean kept = true;
		if (args[0].matches("\\d")) {
			List<Scope> scopes = (args.length > 1)
					? List.of(args).subList(1, args.length).stream().map(Scope::valueOf).toList()
					: List.of(Scope.values());
			for (Scope scope : scopes) {
				kept &= run(scope, Integer.parseInt(args[0]), System.out);
			}
		}
		else {
			kept = replay(Scope.valueOf(args[0]), Unusual.parse((args.length > 1) ? args[1] : ""), System.out);
		}
		System.exit((kept) ? 0 : 1);
	}

	static boolean run(Scope scope, int depth, PrintStream out) {
		Search search = Search.of(scope, depth, Duration.ofMinutes(Long.getLong("mongo-lock.search.minutes", 60)));
		out.println(search.toLine());
		List<Unusual> broken = search.broken();
		return broken == null || replay(scope, broken, out);
	}

	static boolean replay(Scope scope, List<Unusual> unusual, PrintStream out) {
		return SimulationMain.replay((trace) -> SearchedHistory.run(scope, new Choices(unusual), trace),
				"Unusual choices: " + unusual.stream().map(Unusual::toString).collect(Collectors.joining(",")), out);
	}

}
