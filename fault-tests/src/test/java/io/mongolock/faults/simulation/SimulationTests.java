package io.mongolock.faults.simulation;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The simulation itself, and the promises in a few histories; {@code verify} runs many.
 */
class SimulationTests {

	static final String PREFIX = "mongo-lock.simulation.";

	@Test
	void promisesAreKept() {
		keepsPromises(1_000);
	}

	@Test
	void oneSeedIsOneHistory() {
		for (long seed = 0; seed < 50; seed++) {
			assertThat(trace(seed)).isEqualTo(trace(seed));
		}
	}

	@Test
	void aHistoryIsReplayedAsAReadableTable() {
		Long asked = Long.getLong(PREFIX + "replay");
		ByteArrayOutputStream table = new ByteArrayOutputStream();
		boolean kept = SimulationMain.replay((asked != null) ? asked : 1, new PrintStream(table));
		if (asked != null) {
			System.out.println(table);
		}
		assertThat(table.toString()).contains("sends", "executes", "is granted", "Replay with -D" + PREFIX + "replay=");
		assertThat(kept).isTrue();
	}

	static SimulationRun keepsPromises(long histories) {
		SimulationRun run = SimulationRun.of(Long.getLong(PREFIX + "seed", System.nanoTime()), histories);
		System.out.println(run.toTable());
		run.failure().ifPresent((seed) -> assertThat(SimulationMain.replay(seed, System.out)).isTrue());
		return run;
	}

	private String trace(long seed) {
		Trace trace = new Trace(true);
		Simulation.run(seed, new Coverage(), trace);
		return trace.toTable();
	}

}
