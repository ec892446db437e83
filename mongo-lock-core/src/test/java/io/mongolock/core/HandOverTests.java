package io.mongolock.core;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.LostOnTheWay;
import io.mongolock.core.AcquisitionStep.TooLate;
import io.mongolock.core.AcquisitionStep.Wait;
import io.mongolock.core.HandOverHarness.Waiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link HandOver}: 250 ms or 3 times, a grant at 0 with fence 100.
 */
class HandOverTests {

	private final HandOverHarness jvm = new HandOverHarness(HandOverHarness.atMost(250, 3));

	private final HeldLock first = this.jvm.granted();

	@Test
	void aReleasedLockMovesOnInTheOrderOfArrivalAndNobodyAsks() {
		Waiter a = this.jvm.waiting("a");
		Waiter b = this.jvm.waiting("b");
		Waiter c = this.jvm.waiting("c");
		assertThat(this.jvm.release(this.first, 1)).isTrue();
		assertThat(this.jvm.release(a.held(), 2)).isTrue();
		assertThat(this.jvm.release(b.held(), 3)).isTrue();
		assertThat(this.jvm.log).containsExactly("a holds", "b holds", "c holds");
		assertThat(this.jvm.queues.holders("k")).containsExactly(c.held());
		assertThat(this.jvm.release(c.held(), 4)).isFalse();
		assertThat(this.jvm.queues.holders("k")).isEmpty();
	}

	@Test
	void eachHolderHasTheNextFenceAndTheGrantKeepsItsOwn() {
		Waiter a = this.jvm.waiting("a");
		Waiter b = this.jvm.waiting("b");
		this.jvm.release(this.first, 1);
		this.jvm.release(a.held(), 2);
		assertThat(a.held().fence()).isEqualTo(101);
		assertThat(b.held().fence()).isEqualTo(102);
		assertThat(b.held().grantFence()).isEqualTo(100);
		assertThat(b.held().id()).isEqualTo(this.first.id());
	}

	@Test
	void itIsNotHandedToOnesWhomPeopleKnowByAnotherName() {
		assertThat(handedTo(LockRequest.builder("k").as("Ann").build())).isFalse();
		HandOverHarness jvm = new HandOverHarness(HandOverHarness.atMost(250, 3));
		HeldLock held = jvm.granted(LockRequest.builder("k").as("Ann").build(), 3, false, false);
		jvm.waiting("a", LockRequest.builder("k").as("Ann").build());
		assertThat(jvm.release(held, 1)).isTrue();
	}

	@Test
	void withNobodyWaitingItIsReleased() {
		assertThat(this.jvm.release(this.first, 1)).isFalse();
		assertThat(this.jvm.log).containsExactly("released");
	}

	@Test
	void aStreakEndsWithItsTimeCountedFromTheGrant() {
		this.jvm.waiting("a");
		Waiter b = this.jvm.waiting("b");
		assertThat(this.jvm.release(this.first, 249)).isTrue();
		assertThat(this.jvm.release(this.jvm.queues.holders("k").get(0), 250)).isFalse();
		assertThat(b.step).as("asks like everybody else").isEqualTo(new Ask());
	}

	@Test
	void whoeverFollowsATurnThatOtherJvmsWaitedForEntersTheQueueWithTheFirstRequest() {
		HandOverHarness contended = new HandOverHarness(HandOverHarness.atMost(250, 3));
		HeldLock held = contended.granted(LockRequest.of("k"), 3, false, true);
		Waiter a = contended.waiting("a");
		assertThat(contended.release(held, 250)).isFalse();
		assertThat(a.claim().waiting()).isTrue();
	}

	@Test
	void whoeverFollowsATurnThatNobodyElseWaitedForAsksWithoutAPlace() {
		Waiter a = this.jvm.waiting("a");
		assertThat(this.jvm.release(this.first, 250)).isFalse();
		assertThat(a.claim()).matches((claim) -> claim.first() && !claim.waiting());
	}

