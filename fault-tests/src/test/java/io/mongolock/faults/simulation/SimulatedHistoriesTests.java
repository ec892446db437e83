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

	@Test
	void promisesAreKeptAndAllThatMayHappenDoes() {
		SimulationRun run = SimulationTests.keepsPromises(Long.getLong(SimulationTests.PREFIX + "histories", 10_000));
		Set<Event> missed = EnumSet.allOf(Event.class);
		missed.remove(Event.OVERLAP_BY_BOTH_TOGETHER);
		missed.removeIf((event) -> run.coverage().of(event) > 0);
		assertThat(missed).isEmpty();
	}

}
