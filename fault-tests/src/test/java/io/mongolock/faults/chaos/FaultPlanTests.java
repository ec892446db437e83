package io.mongolock.faults.chaos;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.mongolock.faults.chaos.FaultPlan.ServerFault;
import io.mongolock.faults.chaos.FaultPlan.WorkerFault;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FaultPlan}.
 */
class FaultPlanTests {

	@Test
	void aSeedHasOneOrderOfFaultsOfEachSideHoweverTheyMix() {
		FaultPlan mixed = new FaultPlan(7);
		FaultPlan ordered = new FaultPlan(7);
		List<Object> servers = new ArrayList<>();
		List<Object> workers = new ArrayList<>();
		List<Object> answers = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			servers.add(mixed.nextOfServers());
			workers.add(mixed.nextOfWorkers());
			answers.add(mixed.nextLostAnswer());
		}
		servers.forEach((fault) -> assertThat(ordered.nextOfServers()).isEqualTo(fault));
		workers.forEach((fault) -> assertThat(ordered.nextOfWorkers()).isEqualTo(fault));
		answers.forEach((lost) -> assertThat(ordered.nextLostAnswer()).isEqualTo(lost));
		assertThat(new FaultPlan(8).nextOfServers()).isNotEqualTo(servers.get(0));
	}

	@Test
	void allKindsOccurWithinAnHourOfAnySeed() {
		for (long seed = 0; seed < 100; seed++) {
			FaultPlan plan = new FaultPlan(seed);
			List<Object> kinds = new ArrayList<>();
			for (int i = 0; i < 200; i++) {
				kinds.add(plan.nextOfServers().kind());
				kinds.add(plan.nextOfWorkers().kind());
			}
			assertThat(kinds).contains((Object[]) ServerFault.Kind.values())
				.contains((Object[]) WorkerFault.Kind.values());
		}
	}

}
