package io.mongolock.core;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A release, waits that go on, end or are cancelled, and a loss, in every order in which
 * the steps of their threads may follow each other. In each order at most one holds at a
 * time, fences rise, everybody who waits on is served, and nothing is left behind.
 */
class HandOverInterleavingsTests {

	@Test
	void whenTheHolderReleasesThenBothWaitersAreServedInEveryOrderOfSteps() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			InterleavedJvm jvm = new InterleavedJvm(all);
			return jvm.scenario(jvm::release, jvm.patient("a"), jvm.patient("b"));
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void aCancelledWaiterKeepsNoOtherWaiting() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			InterleavedJvm jvm = new InterleavedJvm(all);
			return jvm.scenario(jvm::release, jvm.cancelled("a"), jvm.patient("b"));
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void whoseWaitEndsKeepsNobodyWaiting() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			InterleavedJvm jvm = new InterleavedJvm(all);
			return jvm.scenario(jvm::release, jvm.impatient("a"), jvm.patient("b"));
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void twoWhoGiveUpLeaveNothingBehind() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			InterleavedJvm jvm = new InterleavedJvm(all);
			return jvm.scenario(jvm::release, jvm.impatient("a"), jvm.cancelled("b"));
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void aLossReachesWhoHoldsThenAndTheNextIsServed() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			InterleavedJvm jvm = new InterleavedJvm(all);
			return jvm.scenario(jvm::release, jvm.patient("a"), jvm::lose);
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void aLossAndACancelAtOnce() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			InterleavedJvm jvm = new InterleavedJvm(all);
			return jvm.scenario(jvm::release, jvm.cancelled("a"), jvm.patient("b"), jvm::lose);
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void aSharedHandleHoldsTheLockUntilTheLastCallerLetsGo() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			InterleavedJvm jvm = new InterleavedJvm(all);
			return jvm.scenario(jvm::letGo, jvm::share, jvm.patient("a"), jvm.cancelled("b"));
		});
		assertThat(orders).isGreaterThan(100);
	}

	@Test
	void aLossWhileAHandleIsSharedReachesAllAndTheNextIsServed() throws Exception {
		int orders = Interleavings.explore(2, (all) -> {
			InterleavedJvm jvm = new InterleavedJvm(all);
			return jvm.scenario(jvm::letGo, jvm::share, jvm.patient("a"), jvm::lose);
		});
		assertThat(orders).isGreaterThan(100);
	}

}
