package io.mongolock.faults.simulation;

import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import io.mongolock.faults.simulation.Coverage.Event;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises, in as many histories as {@code -Dmongo-lock.simulation.histories=100000}
 * says.
 */
@Tag("simulation")
@Isolated
class SimulatedHistoriesTests {

	private static final long ENOUGH_FOR_ALL = 50_000;

	@Test
	void promisesAreKeptAndAllThatMayHappenDoes() {
		long histories = Long.getLong(SimulationTests.PREFIX + "histories", 10_000);
		SimulationRun run = SimulationTests.keepsPromises(histories);
		Set<Event> missed = EnumSet.allOf(Event.class);
		missed.remove(Event.OVERLAP_BY_BOTH_TOGETHER);
		if (histories < ENOUGH_FOR_ALL) {
			// Five in 10,000 on average, so that one run in about a hundred has none
			missed.remove(Event.HANDED_TO_ONE_WHO_GAVE_UP);
		}
		missed.removeIf((event) -> run.coverage().of(event) > 0);
		assertThat(missed).isEmpty();
	}

}
