package io.mongolock.faults.simulation;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.mongolock.faults.simulation.SimulationRun.Kind;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The simulation itself, and the promises in a few histories; {@code verify} runs many.
 */
@Isolated
class SimulationTests {

	static final String PREFIX = "mongo-lock.simulation.";

	@Test
	void promisesAreKept() {
		keepsPromises(Kind.DECISIONS, 1_000);
		keepsPromises(Kind.CLIENTS, 100);
	}

	@ParameterizedTest
	@CsvSource({ "DECISIONS, 50", "CLIENTS, 20" })
	void oneSeedIsOneHistory(Kind kind, long seeds) {
		for (long seed = 0; seed < seeds; seed++) {
			assertThat(trace(kind, seed)).containsExactlyInAnyOrderElementsOf(trace(kind, seed));
		}
	}

	@Test
	void aHistoryIsReplayedAsAReadableTable() {
		String asked = System.getProperty(PREFIX + "replay");
		String[] history = ((asked != null) ? asked : "CLIENTS:1").split(":");
		ByteArrayOutputStream table = new ByteArrayOutputStream();
		boolean kept = SimulationMain.replay(Kind.valueOf(history[0]), Long.parseLong(history[1]),
				new PrintStream(table));
		if (asked != null) {
			System.out.println(table);
		}
		assertThat(table.toString()).contains("sends", "executes", "is granted", "Replay with -D" + PREFIX + "replay=");
		assertThat(kept).isTrue();
	}

	static SimulationRun keepsPromises(Kind kind, long histories) {
		SimulationRun run = SimulationRun.of(kind, Long.getLong(PREFIX + "seed", System.nanoTime()), histories);
		System.out.println(run.toTable());
		run.failure().ifPresent((seed) -> SimulationMain.replay(kind, seed, System.out));
		assertThat(run.failure()).isEmpty();
		return run;
	}

	// Several that a client notices as lost at once have no order
	@SuppressWarnings("try") // closing is what the resource is for
	private List<String> trace(Kind kind, long seed) {
		Trace trace = new Trace(true);
		try (Silence silence = new Silence()) {
			kind.run(seed, new Coverage(), trace);
		}
		return trace.toTable().lines().toList();
	}

}