	@Test
	void aStreakEndsWithItsNumber() {
		for (String name : new String[] { "a", "b", "c", "d" }) {
			this.jvm.waiting(name);
		}
		for (int i = 0; i < 3; i++) {
			assertThat(this.jvm.release(this.jvm.queues.holders("k").get(0), i)).isTrue();
		}
		assertThat(this.jvm.queues.holders("k").get(0).fence()).as("the last that was set aside").isEqualTo(103);
		assertThat(this.jvm.release(this.jvm.queues.holders("k").get(0), 4)).isFalse();
		assertThat(this.jvm.log).endsWith("released", "d asks");
	}

	@Test
	void aStreakEndsWithTheLastFenceThatTheStoreHasSetAside() {
		HandOverHarness jvm = new HandOverHarness(HandOverHarness.atMost(250, 3));
		HeldLock heldLock = jvm.granted(LockRequest.of("k"), 1, false);
		jvm.waiting("a");
		jvm.waiting("b");
		assertThat(jvm.release(heldLock, 0)).isTrue();
		assertThat(jvm.release(jvm.queues.holders("k").get(0), 1)).isFalse();
	}

	@Test
	void zeroOfEitherSwitchesItOff() {
		for (HandOver off : new HandOver[] { HandOverHarness.atMost(0, 3), HandOverHarness.atMost(250, 0) }) {
			HandOverHarness jvm = new HandOverHarness(off);
			HeldLock heldLock = jvm.granted();
			jvm.waiting("a");
			assertThat(off.reserve()).isZero();
			assertThat(jvm.release(heldLock, 0)).isFalse();
		}
	}

