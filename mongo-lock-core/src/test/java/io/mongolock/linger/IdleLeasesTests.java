package io.mongolock.linger;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.mongolock.LockClock;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.ReleaseRequest;
import io.mongolock.client.ScriptedStore;
import io.mongolock.core.AcquisitionStep;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Denied;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.Wait;
import io.mongolock.core.Attempt;
import io.mongolock.core.ClientQueues;
import io.mongolock.core.ClockReading;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.core.HeldLock;
import io.mongolock.core.LocalLease;
import io.mongolock.core.LockAcquisition;
import io.mongolock.core.QueuePlaces;
import io.mongolock.core.Recall;
import io.mongolock.event.LockEvents;
import io.mongolock.linger.IdleLeases.IdleLease;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link IdleLeases}: ttl 30 s, margin 6 s, linger 2 s, so that a lease is idle
 * until 12 s after it was granted or renewed.
 */
class IdleLeasesTests {

	private static final LockOwner OWNER = new LockOwner("app", "1", "host", 42, "");

	private final ClientQueues queues = new ClientQueues(
			new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES, (bound) -> 0), () -> true);

	private IdleLeases idle = new IdleLeases(this.queues,
			(held) -> this.queues.pass(held, at(this.now), (successor) -> {
			}, () -> {
			}));

	private long now;

	private final List<String> log = new ArrayList<>();

	private int tokens;

	private long fence = 100;

	private int wakes;

	private boolean notified;

	/** What the store shows as recalled last. */
	private @Nullable String recalled;

	IdleLeasesTests() {
		this.queues.linger(this.idle);
		this.idle.onWork(() -> this.wakes++);
	}

	@Test
	void theFirstUseOfAKeyIsReleasedAtOnce() {
		assertThat(keep(granted("k", 0), 1)).isFalse();
		assertThat(this.log).isEmpty();
	}

	@Test
	void aKeyThatIsTakenAgainWithinTheLingerKeepsItsLease() {
		HeldLock held = warm("k");
		assertThat(keep(held, 10)).isTrue();
		assertThat(this.log).containsExactly("passed 102");
		assertThat(held.lease().isHeld(at(10))).isFalse();
		assertThat(held.lease().isHeld(at(10))).isFalse();
		assertThat(this.queues.idle()).containsExactly(held);
		assertThat(this.queues.find(held.id(), at(11))).isEqualTo(new LocalLease(Duration.ofMillis(1)));
	}

	@Test
	void aKeyThatIsTakenAgainLaterThanTheLingerIsReleasedAtOnce() {
		assertThat(keep(granted("k", 0), 1)).isFalse();
		assertThat(keep(granted("k", 2002), 2003)).isFalse();
		assertThat(keep(granted("k", 4003), 4004)).as("2 s later").isTrue();
	}

	@Test
	void onlyTheClaimOfAWarmKeySetsFencesAsideAndSaysThatItLingers() {
		Waiter cold = asking("k", 0);
		assertThat(cold.claim.reserve()).isZero();
		assertThat(cold.claim.linger()).isZero();
		release(cold.granted(0), 1);
		Waiter warm = asking("k", 2);
		assertThat(warm.claim.reserve()).isEqualTo(Recall.RESERVE);
		assertThat(warm.claim.linger()).hasSeconds(2);
		warm.acquisition.failedFirst(new LockStoreException("k", Outcome.NOT_EXECUTED, "by script", null), at(3));
		Claim again = warm.claim(3);
		assertThat(again.reserve()).as("asked again").isEqualTo(Recall.RESERVE);
		assertThat(again.linger()).hasSeconds(2);
	}

	@Test
	void aClaimTakesItWithTheNextFenceAndNoRequest() {
		HeldLock held = warm("k");
		keep(held, 10);
		HeldLock taken = taken("k", 11);
		assertThat(taken.fence()).isEqualTo(held.fence() + 1);
		assertThat(taken.grantFence()).isEqualTo(held.fence());
		assertThat(taken.id()).isEqualTo(held.id());
		assertThat(taken.lease().isHeld(at(11))).isTrue();
		assertThat(taken.lease().remaining(at(11))).as("counts from the grant").isEqualTo(Duration.ofMillis(23_991));
		assertThat(this.queues.idle()).isEmpty();
		assertThat(holders()).containsExactly(taken);
		assertThat(keep(taken, 12)).isTrue();
		assertThat(taken("k", 13).fence()).isEqualTo(held.fence() + 2);
	}

	@Test
	void whenAClaimTakesTheIdleLeaseThenItsOwnMarginCounts() {
		keep(warm("k"), 10);
		LockRequest careful = LockRequest.builder("k")
			.settings(LockSettings.builder().linger(Duration.ofSeconds(2)).margin(Duration.ofSeconds(20)).build())
			.build();
		HeldLock taken = begun(careful, 11).held();
		assertThat(taken.lease().remaining(at(11))).isEqualTo(Duration.ofMillis(9_991));
		assertThat(taken.lease().isHeld(at(10_002))).isFalse();
	}

	@Test
	void itLastsForAsLongAsItsGrantWhoeverTookItInBetween() {
		keep(warm("k"), 10);
		HeldLock shorter = begun(with(request("k"), Duration.ofSeconds(10)), 11).held();
		assertThat(keep(shorter, 12)).isTrue();
		assertThat(taken("k", 13).lease().remaining(at(13))).isEqualTo(Duration.ofMillis(23_989));
	}

	@Test
	void oneClaimTakesItAndTheNextWaits() {
		keep(warm("k"), 10);
		HeldLock taken = taken("k", 11);
		Waiter second = begun(request("k"), 11);
		assertThat(second.step).isInstanceOf(Wait.class);
		assertThat(keep(taken, 12)).as("somebody waits").isFalse();
		release(taken, 12);
		assertThat(second.step).isEqualTo(new Ask());
	}

	@Test
	void aClaimThatComesAsTheLeaseBecomesIdleTakesIt() {
		HeldLock held = warm("k");
		Waiter[] next = new Waiter[1];
		this.idle.keep(held, at(10), () -> next[0] = begun(request("k"), 10));
		assertThat(next[0].held().fence()).isEqualTo(held.fence() + 1);
		assertThat(this.queues.idle()).isEmpty();
	}

	@Test
	void aRefusalIsNoLossOfAnybodyAndNobodyTakesItAnyMore() {
		HeldLock held = warm("k");
		keep(held, 10);
		held.lease().gone();
		assertThat(held.lossReason()).isNull();
		Waiter next = begun(request("k"), 11);
		assertThat(next.step).isInstanceOf(Wait.class);
		assertThat(endAll(11)).containsExactly(held);
		assertThat(next.step).isEqualTo(new Ask());
		assertThat(this.log).doesNotContain("lost");
	}

	@Test
	void aRenewalThatIsStillUnderwayServesWhoTakesItNext() {
		HeldLock held = warm("k");
		keep(held, 10);
		held.lease().renewed(at(9), at(11));
		assertThat(held.lease().isHeld(at(11))).as("nobody holds it").isFalse();
		assertThat(taken("k", 12).lease().remaining(at(12))).isEqualTo(Duration.ofMillis(23_997));
	}

	@Test
	void nobodyTakesItWhenHalfOfItsTimeIsOver() {
		beNotified();
		HeldLock held = warm("k");
		held.lease().renewed(at(5), at(6));
		keep(held, 11_000);
		Waiter next = begun(request("k"), 12_005);
		assertThat(next.step).isInstanceOf(Wait.class);
		assertThat(endAll(12_005)).containsExactly(held);
		assertThat(next.step).isEqualTo(new Ask());
	}

	@Test
	void itEndsWhenItsLingerIsOver() {
		beNotified();
		HeldLock held = warm("k");
		keep(held, 10);
		assertThat(this.idle.due(this.notified, at(2009))).isEmpty();
		assertThat(this.idle.nextIn(at(2009))).isLessThanOrEqualTo(IdleLeases.PAUSE);
		assertThat(this.idle.due(this.notified, at(2029))).containsExactly(held);
		assertThat(this.queues.idle()).isEmpty();
	}

	@Test
	void itEndsWhenHalfOfItsTimeIsOver() {
		beNotified();
		HeldLock held = warm("k");
		held.lease().renewed(at(500), at(501));
		keep(held, 11_000);
		this.idle.due(this.notified, at(11_000));
		assertThat(this.idle.due(this.notified, at(12_499))).isEmpty();
		assertThat(this.idle.due(this.notified, at(12_500))).containsExactly(held);
	}

	@Test
	void whileItIsReleasedNobodyAsksAndNoWaitIsOver() {
		HeldLock held = warm("k");
		keep(held, 10);
		List<HeldLock> due = this.idle.due(this.notified, at(2010));
		Waiter once = begun(
				LockRequest.builder("k").settings(request("k").settings()).waitTimeout(Duration.ZERO).build(), 2011);
		assertThat(once.step).isInstanceOf(Wait.class);
		assertThat(once.acquisition.timer(at(2012))).as("nobody holds it").isInstanceOf(Wait.class);
		due.forEach(this.queues::wakeNext);
		assertThat(once.step).isEqualTo(new Ask());
	}

	@Test
	void aClaimThatItDoesNotSuitHasItReleasedFirst() {
		for (LockRequest request : List.of(LockRequest.of("k"), LockRequest.builder("k").limit(2).build(),
				LockRequest.builder("k").shared().build(), with(request("k"), Duration.ofSeconds(31)),
				LockRequest.builder("k").settings(request("k").settings()).as("Ann").build(),
				LockRequest.builder("k").settings(request("k").settings()).autoRenew(false).build())) {
			IdleLeasesTests jvm = new IdleLeasesTests();
			HeldLock held = jvm.warm("k");
			jvm.keep(held, 10);
			Waiter next = jvm.begun(request, 11);
			assertThat(next.step).as(request.toString()).isInstanceOf(Wait.class);
			assertThat(jvm.idle.nextIn(at(11))).isZero();
			assertThat(jvm.endAll(11)).containsExactly(held);
			assertThat(next.step).as(request.toString()).isEqualTo(new Ask());
		}
	}

	@Test
	void aLeaseWhoseTokenMayBeGrantedLateIsNotKeptIdle() {
		release(granted("k", 0), 1);
		Waiter waiter = asking("k", 2);
		waiter.acquisition.failed(new LockStoreException("k", Outcome.UNKNOWN, "by script", null), at(3));
		waiter.acquisition.timer(at(200));
		waiter.claim(200);
		assertThat(keep(waiter.granted(200), 201)).isFalse();
	}

	@Test
	void aLeaseThatOtherClientsQueueForIsNotKeptIdle() {
		release(granted("k", 0), 1);
		Waiter waiter = asking("k", 2);
		StoredWaiter other = new StoredWaiter("other", 1, OWNER, Instant.EPOCH, Duration.ofSeconds(6));
		assertThat(keep(waiter.granted(2, List.of(other)), 3)).isFalse();
	}

	@Test
	void aLeaseInItsMinimumHoldOrLeftToExpireIsNotKeptIdle() {
		release(granted("k", 0), 1);
		LockRequest kept = LockRequest.builder("k")
			.settings(request("k").settings())
			.minHold(Duration.ofMillis(100))
			.build();
		HeldLock held = new Waiter(kept, 2).asked(2).granted(2);
		assertThat(keep(held, 50)).isFalse();
		assertThat(keep(held, 102)).isTrue();
		HeldLock inDoubt = warm("other");
		inDoubt.state().letExpire();
		assertThat(keep(inDoubt, 10)).as("the commit may still land").isFalse();
	}

	@Test
	void aLeaseHandedOverToARequestWithoutALingerIsNotKeptIdle() {
		HeldLock held = warm("k");
		Waiter next = begun(LockRequest.of("k"), 3);
		assertThat(new HandOver(Duration.ofMillis(250), 1000).pass(held, this.queues, at(4), (any) -> {
		}, () -> {
		})).isTrue();
		assertThat(keep(next.held(), 5)).isFalse();
	}

	@Test
	void whenAReleaseIsRequestedThenTheLeaseIsNotKeptIdle() {
		HeldLock held = warm("k");
		held.lease().releaseRequested(new ReleaseRequest("please", "me", Instant.EPOCH));
		assertThat(keep(held, 10)).isFalse();
	}

	@Test
	void aLeaseWithLessThanHalfOfItsTimeLeftIsNotKeptIdle() {
		assertThat(keep(warm("k"), 12_002)).isFalse();
	}

	@Test
	void aLostLeaseIsNotKeptIdle() {
		HeldLock held = warm("k");
		held.lease().gone();
		assertThat(keep(held, 10)).isFalse();
		assertThat(this.log).containsExactly("lost");
	}

	@Test
	void itEndsWithTheFencesThatWereSetAside() {
		HeldLock held = warm("k");
		for (int i = 0; i < Recall.RESERVE; i++) {
			assertThat(keep(held, 10)).isTrue();
			held = taken("k", 10);
		}
		assertThat(held.fence()).isEqualTo(held.grantFence() + Recall.RESERVE);
		assertThat(keep(held, 10)).isFalse();
	}

	@Test
	void theOldestGoFirstWhenThereAreTooMany() {
		List<HeldLock> held = new ArrayList<>();
		for (int i = 0; i < IdleLeases.MAX_LEASES; i++) {
			held.add(warm("k" + i));
		}
		held.forEach((one) -> assertThat(keep(one, 10)).isTrue());
		assertThat(this.idle.due(this.notified, at(11))).isEmpty();
		HeldLock last = warm("last");
		keep(last, 12);
		assertThat(this.idle.due(this.notified, at(50))).containsExactly(held.get(0));
		assertThat(this.queues.idle()).hasSize(IdleLeases.MAX_LEASES);
	}

	@Test
	void aStopTakesThemAll() {
		HeldLock one = warm("one");
		HeldLock other = warm("other");
		keep(one, 10);
		keep(other, 10);
		this.idle.recall(one.id());
		assertThat(this.idle.stop()).containsExactlyInAnyOrder(one, other);
		assertThat(this.idle.stop()).isEmpty();
	}

	@Test
	void aRecallEndsItAtOnceAndWhoComesNextEntersTheQueue() {
		HeldLock held = warm("k");
		keep(held, 10);
		int before = this.wakes;
		this.idle.recall(held.id());
		assertThat(this.wakes).isGreaterThan(before);
		assertThat(this.idle.nextIn(at(11))).isZero();
		Waiter next = begun(request("k"), 11);
		assertThat(next.step).as("nobody takes it").isInstanceOf(Wait.class);
		assertThat(endAll(11)).containsExactly(held);
		assertThat(next.claim(11).waiting()).isTrue();
	}

	@Test
	void aKeyThatWasRecalledHasToBeTakenMoreOftenInARowToKeepItsLease() {
		HeldLock held = warm("k");
		keep(held, 10);
		this.idle.recall(held.id());
		endAll(11);
		assertThat(keep(granted("k", 12), 13)).as("which was enough before").isFalse();
		assertThat(keep(granted("k", 14), 15)).isFalse();
	}

	@Test
	void aRecallOfALeaseThatServedNobodySetsTheKeyBackFurther() {
		keep(warm("k"), 10);
		HeldLock taken = taken("k", 11);
		keep(taken, 12);
		this.idle.recall(taken.id());
		endAll(13);
		assertThat(usesUntilKept("k", 14)).as("it has served one").isEqualTo(4);
		HeldLock unused = warm("l");
		keep(unused, 200);
		this.idle.recall(unused.id());
		endAll(201);
		assertThat(usesUntilKept("l", 202)).isEqualTo(LingerPolicy.MAX_CLAIMS);
	}

	@Test
	void aHandOverIsNoClaimThatTheIdleLeaseServed() {
		HeldLock first = warm("k");
		Waiter next = begun(request("k"), 3);
		assertThat(new HandOver(Duration.ofMillis(250), 1000).pass(first, this.queues, at(4), (any) -> {
		}, () -> {
		})).isTrue();
		assertThat(keep(next.held(), 5)).isTrue();
		this.idle.recall(first.id());
		endAll(6);
		assertThat(usesUntilKept("k", 7)).isEqualTo(LingerPolicy.MAX_CLAIMS);
	}

	@Test
	void claimsThatAnIdleLeaseServedMakeUpForAnEarlierRecall() {
		keep(warm("k"), 10);
		HeldLock taken = taken("k", 11);
		keep(taken, 12);
		this.idle.recall(taken.id());
		endAll(13);
		long now = 14;
		HeldLock held = granted("k", now);
		for (; !keep(held, now); now++) {
			held = granted("k", now);
		}
		for (int served = 0; served < 3; served++) {
			held = taken("k", now);
			keep(held, now);
		}
		this.idle.recall(held.id());
		endAll(now);
		assertThat(usesUntilKept("k", now)).as("as after the first recall").isEqualTo(4);
	}

	@Test
	void claimsThatAnIdleLeaseServedMakeUpForARecallEvenIfItIsRecalledWhileHeld() {
		keep(warm("k"), 10);
		HeldLock taken = taken("k", 11);
		keep(taken, 12);
		this.idle.recall(taken.id());
		endAll(13);
		for (int i = 0; i < 3; i++) {
			release(granted("k", 14), 14);
		}
		assertThat(keep(granted("k", 14), 14)).as("for the fourth time").isTrue();
		for (int served = 0; served < 3; served++) {
			taken = taken("k", 14);
			keep(taken, 14);
		}
		taken = taken("k", 14);
		this.idle.recall(taken.id());
		assertThat(keep(taken, 14)).isFalse();
		release(taken, 14);
		assertThat(usesUntilKept("k", 5000)).as("as before the first recall").isEqualTo(2);
	}

	private int usesUntilKept(String key, long from) {
		int uses = 1;
		for (long now = from; !keep(granted(key, now), now + 1); now += 2) {
			uses++;
		}
		return uses;
	}

	@Test
	void aRecallThatComesBeforeTheGrantIsKnownIsNotForgotten() {
		release(granted("k", 0), 1);
		Waiter waiter = asking("k", 2);
		LeaseId id = waiter.acquisition.attempt().id();
		assertThat(this.idle.recall(id)).isEqualTo(request("k"));
		assertThat(this.idle.recall(id)).as("no news").isNull();
		HeldLock held = waiter.granted(3);
		assertThat(this.idle.recall(id)).as("no news").isNull();
		assertThat(keep(held, 4)).isFalse();
		assertThat(new HandOver(Duration.ofMillis(250), 1000).mayPass(held)).as("others want it").isFalse();
	}

	@Test
	void aRecallOfAnotherLeaseSaysNothingOfTheOneThatIsAskedFor() {
		release(granted("k", 0), 1);
		Waiter waiter = asking("k", 2);
		assertThat(this.idle.recall(new LeaseId("k", "another"))).isNull();
		assertThat(keep(waiter.granted(3), 4)).isTrue();
	}

	@Test
	void aRecallOfAnotherLeaseEndsNothing() {
		keep(warm("k"), 10);
		this.idle.recall(new LeaseId("k", "another"));
		this.idle.recall(new LeaseId("l", "another"));
		assertThat(this.idle.due(true, at(30))).isEmpty();
	}

	@Test
	void aLeaseThatIsRecalledWhileItIsHeldIsNotLostAndNotKeptIdle() {
		HeldLock held = warm("k");
		keep(held, 10);
		HeldLock taken = taken("k", 11);
		this.idle.recall(held.id());
		assertThat(taken.lease().isHeld(at(12))).as("no loss").isTrue();
		assertThat(keep(taken, 12)).isFalse();
	}

	@Test
	void aRecallAsItBecomesIdleIsNotMissed() {
		HeldLock held = warm("k");
		this.idle.keep(held, at(10), () -> this.idle.recall(held.id()));
		assertThat(endAll(10)).containsExactly(held);
	}

	@Test
	void aClaimThatHasTakenItBeforeTheRecallHoldsIt() {
		HeldLock held = warm("k");
		keep(held, 10);
		HeldLock taken = taken("k", 11);
		this.idle.recall(held.id());
		assertThat(endAll(12)).isEmpty();
		assertThat(taken.lease().isHeld(at(12))).isTrue();
	}

	@Test
	void aBrokenLockIsTakenByNobody() {
		HeldLock held = warm("k");
		keep(held, 10);
		held.lease().gone();
		this.idle.wanted("k");
		assertThat(this.queues.idle()).isEmpty();
		assertThat(begun(request("k"), 11).step).isInstanceOf(Wait.class);
	}

	@Test
	void recallsAreWatchedForAWhileAfterALeaseWasLeftIdleHoweverSoonItIsTaken() {
		assertThat(this.idle.watchFor(at(0))).isZero();
		HeldLock held = warm("k");
		assertThat(this.idle.watchFor(at(10))).isZero();
		keep(held, 10);
		assertThat(this.idle.watchFor(at(1000))).isEqualTo(IdleLeases.WATCHED);
		taken("k", 1010);
		assertThat(this.idle.watchFor(at(1010))).isEqualTo(9_000_000_000L);
		assertThat(this.idle.watchFor(at(10_010))).isZero();
		HeldLock again = warm("l");
		keep(again, 20);
		taken("l", 20);
		assertThat(this.idle.watchFor(at(20))).as("from the last one on").isEqualTo(IdleLeases.WATCHED);
	}

	@Test
	void whereRecallsMayHaveBeenMissedAllThatWasGrantedBeforeIsGivenUp() {
		beNotified();
		HeldLock idle = warm("idle");
		HeldLock held = warm("held");
		Waiter asking = asking("asking", 2);
		keep(idle, 10);
		int before = this.wakes;
		this.idle.missed(at(20));
		assertThat(this.wakes).isGreaterThan(before);
		assertThat(begun(request("idle"), 21).step).as("nobody takes it").isInstanceOf(Wait.class);
		assertThat(endAll(21)).containsExactly(idle);
		assertThat(keep(held, 22)).isFalse();
		assertThat(keep(asking.granted(22), 23)).as("asked for before").isFalse();
		release(held, 23);
		assertThat(keep(granted("held", 24), 25)).as("asked for after that").isTrue();
	}

	@Test
	void whenRecallsMayHaveBeenMissedAsALeaseBecomesIdleThenItEnds() {
		HeldLock held = warm("k");
		this.idle.keep(held, at(10), () -> this.idle.missed(at(11)));
		assertThat(endAll(12)).containsExactly(held);
	}

	@Test
	void whereRecallsAreNotNotifiedItEndsOneLingerAfterItsGrantHoweverOftenItIsTaken() {
		HeldLock held = warm("k");
		keep(held, 10);
		HeldLock taken = taken("k", 1500);
		assertThat(keep(taken, 1999)).isTrue();
		assertThat(this.idle.due(false, at(2001))).isEmpty();
		assertThat(this.idle.nextIn(at(2001))).isLessThanOrEqualTo(IdleLeases.PAUSE);
		assertThat(this.idle.due(false, at(2021))).containsExactly(taken);
		HeldLock other = warm("l");
		keep(other, 10);
		assertThat(keep(taken("l", 1500), 2002)).isFalse();
	}

	@Test
	void whereRecallsAreNotifiedItsLingerBeginsAnewEachTime() {
		beNotified();
		keep(warm("k"), 10);
		HeldLock taken = taken("k", 2000);
		assertThat(keep(taken, 3000)).isTrue();
		assertThat(this.idle.due(true, at(4999))).isEmpty();
		assertThat(this.idle.due(true, at(5020))).containsExactly(taken);
	}

	@Test
	void whereRecallsAreNoLongerNotifiedItsLingerBeganWithItsGrant() {
		beNotified();
		HeldLock held = warm("k");
		keep(held, 1000);
		HeldLock later = granted("l", 1000);
		release(later, 1001);
		later = granted("l", 1002);
		keep(later, 1003);
		assertThat(this.idle.due(true, at(2500))).isEmpty();
		assertThat(this.idle.due(false, at(2501))).containsExactly(held);
		assertThat(this.idle.nextIn(at(2501))).isLessThanOrEqualTo(501_000_000);
	}

	@Test
	void aRecallThatWasNotHeardIsSeenInTheAnswerToTheNextClaim() {
		HeldLock held = warm("k");
		keep(held, 10);
		assertThat(endAll(2002)).containsExactly(held);
		this.recalled = held.id().leaseToken();
		HeldLock next = granted("k", 2003);
		assertThat(keep(next, 2004)).isFalse();
		release(next, 2004);
		assertThat(usesUntilKept("k", 2005)).as("as others want it").isEqualTo(LingerPolicy.MAX_CLAIMS);
	}

	@Test
	void aRecallThatWasNotHeardIsSeenAlsoInADenial() {
		HeldLock held = warm("k");
		keep(held, 10);
		endAll(2002);
		Waiter waiter = asking("k", 2003);
		this.recalled = held.id().leaseToken();
		waiter.denied(2003);
		this.recalled = "another";
		assertThat(keep(waiter.asked(2004).granted(2004), 2005)).isFalse();
	}

	@Test
	void aRecallThatWasHeardDoesNotCountAgainInTheAnswerToTheNextClaim() {
		keep(warm("k"), 10);
		HeldLock taken = taken("k", 11);
		keep(taken, 12);
		this.idle.recall(taken.id());
		endAll(13);
		this.recalled = taken.id().leaseToken();
		assertThat(usesUntilKept("k", 14)).isEqualTo(4);
	}

	@Test
	void nobodyTakesALeaseThatWasRecalledBeforeItEnds() {
		HeldLock held = warm("k");
		keep(held, 10);
		Objects.requireNonNull(held.recall()).want();
		assertThat(begun(request("k"), 11).step).isInstanceOf(Wait.class);
	}

	@Test
	void aClaimThatStoodStillBeforeItsBeginTakesNoLeaseThatHasRunOut() {
		keep(warm("k"), 10);
		Attempt attempt = Attempt.of(request("k"), "late", OWNER, "main", ConfiguredSettings.NONE, at(11));
		LockAcquisition acquisition = new LockAcquisition(this.queues, attempt, 1000, (lost) -> this.log.add("lost"));
		Waiter caller = new Waiter(request("other"), 11);
		this.now = 60_000;
		assertThat(acquisition.begin(caller, at(11))).isInstanceOf(Wait.class);
		assertThat(this.log).containsExactly("passed 102");
	}

	@Test
	void whoIsDeniedBehindOneThatItDoesNotSuitHearsOfNoHolder() {
		keep(warm("k"), 10);
		begun(LockRequest.of("k"), 11);
		Waiter once = begun(LockRequest.builder("k").waitTimeout(Duration.ZERO).build(), 12);
		assertThat(once.step).isInstanceOfSatisfying(Denied.class, (denied) -> assertThat(denied.holders()).isEmpty());
	}

	@Test
	void whereMemoryRunsOutAsItBecomesIdleTheNextOneAsks() {
		replace(new IdleLeases(this.queues, (held) -> false, new LinkedHashMap<>() {

			@Override
			public IdleLease put(String key, IdleLease lease) {
				throw new OutOfMemoryError("by script");
			}

		}));
		HeldLock held = warm("k");
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> keep(held, 10));
		this.queues.notKept(held);
		assertThat(begun(request("k"), 11).step).isEqualTo(new Ask());
	}

	@Test
	void onlyWhoeverWantsItHandsItOn() {
		replace(new IdleLeases(this.queues, (held) -> {
			throw new IllegalStateException("by script");
		}));
		HeldLock first = warm("k");
		keep(first, 10);
		HeldLock second = warm("l");
		keep(second, 10);
		this.idle.missed(at(11));
		assertThat(endAll(11)).containsExactly(first, second);
	}

	@Test
	void oneThatIsHandedOnInVainWhileClaimsStopIsReleased() {
		List<HeldLock> released = new ArrayList<>();
		IdleLeaseReaper reaper = reaper((held) -> {
			this.idle.stop();
			return false;
		}, (all) -> {
			released.addAll(all);
			return List.of();
		});
		HeldLock held = warm("k");
		keep(held, 10);
		reaper.wanted("k");
		long next = reaper.run(at(11), Runnable::run);
		assertThat(released).containsExactly(held);
		assertThat(next).as("no pass is due").isGreaterThan(ClockReading.NEVER / 2);
	}

	@Test
	void whereNothingIsReleasedAnyMoreNothingIsKept() {
		IdleLeaseReaper reaper = reaper((held) -> false, (all) -> List.of());
		assertThat(keep(warm("k"), 10)).isTrue();
		HeldLock held = warm("l");
		reaper.stop();
		assertThat(keep(held, 10)).isFalse();
	}

	@Test
	void whenAReleaseFailsItIsDueAgain() {
		List<HeldLock> released = new ArrayList<>();
		IdleLeaseReaper reaper = reaper((held) -> false, (all) -> {
			released.addAll(all);
			throw new IllegalStateException("by script");
		});
		HeldLock held = warm("k");
		keep(held, 10);
		reaper.wanted("k");
		for (int run = 0; run < 2; run++) {
			List<Runnable> requests = new ArrayList<>();
			reaper.run(at(11), requests::add);
			assertThatIllegalStateException().isThrownBy(() -> requests.forEach(Runnable::run));
		}
		assertThat(released).containsExactly(held, held);
	}

	private IdleLeaseReaper reaper(Predicate<HeldLock> handOn, UnaryOperator<List<HeldLock>> release) {
		LockEvents events = new LockEvents(List.of(), LockClock.system(), (name) -> Thread::new);
		IdleLeaseReaper reaper = new IdleLeaseReaper(new ScriptedStore(), LockClock.system(), this.queues, events,
				handOn, release);
		reaper.start(() -> {
		});
		replace(reaper);
		return reaper;
	}

	private void replace(IdleLeases idle) {
		this.idle = idle;
		this.queues.linger(idle);
	}

	@Test
	void aHotKeyDoesNotWakeTheWatchEachTime() {
		HeldLock held = warm("k");
		keep(held, 10);
		this.idle.due(this.notified, at(10));
		int before = this.wakes;
		for (int i = 0; i < 100; i++) {
			keep(taken("k", 11 + i), 11 + i);
		}
		assertThat(this.wakes).isEqualTo(before);
		assertThat(this.idle.nextIn(at(120))).as("not forgotten").isLessThanOrEqualTo(2_000_000_000);
	}

	@Test
	void theTimeOfATurnBeginsAnewWhenNobodyWaited() {
		HandOver handOver = new HandOver(Duration.ofMillis(250), 1000);
		HeldLock held = warm("k");
		keep(held, 1000);
		HeldLock taken = taken("k", 1900);
		Waiter next = begun(request("k"), 1901);
		assertThat(handOver.pass(taken, this.queues, at(2000), (any) -> {
		}, () -> {
		})).isTrue();
		assertThat(next.held().fence()).isEqualTo(taken.fence() + 1);
		this.idle.recall(held.id());
		assertThat(handOver.mayPass(next.held())).as("others want it").isFalse();
	}

	@Test
	void aRecallEndsNoTurnOfAGrantThatOthersHadWaitedFor() {
		release(granted("k", 0), 1);
		StoredWaiter other = new StoredWaiter("other", 1, OWNER, Instant.EPOCH, Duration.ofSeconds(6));
		HeldLock held = asking("k", 2).granted(2, List.of(other));
		this.idle.recall(held.id());
		assertThat(new HandOver(Duration.ofMillis(250), 1000).mayPass(held)).as("the turn bounds it").isTrue();
	}

	@Test
	void whenAReleaseIsRequestedOfAnEarlierHoldThenTheTakerIsToldOnceAndKeepsNoIdleLease() {
		HeldLock held = warm("k");
		keep(held, 10);
		HeldLock taken = taken("k", 11);
		ReleaseRequest request = new ReleaseRequest("please", "me", Instant.EPOCH);
		assertThat(held.lease().releaseRequested(request)).as("who holds it now").contains(taken.lease());
		assertThat(taken.lease().releaseRequested(request)).as("once").isEmpty();
		assertThat(keep(taken, 12)).isFalse();
	}

	private void beNotified() {
		this.notified = true;
		int before = this.wakes;
		this.idle.missed(at(-1));
		assertThat(this.wakes).as("which is to be noticed").isGreaterThan(before);
		this.idle.due(true, at(-1));
	}

	private List<HeldLock> holders() {
		return this.queues.holders("k");
	}

	/** A lock that is held since 2 ms, whose lease may be idle. */
	private HeldLock warm(String key) {
		release(granted(key, 0), 1);
		return granted(key, 2);
	}

	private HeldLock granted(String key, long now) {
		return asking(key, now).granted(now);
	}

	private Waiter asking(String key, long now) {
		return new Waiter(request(key), now).asked(now);
	}

	private HeldLock taken(String key, long now) {
		return begun(request(key), now).held();
	}

	private Waiter begun(LockRequest request, long now) {
		return new Waiter(request, now);
	}

	private boolean keep(HeldLock held, long now) {
		boolean kept = this.idle.keep(held, at(now), () -> this.log.add("passed " + held.fence()));
		if (!kept && held.lossReason() == null && this.queues.waiting(held.key()) == 0 && held.recall() == null) {
			held.state().release(at(now));
			this.queues.wakeNext(held);
		}
		return kept;
	}

	private void release(HeldLock held, long now) {
		assertThat(keep(held, now)).isFalse();
		held.state().release(at(now));
		this.queues.wakeNext(held);
	}

	private List<HeldLock> endAll(long now) {
		List<HeldLock> due = this.idle.due(this.notified, at(now));
		due.forEach(this.queues::wakeNext);
		return due;
	}

	private static LockRequest request(String key) {
		return LockRequest.builder(key).linger(Duration.ofSeconds(2)).build();
	}

	private static LockRequest with(LockRequest request, Duration ttl) {
		return LockRequest.builder(request.key()).settings(request.settings()).ttl(ttl).build();
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

	private final class Waiter implements LockAcquisition.Caller {

		private final LockAcquisition acquisition;

		private AcquisitionStep step;

		private @Nullable Claim claim;

		private final long begun;

		private boolean begins = true;

		private Waiter(LockRequest request, long now) {
			String token = "t" + IdleLeasesTests.this.tokens++;
			Attempt attempt = Attempt.of(request, token, OWNER, "main", ConfiguredSettings.NONE, at(now));
			this.begun = now;
			IdleLeasesTests.this.now = now;
			this.acquisition = new LockAcquisition(IdleLeasesTests.this.queues, attempt, 1000,
					(lost) -> IdleLeasesTests.this.log.add("lost"));
			this.step = this.acquisition.begin(this, at(now));
			this.begins = false;
		}

		private Waiter asked(long now) {
			this.claim = claim(now);
			return this;
		}

		private Claim claim(long now) {
			return Objects.requireNonNull(this.acquisition.send(at(now)));
		}

		private HeldLock granted(long now) {
			return granted(now, List.of());
		}

		private void denied(long now) {
			StoredHolder other = new StoredHolder("other", 1, 1, OWNER, Instant.EPOCH, Instant.EPOCH,
					Duration.ofSeconds(30));
			this.step = this.acquisition.answered(new ClaimAnswer(new StoredLock("k", List.of(other), List.of(),
					List.of(), 1, Instant.EPOCH, IdleLeasesTests.this.recalled)), at(now));
		}

		private HeldLock granted(long now, List<StoredWaiter> queue) {
			Attempt attempt = this.acquisition.attempt();
			long reserve = Objects.requireNonNull(this.claim).reserve();
			long fence = ++IdleLeasesTests.this.fence;
			IdleLeasesTests.this.fence += reserve;
			StoredHolder holder = new StoredHolder(attempt.id().leaseToken(), fence, attempt.limit(), OWNER,
					Instant.EPOCH, Instant.EPOCH, attempt.terms().ttl());
			this.step = this.acquisition.answered(new ClaimAnswer(new StoredLock("k", List.of(holder), queue, List.of(),
					fence + reserve, Instant.EPOCH, IdleLeasesTests.this.recalled)), at(now));
			return held();
		}

		private HeldLock held() {
			return ((Granted) this.step).held();
		}

		@Override
		public void turn() {
			if (!this.begins) {
				this.step = this.acquisition.turn(at(this.begun));
			}
		}

		@Override
		public void stop() {
			throw new UnsupportedOperationException();
		}

	}

}
