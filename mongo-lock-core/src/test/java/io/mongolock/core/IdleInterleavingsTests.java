package io.mongolock.core;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lease that becomes idle, claims that come, recalls, a loss, and the watch that
 * releases it, in every order in which the steps of their threads may follow each other.
 * In each order at most one holds at a time, fences rise, everybody is served, nobody
 * takes a lease that is known to be wanted, and none that is stays idle.
 */
class IdleInterleavingsTests {

	private static final Duration LINGER = Duration.ofSeconds(2);

	private int taken;

	@Test
	void laterClaimsTakeTheIdleLease() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			InterleavedJvm jvm = jvm(all);
			return jvm.scenario(jvm::release, jvm.late("a"), jvm.late("b"));
		});
		assertThat(orders).isGreaterThan(100);
		assertThat(this.taken).isGreaterThan(100);
	}

	@Test
	void aRecallEndsTheIdleLeaseAndWhoComesIsServed() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			InterleavedJvm jvm = jvm(all);
			return jvm.scenario(jvm::release, jvm.late("a"), jvm::recall, jvm::keep);
		});
		assertThat(orders).isGreaterThan(100);
		assertThat(this.taken).isGreaterThan(100);
	}

	@Test
	void aRecallThatComesBeforeTheGrantIsKnownIsNotForgotten() throws Exception {
		int[] unknown = new int[1];
		int orders = Interleavings.explore(2, (all) -> {
			InterleavedJvm jvm = jvm(all);
			return jvm.scenario(jvm::release, jvm.late("a"), () -> unknown[0] += jvm.recallAll(), jvm::keep);
		});
		assertThat(orders).isGreaterThan(100);
		assertThat(unknown[0]).isGreaterThan(100);
	}

	@Test
	void whenRecallsMayHaveBeenMissedThenTheIdleLeaseEndsAndALaterClaimIsServed() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			InterleavedJvm jvm = jvm(all);
			return jvm.scenario(jvm::release, jvm.late("a"), jvm::miss, jvm::keep);
		});
		assertThat(orders).isGreaterThan(100);
		assertThat(this.taken).isGreaterThan(100);
	}

	@Test
	void aLossOfTheIdleLeaseLeavesNobodyWaiting() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			InterleavedJvm jvm = jvm(all);
			return jvm.scenario(jvm::release, jvm.late("a"), jvm::lose, jvm::keep);
		});
		assertThat(orders).isGreaterThan(100);
		assertThat(this.taken).isGreaterThan(100);
	}

	@Test
	void whenTheLeaseIsRecalledThenAnEarlierWaiterAndALaterClaimAreServed() throws Exception {
		int orders = Interleavings.explore(1, (all) -> {
			InterleavedJvm jvm = jvm(all);
			return jvm.scenario(jvm::release, jvm.patient("a"), jvm.late("b"), jvm::recall, jvm::keep);
		});
		assertThat(orders).isGreaterThan(100);
		assertThat(this.taken).isGreaterThan(100);
	}

	private InterleavedJvm jvm(Interleavings all) {
		return new InterleavedJvm(all, LINGER, () -> this.taken++);
	}

}