	@Test
	void withoutAReserveItIsReleased() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock heldLock = jvm.granted(LockRequest.of("k"), 0, false);
		jvm.waiting("a");
		assertThat(jvm.release(heldLock, 0)).isFalse();
	}

	@Test
	void aLockThatHasToStayTakenIsNotHandedOverBeforeThat() {
		LockRequest kept = LockRequest.builder("k").minHold(Duration.ofMillis(100)).build();
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock early = jvm.granted(kept, 1000, false);
		jvm.waiting("a");
		assertThat(jvm.release(early, 99)).isFalse();
		HandOverHarness later = new HandOverHarness(HandOver.DEFAULT);
		HeldLock late = later.granted(kept, 1000, false);
		later.waiting("a");
		assertThat(later.release(late, 100)).isTrue();
	}

	@Test
	void aFenceSetAsideIsAskedForOnlyByThoseWhoHadToQueue() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		Waiter alone = jvm.waiting("alone");
		Waiter next = jvm.waiting("next");
		assertThat(alone.claim().reserve()).isZero();
		alone.acquisition.cancel();
		assertThat(next.step).isEqualTo(new Ask());
		assertThat(next.claim().reserve()).isEqualTo(1000);
	}

	@Test
	void aSuccessorThatIsCancelledBeforeTheHandOverIsPassedOver() {
		Waiter a = this.jvm.waiting("a");
		Waiter b = this.jvm.waiting("b");
		// Has ended and not left the queue yet
		assertThat(this.jvm.queues.successor("k", this.first, (any) -> true)).isSameAs(a.acquisition);
		assertThat(a.acquisition.cancel()).isEqualTo(new Cancelled(false, null));
		assertThat(a.acquisition.accept(this.first, at(1), (never) -> {
		})).isFalse();
		assertThat(this.jvm.release(this.first, 1)).isTrue();
		assertThat(b.held().fence()).isEqualTo(101);
		assertThat(a.step).isNotInstanceOf(Granted.class);
	}

	@Test
	void whenAWaiterIsCancelledAfterTheHandOverThenTheNextIsHandedTheLock() {
		Waiter a = this.jvm.waiting("a");
		Waiter b = this.jvm.waiting("b");
		assertThat(this.jvm.queues.successor("k", this.first, (any) -> true)).isSameAs(a.acquisition);
		assertThat(a.acquisition.accept(this.first, at(1), (any) -> {
		})).isTrue();
		Cancelled cancelled = (Cancelled) a.acquisition.cancel();
		assertThat(cancelled.unwanted()).isNotNull();
		assertThat(a.acquisition.turn(at(1))).isEqualTo(new TooLate(false));
		assertThat(this.jvm.release(cancelled.unwanted(), 1)).isTrue();
		assertThat(b.held().fence()).as("what was offered is spent").isEqualTo(102);
	}

	@Test
	void aWaitThatEndsAsTheLockIsHandedOverEndsWithTheLock() {
		Waiter a = this.jvm.waiting("a");
		this.jvm.queues.successor("k", this.first, (any) -> true);
		a.acquisition.accept(this.first, at(5_000), (any) -> {
		});
		assertThat(a.acquisition.timer(at(5_000))).isInstanceOf(Granted.class);
		assertThat(this.jvm.queues.holders("k")).hasSize(1);
	}

	@Test
	void aLossBeforeItIsRegisteredKeepsNobodyWaiting() {
		Waiter a = this.jvm.waiting("a");
		Waiter b = this.jvm.waiting("b");
		this.jvm.queues.successor("k", this.first, (any) -> true);
		a.acquisition.accept(this.first, at(1), (held) -> held.lease().gone());
		assertThat(this.jvm.queues.holders("k")).isEmpty();
		assertThat(b.step).as("its turn").isEqualTo(new Ask());
	}

	@Test
	void whenAHandOverCannotBeRegisteredThenTheSuccessorAsksTheStore() {
		Waiter a = this.jvm.waiting("a");
		this.jvm.queues.successor("k", this.first, (any) -> true);
		assertThatIllegalStateException().isThrownBy(() -> a.acquisition.accept(this.first, at(1), (held) -> {
			throw new IllegalStateException();
		}));
		assertThat(this.jvm.queues.holders("k")).as("until it is released").containsExactly(this.first);
		assertThat(a.acquisition.turn(at(1))).isEqualTo(new Ask());
	}

	@Test
	void aLockThatHasToRunOutIsNotTakenOver() {
		Waiter a = this.jvm.waiting("a");
		this.jvm.queues.successor("k", this.first, (any) -> true);
		this.first.state().letExpire();
		assertThat(a.acquisition.accept(this.first, at(1), (never) -> {
		})).isFalse();
	}

	@Test
	void aLockLostInTheHandOverIsGivenBackAndItsWaiterRejoinsTheLocalQueueAtItsEnd() {
		Waiter a = this.jvm.waiting("a", patient());
		Waiter b = this.jvm.waiting("b", patient());
		this.jvm.queues.successor("k", this.first, (any) -> true);
		a.acquisition.accept(this.first, at(1), (any) -> {
		});
		HeldLock handed = this.jvm.queues.holders("k").get(0);
		LostOnTheWay lost = (LostOnTheWay) a.acquisition.turn(at(24_000));
		assertThat(lost.unwanted()).isSameAs(handed);
		assertThat(handed.lossReason()).isEqualTo(LossReason.DEADLINE);
		assertThat(this.jvm.log).containsExactly("lost by a DEADLINE", "b asks");
		assertThat(lost.next()).as("b asks").isInstanceOf(Wait.class);
		b.acquisition.cancel();
		assertThat(a.step).as("its turn").isEqualTo(new Ask());
		assertThat(a.claim().id().leaseToken()).as("its own token").isEqualTo("a");
		assertThat(a.acquisition.cancel()).isEqualTo(new Cancelled(false, null));
		assertThat(this.jvm.queues.waiters()).isEmpty();
	}

	@Test
	void whenALockIsLostInTheHandOverAsTheWaitEndsThenItsWaiterAsksOnceMore() {
		Waiter a = this.jvm.waiting("a");
		this.jvm.queues.successor("k", this.first, (any) -> true);
		a.acquisition.accept(this.first, at(1), (any) -> {
		});
		assertThat(((LostOnTheWay) a.acquisition.timer(at(24_000))).next()).isEqualTo(new Ask());
	}

	private static LockRequest patient() {
		return HandOverHarness.asking(HandOverHarness.settings().waitTimeout(Duration.ofMinutes(10)));
	}

	@Test
	void aLostLockIsNotHandedOverAndTheNextAsksOnce() {
		Waiter a = this.jvm.waiting("a");
		this.jvm.queues.successor("k", this.first, (any) -> true);
		this.first.lease().gone();
		assertThat(a.acquisition.accept(this.first, at(1), (never) -> {
		})).isFalse();
		ClientQueues.wake(a.acquisition);
		assertThat(a.step).isEqualTo(new Ask());
		assertThat(this.jvm.release(this.first, 1)).isFalse();
		assertThat(this.jvm.log).containsExactly("lost by first REFUSED", "a asks", "released");
	}

	@Test
	void aLeaseOfWhichLessThanHalfIsLeftIsReleased() {
		HandOverHarness jvm = new HandOverHarness(HandOverHarness.atMost(60_000, 3));
		HeldLock heldLock = jvm.granted();
		jvm.waiting("a");
		jvm.waiting("b");
		assertThat(jvm.release(heldLock, 11_999)).isTrue();
		HeldLock second = jvm.queues.holders("k").get(0);
		assertThat(second.lease().remaining(at(11_999))).as("from the same request").hasMillis(12_001);
		assertThat(jvm.release(second, 12_000)).isFalse();
	}

	@Test
	void aSuccessorThatNeedsMoreThanStandsInTheStoreAsksForIt() {
		assertThat(handedTo(HandOverHarness.asking(HandOverHarness.settings().autoRenew(false)))).isFalse();
		assertThat(handedTo(LockRequest.builder("k").limit(2).build())).isFalse();
		assertThat(handedTo(LockRequest.builder("k").shared().build())).isFalse();
		assertThat(handedTo(HandOverHarness.asking(HandOverHarness.settings().ttl(Duration.ofSeconds(10))))).isTrue();
		assertThat(handedTo(HandOverHarness.asking(HandOverHarness.settings().ttl(Duration.ofSeconds(30))))).isTrue();
		assertThat(handedTo(HandOverHarness.asking(HandOverHarness.settings().ttl(Duration.ofSeconds(31))))).isFalse();
	}

	@Test
	void aSuccessorReliesOnTheLeaseOnTermsOfItsOwn() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock first = jvm.granted();
		HandOverHarness.Waiter careful = jvm.waiting("careful",
				HandOverHarness.asking(HandOverHarness.settings().margin(Duration.ofSeconds(20))));
		jvm.release(first, 1);
		assertThat(first.lease().remaining(at(0))).isZero();
		assertThat(careful.held().lease().remaining(at(1))).isEqualTo(Duration.ofMillis(9_999));
		assertThat(careful.held().lease().isHeld(at(10_000))).isFalse();
	}

	@Test
	void noFenceIsSetAsideBesideOtherHolders() {
		for (LockRequest request : List.of(LockRequest.builder("k").limit(2).build(),
				LockRequest.builder("k").shared().build())) {
			HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
			jvm.waiting("asking", request);
			Waiter next = jvm.waiting("next", request);
			next.acquisition.turn(at(1));
			assertThat(next.claim().reserve()).isZero();
		}
	}

	@Test
	void nobodyIsOvertakenWhoAsksTheStoreAlready() {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		LockRequest permit = LockRequest.builder("k").limit(2).build();
		HeldLock heldLock = jvm.granted(permit, 10, false);
		Waiter asking = jvm.waiting("asking", permit);
		Waiter behind = jvm.waiting("behind", permit);
		assertThat(asking.step).isEqualTo(new Ask());
		assertThat(jvm.release(heldLock, 1)).isFalse();
		assertThat(behind.step).isNotInstanceOf(Granted.class);
	}

	@Test
	void nonsenseIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> HandOverHarness.atMost(-1, 1))
			.withMessageContaining("max-time -1ms");
		assertThatIllegalArgumentException().isThrownBy(() -> HandOverHarness.atMost(1, -1));
		assertThatIllegalArgumentException().isThrownBy(() -> HandOverHarness.atMost(1, 10_001))
			.withMessageContaining("max-count 10001 (from 0 to 10000)");
	}

	private static boolean handedTo(LockRequest request) {
		HandOverHarness jvm = new HandOverHarness(HandOver.DEFAULT);
		HeldLock heldLock = jvm.granted();
		jvm.waiting("a", request);
		return jvm.release(heldLock, 1);
	}

	private static ClockReading at(long millis) {
		return HandOverHarness.at(millis);
	}

}
