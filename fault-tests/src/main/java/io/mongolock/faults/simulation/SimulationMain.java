package io.mongolock.faults.simulation;

import java.io.PrintStream;
import java.util.Optional;
import java.util.function.Consumer;

import io.mongolock.faults.simulation.SimulationRun.Kind;

/**
 * Runs the simulation from the command line.
 */
public final class SimulationMain {

	private SimulationMain() {
	}

	// Arguments: kind, seed and number of histories, or the seed of one history; status 1
	// if a promise was broken
	public static void main(String[] args) {
		Kind kind = Kind.valueOf(args[0]);
		long seed = Long.parseLong(args[1]);
		boolean kept = (args.length > 2) ? run(kind, seed, Long.parseLong(args[2]), System.out)
				: replay(kind, seed, System.out);
		System.exit((kept) ? 0 : 1);
	}

	static boolean run(Kind kind, long seed, long histories, PrintStream out) {
		SimulationRun run = SimulationRun.of(kind, seed, histories);
		out.print(run.toTable());
		Optional<Long> failure = run.failure();
		failure.ifPresent((broken) -> replay(kind, broken, out));
		return failure.isEmpty();
	}

	static boolean replay(Kind kind, long seed, PrintStream out) {
		return replay((trace) -> kind.run(seed, new Coverage(), trace),
				"Replay with -Dmongo-lock.simulation.replay=" + kind + ":" + seed, out);
	}

	@SuppressWarnings("try") // closing is what the resource is for
	static boolean replay(Consumer<Trace> history, String how, PrintStream out) {
		Trace trace = new Trace(true);
		Throwable violation = null;
		try (Silence silence = new Silence()) {
			history.accept(trace);
		}
		catch (RuntimeException | Error ex) {
			violation = ex;
			if (!(ex instanceof Violation)) {
				ex.printStackTrace(out);
			}
		}
		out.print(trace.toTable());
		out.println((violation != null) ? "Broken: " + violation.getMessage() : "All promises kept");
		out.println(how);
		return violation == null;
	}

}
