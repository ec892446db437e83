package io.mongolock.faults.simulation;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import io.mongolock.faults.simulation.Coverage.Event;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises, in as many histories as {@code -Dmongo-lock.simulation.histories=100000}
 * says.
 */
class SimulationTests {

	private static final String PREFIX = "mongo-lock.simulation.";

	@Test
	void promisesAreKeptAndAllThatMayHappenDoes() {
		SimulationRun run = SimulationRun.of(Long.getLong(PREFIX + "seed", System.nanoTime()),
				Long.getLong(PREFIX + "histories", 10_000));
		System.out.println(run.toTable());
		run.failure().ifPresent((seed) -> assertThat(SimulationMain.replay(seed, System.out)).isTrue());
		Set<Event> missed = EnumSet.allOf(Event.class);
		missed.remove(Event.OVERLAP_BY_BOTH_TOGETHER);
		missed.removeIf((event) -> run.coverage().of(event) > 0);
		assertThat(missed).isEmpty();
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

	private String trace(long seed) {
		Trace trace = new Trace(true);
		Simulation.run(seed, new Coverage(), trace);
		return trace.toTable();
	}

}
