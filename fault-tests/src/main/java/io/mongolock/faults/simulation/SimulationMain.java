package io.mongolock.faults.simulation;

import java.io.PrintStream;
import java.util.Optional;

/**
 * Runs the simulation from the command line.
 */
public final class SimulationMain {

	private SimulationMain() {
	}

	// Arguments: seed and number of histories, or the seed of one history; status 1 if a
	// promise was broken
	public static void main(String[] args) {
		long seed = Long.parseLong(args[0]);
		boolean kept = (args.length > 1) ? run(seed, Long.parseLong(args[1]), System.out) : replay(seed, System.out);
		System.exit((kept) ? 0 : 1);
	}

	static boolean run(long seed, long histories, PrintStream out) {
		SimulationRun run = SimulationRun.of(seed, histories);
		out.print(run.toTable());
		Optional<Long> failure = run.failure();
		return failure.isEmpty() || replay(failure.get(), out);
	}

	static boolean replay(long seed, PrintStream out) {
		Trace trace = new Trace(true);
		Violation violation = null;
		try {
			Simulation.run(seed, new Coverage(), trace);
		}
		catch (Violation ex) {
			violation = ex;
		}
		out.print(trace.toTable());
		out.println((violation != null) ? "Broken: " + violation.getMessage() : "All promises kept");
		out.println("Replay with -Dmongo-lock.simulation.replay=" + seed);
		return violation == null;
	}

}
