package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.mongolock.LockDeadlock;
import io.mongolock.LockOwner;
import io.mongolock.LockPlace;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LockUnavailableException;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Cancelled;
import io.mongolock.core.AcquisitionStep.Denied;
import io.mongolock.core.AcquisitionStep.Failed;
import io.mongolock.core.AcquisitionStep.Granted;
import io.mongolock.core.AcquisitionStep.GrantedTooLate;
import io.mongolock.core.AcquisitionStep.LastStep;
import io.mongolock.core.AcquisitionStep.TooLate;
import io.mongolock.core.AcquisitionStep.Wait;
import io.mongolock.core.PlaceRequest.Kind;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.HiddenPlaces;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for {@link LockAcquisition}: ttl 30 s, margin 6 s, wait 5 s, retry 100 ms,
 * operation timeout 3 s.
 */
class LockAcquisitionTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	private final LocalWaitQueues<LocalWaiter, HeldLock> queues = new LocalWaitQueues<>();

	private final QueuePlaces places = new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES,
			(bound) -> bound - 1);

	private final ClientQueues client = new ClientQueues(this.queues, this.places, () -> true);

	private final List<String> turns = new ArrayList<>();

	private final LockAcquisition acquisition = acquisition("mine", Duration.ofSeconds(5));

	@Test
	void aGrantSaysWhetherOthersStandInQueueBehindIt() {
		assertThat(grant(granted()).contended()).isFalse();
		ClaimAnswer withQueue = answer(granted().lock().holders(), denied("behind").lock().queue(), List.of(), NOW);
		assertThat(grant(withQueue).contended()).isTrue();
		ClaimAnswer later = answer(granted().lock().holders(), withQueue.lock().queue(), List.of(),
				NOW.plusSeconds(20));
		assertThat(grant(later).contended()).as("its place has run out").isFalse();
	}

	@Test
	void anAttemptWithoutTimeRecallsALeaseThatMayBeIdleAndAsksOnceMoreAfterAPause() {
		LockAcquisition hasty = acquisition("mine", Duration.ZERO);
		begin(hasty);
		assertThat(answered(hasty, lingering(null), 0, 10)).isEqualTo(new Ask());
		assertThat(sent(hasty, 10).waiting()).as("which recalls").isTrue();
		assertThat(hasty.answered(lingering("other", "mine"), at(200))).as("however long that took")
			.isInstanceOfSatisfying(Wait.class,
					(wait) -> assertThat(wait.nanos()).isEqualTo(AcquisitionState.EXTRA_WAIT));
		assertThat(hasty.timer(at(249))).isInstanceOf(Wait.class);
		assertThat(hasty.timer(at(250))).isEqualTo(new Ask());
		assertThat(sent(hasty, 250).waiting()).as("the last request").isFalse();
		assertThat(hasty.answered(lingering("other"), at(251))).isInstanceOf(Denied.class);
		assertThat(this.places.takeAll()).as("it leaves the queue").containsExactly(hasty.attempt().id());
	}

	@Test
	void anAttemptWithoutTimeIsGrantedWhatItHasRecalled() {
		LockAcquisition hasty = acquisition("mine", Duration.ZERO);
		begin(hasty);
		answered(hasty, lingering(null), 0, 10);
		answered(hasty, lingering("other", "mine"), 10, 20);
		this.places.wakeIfAdmitted("k");
		assertThat(hasty.turn(at(25))).isEqualTo(new Ask());
		assertThat(answered(hasty, granted(), 25, 30)).isInstanceOf(Granted.class);
	}

	@Test
	void anAttemptThatRecallsBesideOneThatWaitsLeavesThatOneItsPlace() {
		LockAcquisition waiting = shared("waiting", Duration.ofMinutes(5));
		begin(waiting);
		answered(waiting, lingering(null), 0, 1);
		answered(waiting, lingering("other", "waiting"), 1, 2);
		LockAcquisition hasty = shared("hasty", Duration.ZERO);
		begin(hasty);
		assertThat(answered(hasty, lingering(null), 10, 11)).isEqualTo(new Ask());
		assertThat(sent(hasty, 11).waiting()).isTrue();
		hasty.answered(lingering("other", "waiting", "hasty"), at(12));
		assertThat(places(Kind.REFRESH, 2_100)).containsExactly(waiting.attempt().id());
		hasty.timer(at(2_200));
		assertThat(answered(hasty, lingering("other", "waiting"), 2_200, 2_201)).isInstanceOf(Denied.class);
		this.places.wakeIfAdmitted("k");
		assertThat(this.turns).containsExactly("waiting");
	}

	@Test
	void anAttemptThatWaitsTakesThePlaceOfOneThatRecallsBesideIt() {
		LockAcquisition waiting = shared("waiting", Duration.ofMinutes(5));
		begin(waiting);
		LockAcquisition hasty = shared("hasty", Duration.ZERO);
		begin(hasty);
		answered(hasty, lingering(null), 10, 11);
		answered(waiting, lingering(null), 0, 12);
		assertThat(places(Kind.REFRESH, 2_100)).containsExactly(waiting.attempt().id());
	}

	@Test
	void anAttemptWhoseWaitEndsBeforeItEntersTheQueueRecallsToo() {
		LockAcquisition brief = acquisition("mine", Duration.ofMillis(1));
		begin(brief);
		assertThat(answered(brief, lingering(null), 0, 10)).isEqualTo(new Ask());
		assertThat(sent(brief, 10).waiting()).isTrue();
	}

	@Test
	void anAttemptWithoutTimeIsDeniedAtOnceWhereNothingIsToBeRecalled() {
		for (ClaimAnswer answer : List.of(denied(), lingering("other"))) {
			LockAcquisition hasty = acquisition("mine", Duration.ZERO);
			begin(hasty);
			assertThat(answered(hasty, answer, 0, 10)).as("%s", answer)
				.isInstanceOfSatisfying(Denied.class,
						(denied) -> assertThat(denied.reason()).isEqualTo(Denied.Reason.NO_WAIT));
		}
		assertThat(this.places.takeAll()).isEmpty();
	}

	@Test
	void anAttemptThatHasWaitedInTheQueueWaitsNoLongerToRecall() {
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 0);
		answered(this.acquisition, denied("mine"), 0, 1);
		assertThat(this.acquisition.timer(at(5_000))).isEqualTo(new Ask());
		assertThat(answered(this.acquisition, lingering(null), 5_000, 5_001)).isInstanceOf(Denied.class);
	}

	private static ClaimAnswer lingering(@Nullable String recalled, String... queue) {
		StoredHolder holder = new StoredHolder("other", 7, 1, new LockOwner("app", "1", "host", 2, "other"), NOW, NOW,
				Duration.ofSeconds(30), null, false, Duration.ofSeconds(10), "");
		return new ClaimAnswer(
				new StoredLock("k", List.of(holder), denied(queue).lock().queue(), List.of(), 7, NOW, recalled));
	}

	@Test
	void noMoreFencesAreHandedOutThanTheStoreHasSetAside() {
		assertThat(lastFence(7)).as("none set aside").isEqualTo(7);
		assertThat(lastFence(9)).as("fewer than asked for").isEqualTo(9);
		assertThat(lastFence(100)).as("never more than asked for").isEqualTo(10);
	}

	// Of a claim that waited behind another of this JVM: the first one sets nothing aside
	private long lastFence(long highest) {
		LockAcquisition ahead = acquisition("ahead", Duration.ofSeconds(5));
		begin(ahead);
		LockAcquisition reserving = acquisition("mine", terms(Duration.ofSeconds(5)), 3);
		begin(reserving);
		ahead.cancel();
		reserving.turn(at(5));
		ClaimAnswer answer = new ClaimAnswer(
				new StoredLock("k", granted().lock().holders(), List.of(), List.of(), highest, NOW));
		HeldLock held = ((Granted) answered(reserving, answer, 10, 20)).held();
		this.client.wakeNext(held);
		return held.grant().lastFence();
	}

	@Test
	void aGrantIsReliableFromTheTimeItsRequestLeft() {
		begin(this.acquisition);
		assertThat(answered(this.acquisition, granted(), 10, 20)).isInstanceOfSatisfying(Granted.class,
				(granted) -> assertThat(granted.held().lease().remaining(at(20))).hasMillis(24_000 - 10));
		assertThat(this.acquisition.state.isUnknown()).isFalse();
		assertThat(this.acquisition.dueIn(at(20))).as("over").isNegative();
		assertThat(this.queues.waiters()).isEmpty();
		assertThat(this.queues.holders("k")).hasSize(1);
	}

	@Test
	void anAnswerThatCameTooLateToBeReliedOnIsAskedAgainWithinTheWait() {
		LockAcquisition patient = acquisition("mine", Duration.ofMinutes(5));
		begin(patient);
		assertThat(answered(patient, granted(), 0, 24_000)).isInstanceOf(Wait.class);
		assertThat(patient.state.isUnknown()).as("the token is in the store").isTrue();
		assertThat(patient.timer(at(24_100))).isEqualTo(new Ask());
		assertThat(answered(patient, granted(), 24_100, 24_101)).isInstanceOf(Granted.class);
	}

	@Test
	void aGrantKnowsOfARequestBeforeItThatMayRunLater() {
		begin(this.acquisition);
		assertThat(answered(this.acquisition, new ClaimAnswer(granted().lock(), null, true), 0, 10))
			.isInstanceOfSatisfying(Granted.class, (granted) -> assertThat(granted.held().grant().unknown()).isTrue());
	}

	@Test
	void aGrantInDoubtAfterAClaimInTheQueueIsCleanedUpInTheQueueToo() {
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 1);
		Granted granted = (Granted) answered(this.acquisition, new ClaimAnswer(granted().lock(), null, true), 1, 2);
		assertThat(granted.held().state().cleanUp(at(3)).isInQueue()).isTrue();
	}

	@Test
	void onlyTheFirstRequestOfATokenSaysThatItIsTheFirst() {
		begin(this.acquisition);
		assertThat(sent(this.acquisition, 0).first()).isTrue();
		answered(this.acquisition, denied(), 0, 0);
		assertThat(sent(this.acquisition, 0).first()).isFalse();
	}

	@Test
	void aRequestWithoutAnAnswerWasAFirstOneToo() {
		begin(this.acquisition);
		failed(this.acquisition, Outcome.UNKNOWN, 3_000);
		this.acquisition.timer(at(3_100));
		assertThat(sent(this.acquisition, 3_100).first()).isFalse();
	}

	@Test
	void anAnswerThatCameTooLateAfterTheWaitIsAFailure() {
		begin(this.acquisition);
		assertThat(answered(this.acquisition, granted(), 0, 24_000)).isInstanceOfSatisfying(Failed.class, (failed) -> {
			assertThat(failed.failure()).hasMessageContaining("took 24000ms");
			assertThat(failed.cleansUp()).isTrue();
		});
	}

	@Test
	void aDeniedClaimEntersTheQueueAtOnceAndAsksOnceMoreWhenTheWaitIsOver() {
		begin(this.acquisition);
		assertThat(sent(this.acquisition, 0)).satisfies((claim) -> {
			assertThat(claim.first()).isTrue();
			assertThat(claim.waiting()).isFalse();
		});
		assertThat(answered(this.acquisition, denied(), 0, 1)).isEqualTo(new Ask());
		assertThat(sent(this.acquisition, 0)).satisfies((claim) -> {
			assertThat(claim.first()).isFalse();
			assertThat(claim.placeTtl()).hasSeconds(6);
		});
		assertThat(answered(this.acquisition, denied("mine"), 1, 2))
			.isEqualTo(new Wait(4_998_000_000L, new LockPlace(1, 1)));
		assertThat(this.acquisition.timer(at(4_999))).as("early").isEqualTo(new Wait(1_000_000));
		assertThat(this.acquisition.timer(at(5_000))).isEqualTo(new Ask());
		assertThat(sent(this.acquisition, 0)).satisfies((claim) -> {
			assertThat(claim.first()).isFalse();
			assertThat(claim.waiting()).as("the last request takes no place").isFalse();
		});
		assertThat(answered(this.acquisition, denied("mine"), 5_000, 5_001)).isInstanceOfSatisfying(Denied.class,
				(end) -> {
					assertThat(end.holders()).singleElement()
						.satisfies((holder) -> assertThat(holder.remaining()).hasSeconds(20));
					assertThat(end.cleansUp()).isFalse();
					assertThat(end.reason()).isEqualTo(Denied.Reason.TIMEOUT);
				});
		assertThat(this.places.isEmpty()).isTrue();
		assertThat(kinds(5_001)).containsExactly(Kind.LEAVE);
	}

	@Test
	void aPlaceIsToldOnceAndKeptUntilTheGrant() {
		standInQueue(this.acquisition);
		this.places.wakeIfAdmitted("k");
		assertThat(this.acquisition.turn(at(3))).isEqualTo(new Ask());
		assertThat(answered(this.acquisition, denied("mine"), 3, 4)).as("not again")
			.isEqualTo(new Wait(4_996_000_000L));
		this.places.wakeIfAdmitted("k");
		this.acquisition.turn(at(5));
		assertThat(answered(this.acquisition, granted(), 5, 6)).isInstanceOf(Granted.class);
		assertThat(this.places.isEmpty()).isTrue();
		assertThat(kinds(6)).as("the grant took it out of the queue").isEmpty();
	}

	@Test
	void aHintIsNoGrantAndOnlyMakesTheNextInQueueAsk() {
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 1);
		answered(this.acquisition, denied("first", "mine"), 1, 2);
		this.places.wakeIfAdmitted("k");
		assertThat(this.turns).as("the one ahead goes first").isEmpty();
		this.places.wakeIfAdmitted("k");
		assertThat(this.turns).containsExactly("mine");
		assertThat(this.acquisition.turn(at(3))).isEqualTo(new Ask());
	}

	@Test
	void aTurnThatNobodyCalledMakesNobodyAskWhoStandsInTheQueue() {
		standInQueue(this.acquisition);
		assertThat(this.acquisition.turn(at(3))).isInstanceOf(Wait.class);
		assertThat(this.acquisition.send(at(3))).isNull();
	}

	@Test
	void aHintCallsNobodyWhoIsAboutToAskAnyway() {
		standInQueue(this.acquisition);
		assertThat(this.acquisition.timer(at(60_000))).isEqualTo(new Ask());
		this.places.wakeIfAdmitted("k");
		assertThat(this.turns).isEmpty();
	}

	@Test
	void aHintDuringTheRequestIsNotForgotten() {
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 1);
		this.acquisition.send(at(1));
		this.places.wakeIfAdmitted("k");
		assertThat(this.acquisition.answered(denied("mine"), at(2))).isEqualTo(new Ask());
	}

	@Test
	void aPlaceThatIsGoneIsEnteredAgainAfterAPause() {
		standInQueue(this.acquisition);
		this.places.wakeIfAdmitted("k");
		this.acquisition.turn(at(3));
		assertThat(answered(this.acquisition, denied(), 3, 4)).isEqualTo(new Wait(100_000_000));
		assertThat(this.acquisition.timer(at(104))).isEqualTo(new Ask());
		assertThat(sent(this.acquisition, 0).waiting()).isTrue();
	}

	@Test
	void aLeaseOfItsOwnThatRanOutIsNoGrant() {
		standInQueue(this.acquisition);
		ClaimAnswer denied = answer(List.of(holder("mine", NOW.minusSeconds(31))),
				denied("ahead", "mine").lock().queue(), List.of(), NOW);
		this.acquisition.timer(at(5_000));
		assertThat(answered(this.acquisition, denied, 5_000, 5_001)).isInstanceOf(Denied.class);
	}

	@Test
	void whoeverEndsWithoutTheLockLeavesTheQueue() {
		standInQueue(this.acquisition);
		assertThat(this.acquisition.cancel()).isEqualTo(new Cancelled(false, null));
		assertThat(kinds(3)).containsExactly(Kind.LEAVE);
		assertThat(this.places.isEmpty()).isTrue();
	}

	@Test
	void aPlaceThatARequestTookAfterTheEndIsLeftOnceMore() {
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 1);
		this.acquisition.send(at(1));
		this.acquisition.cancel();
		PlaceRequest first = this.places.due(false, at(2)).get(0);
		this.places.answered(first, List.of(), at(3));
		assertThat(this.acquisition.answered(denied("mine"), at(4))).isEqualTo(new TooLate(false));
		assertThat(kinds(4)).containsExactly(Kind.LEAVE);
	}

	@Test
	void anUnknownClaimInQueueIsCleanedUpInTheQueueTooIfTheLastOneTookNoPlace() {
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 1);
		failed(this.acquisition, Outcome.UNKNOWN, 100);
		assertThat(this.acquisition.timer(at(5_000))).isEqualTo(new Ask());
		assertThat(answered(this.acquisition, denied(), 5_000, 5_001)).isInstanceOf(Denied.class);
		assertThat(this.acquisition.cleanUp(at(5_002)).isInQueue()).isTrue();
	}

	@Test
	void anUnknownClaimInQueueIsCleanedUpInTheQueueToo() {
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 1);
		failed(this.acquisition, Outcome.UNKNOWN, 2);
		assertThat(this.acquisition.cancel()).isEqualTo(new Cancelled(true, null));
		assertThat(this.acquisition.cleanUp(at(3)).isInQueue()).isTrue();
	}

	@Test
	void theExceptionTellsThePlace() {
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 1);
		answered(this.acquisition, denied("a", "b", "mine", "c"), 1, 2);
		this.acquisition.timer(at(5_000));
		LastStep end = (LastStep) answered(this.acquisition, denied("a", "b", "mine", "c"), 5_000, 5_001);
		assertThat(this.acquisition.failure(end, at(5_000))).hasMessageContaining(
				"gave up after 5000ms and 3 claims. At that time, the call was 3rd in the queue of 4, behind app 1 "
						+ "(host host, pid 2, thread a), app 1 (host host, pid 2, thread b). The wait-timeout is 5000ms");
	}

	@Test
	void theExceptionNamesTheDeadlock() {
		LockOwner owner = this.acquisition.attempt().owner();
		LockDeadlock deadlock = new LockDeadlock(List.of(new LockDeadlock.Wait("other\n", owner, NOW, owner)));
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 1);
		answered(this.acquisition, denied("mine"), 1, 2);
		this.acquisition.timer(at(5_000));
		LastStep end = (LastStep) answered(this.acquisition, denied("mine"), 5_000, 5_001);
		this.acquisition.deadlocked(deadlock);
		assertThat(this.acquisition.failure(end, at(5_001))).hasMessageContaining(
				". The wait-timeout is 5000ms. The call waited in a deadlock, in which lock 'other\\u000A' is held by "
						+ owner + ", granted at " + NOW + ", and wanted by " + owner)
			.isInstanceOfSatisfying(LockUnavailableException.class,
					(failure) -> assertThat(failure.getDeadlock()).contains(deadlock));
	}

	@Test
	void anAttemptBeyondTheBoundOfTheQueueIsDeniedAtOnceAndLeaves() {
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 1);
		LastStep end = (LastStep) answered(this.acquisition, standsBehind(10_000), 1, 2);
		assertThat(this.acquisition.failure(end, at(2))).isInstanceOf(LockUnavailableException.class)
			.hasMessageStartingWith("Lock 'k' is held by app 1")
			.hasMessageEndingWith(
					" unless it is renewed), and its queue is full, because mongo-lock.max-places is 10000");
		assertThat(this.places.isEmpty()).isTrue();
		assertThat(kinds(3)).containsExactly(Kind.LEAVE);
	}

	@Test
	void theLastPlaceOfAQueueIsTaken() {
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 1);
		assertThat(answered(this.acquisition, standsBehind(9_999), 1, 2)).isInstanceOf(Wait.class);
	}

	@Test
	void anAttemptKeepsItsPlaceThoughSomeAheadAreBackAndItIsBeyondTheBound() {
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 1);
		answered(this.acquisition, standsBehind(9_999), 1, 2);
		PlaceRequest refresh = this.places.due(true, at(2_100)).get(0);
		this.places.answered(refresh, List.of(), at(2_101));
		assertThat(this.acquisition.turn(at(2_101))).as("it seemed to have none any more").isEqualTo(new Ask());
		assertThat(answered(this.acquisition, standsBehind(10_001), 2_101, 2_102)).isInstanceOf(Wait.class);
	}

	private static ClaimAnswer standsBehind(int others) {
		ClaimAnswer shown = denied("a", "mine");
		return new ClaimAnswer(shown.lock().withQueue(shown.lock().queue(), new HiddenPlaces(others - 1, 1, 0)));
	}

	@Test
	void theExceptionCountsThoseAheadThatTheStoreDoesNotShow() {
		ClaimAnswer shown = denied("a", "b", "c", "d", "e", "f", "g", "h", "mine");
		ClaimAnswer denied = new ClaimAnswer(shown.lock().withQueue(shown.lock().queue(), new HiddenPlaces(11, 1, 5)));
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 1);
		answered(this.acquisition, denied, 1, 2);
		this.acquisition.timer(at(5_000));
		LastStep end = (LastStep) answered(this.acquisition, denied, 5_000, 5_001);
		assertThat(this.acquisition.failure(end, at(5_000))).hasMessageContaining("20th in the queue of 25, behind")
			.hasMessageContaining("thread c) and 16 more. ");
	}

	@Test
	void theExceptionCountsTheClaimsOfItsOwnAttemptAlsoThoseWithoutAnAnswer() {
		begin(this.acquisition);
		failed(this.acquisition, Outcome.UNKNOWN, 100);
		this.acquisition.timer(at(200));
		answered(this.acquisition, denied(), 200, 300);
		this.acquisition.timer(at(5_000));
		LastStep end = (LastStep) answered(this.acquisition, denied(), 5_000, 5_001);
		assertThat(this.acquisition.failure(end, at(5_001))).isInstanceOfSatisfying(LockUnavailableException.class,
				(ex) -> assertThat(ex.getClaims()).isEqualTo(this.acquisition.claims()).isEqualTo(3));
		assertThat(acquisition("another", Duration.ZERO).claims()).isZero();
	}

	@Test
	void withoutAWaitOneDenialIsTheEnd() {
		LockAcquisition impatient = acquisition("mine", Duration.ZERO);
		begin(impatient);
		assertThat(answered(impatient, denied(), 0, 1)).isInstanceOf(Denied.class);
	}

	@Test
	void anUnknownRequestIsAskedAgainUnderTheSameTokenAndRemembered() {
		begin(this.acquisition);
		assertThat(failed(this.acquisition, Outcome.UNKNOWN, 3_000)).isInstanceOf(Wait.class);
		this.acquisition.timer(at(3_100));
		assertThat(answered(this.acquisition, granted(), 3_100, 3_101)).isInstanceOf(Granted.class);
		assertThat(this.acquisition.state.isUnknown()).as("a late duplicate may be granted again").isTrue();
	}

	@Test
	void anUnknownRequestAfterTheWaitReportsTheStoresFailure() {
		begin(this.acquisition);
		assertThat(failed(this.acquisition, Outcome.UNKNOWN, 5_000)).isInstanceOfSatisfying(Failed.class, (failed) -> {
			assertThat(failed.failure()).hasMessage("no");
			assertThat(failed.cleansUp()).isTrue();
		});
	}

	@Test
	void aRequestThatNeverRanIsAskedAgainAndLeavesNothingToCleanUp() {
		begin(this.acquisition);
		assertThat(failed(this.acquisition, Outcome.NOT_EXECUTED, 100)).isInstanceOf(Wait.class);
		this.acquisition.timer(at(200));
		assertThat(failed(this.acquisition, Outcome.NOT_EXECUTED, 5_000)).isInstanceOfSatisfying(Failed.class,
				(failed) -> assertThat(failed.cleansUp()).isFalse());
	}

	@Test
	void afterAFailureOfTheStoreNobodySleepsLongerThanAPlaceIsRefreshed() {
		LockSettings rare = LockSettings.builder()
			.waitTimeout(Duration.ofHours(1))
			.retryInterval(Duration.ofMinutes(10))
			.build();
		LockAcquisition acquisition = acquisition("mine", LockTerms.of(rare), 0);
		begin(acquisition);
		assertThat(failed(acquisition, Outcome.UNKNOWN, 100)).isEqualTo(new Wait(2_000_000_000));
	}

	@Test
	void aRefusalIsTheEndAtOnce() {
		begin(this.acquisition);
		assertThat(failed(this.acquisition, Outcome.REFUSED, 1)).isInstanceOf(Failed.class);
	}

	@Test
	void aDenialAfterAnUnknownRequestStillLeavesATokenToCleanUp() {
		begin(this.acquisition);
		failed(this.acquisition, Outcome.UNKNOWN, 100);
		this.acquisition.timer(at(5_000));
		assertThat(answered(this.acquisition, denied(), 5_000, 5_001)).isInstanceOfSatisfying(Denied.class,
				(denied) -> assertThat(denied.cleansUp()).isTrue());
	}

	@Test
	void theGrantTellsWhoseLeaseHadLapsed() {
		StoredHolder lapsed = holder("other", NOW.minusSeconds(60));
		StoredHolder alive = holder("neighbour", NOW.minusSeconds(1));
		ClaimAnswer answer = answer(List.of(alive, holder("mine", NOW)), List.of(), List.of(lapsed, alive), NOW);
		begin(this.acquisition);
		assertThat(answered(this.acquisition, answer, 0, 1)).isInstanceOfSatisfying(Granted.class,
				(granted) -> assertThat(granted.lapsed()).singleElement()
					.satisfies((holder) -> assertThat(holder.owner().thread()).isEqualTo("other")));
	}

	@Test
	void anAttemptWhoseGrantCannotBeMadePassesItsTurnOnWhenItIsCancelled() {
		LockAcquisition next = acquisition("next", Duration.ofSeconds(5));
		begin(this.acquisition);
		begin(next);
		List<StoredHolder> previous = new AbstractList<>() {

			@Override
			public StoredHolder get(int index) {
				throw new OutOfMemoryError("on purpose");
			}

			@Override
			public int size() {
				return 1;
			}

		};
		ClaimAnswer answer = answer(List.of(holder("mine", NOW)), List.of(), previous, NOW);
		assertThatThrownBy(() -> answered(this.acquisition, answer, 0, 1)).isInstanceOf(OutOfMemoryError.class);
		assertThat(this.acquisition.cancel()).isInstanceOf(Cancelled.class);
		assertThat(this.turns).containsExactly("next");
	}

	@Test
	void anAttemptBehindAnotherWaitsForItsTurnAndThenAsks() {
		begin(this.acquisition);
		LockAcquisition next = acquisition("next", Duration.ofSeconds(5));
		assertThat(begin(next)).isEqualTo(new Wait(5_000_000_000L));
		assertThat(next.send(at(1_000))).as("it is not its turn").isNull();
		this.acquisition.cancel();
		assertThat(this.turns).containsExactly("next");
		assertThat(next.turn(at(1_001))).isEqualTo(new Ask());
		assertThat(next.send(at(1_002))).isNotNull();
	}

	@Test
	void anAttemptThatNeverHadItsTurnIsDeniedWithTheHoldersOfThisJvm() {
		begin(this.acquisition);
		answered(this.acquisition, granted(), 0, 1);
		LockAcquisition next = acquisition("next", Duration.ofSeconds(5));
		begin(next);
		assertThat(next.timer(at(5_000))).isInstanceOfSatisfying(Denied.class, (denied) -> {
			assertThat(denied.holders()).singleElement()
				.satisfies((holder) -> assertThat(holder.owner().thread()).isEqualTo("mine"));
			assertThat(denied.cleansUp()).isFalse();
		});
		assertThat(this.queues.waiters()).isEmpty();
	}

	@Test
	void anAttemptThatNeverHadItsTurnIsDeniedWithTheHoldersThatTheFirstSawLast() {
		begin(this.acquisition);
		answered(this.acquisition, denied(), 0, 1);
		assertThat(begin(acquisition("next", Duration.ZERO))).isInstanceOfSatisfying(Denied.class,
				(denied) -> assertThat(denied.holders()).singleElement()
					.satisfies((holder) -> assertThat(holder.owner().thread()).isEqualTo("other")));
	}

	@Test
	void anAttemptThatNeverHadItsTurnFailsIfTheFirstHadOnlyAFailure() {
		begin(this.acquisition);
		failed(this.acquisition, Outcome.UNKNOWN, 1);
		assertThat(begin(acquisition("next", Duration.ZERO))).isInstanceOfSatisfying(Failed.class, (failed) -> {
			assertThat(failed.failure().getOutcome()).isEqualTo(Outcome.NOT_EXECUTED);
			assertThat(failed.failure()).hasMessageContaining("an earlier attempt in this application failed: no");
		});
	}

	@Test
	void aRequestWithoutAnAnswerFailsWhenTheWaitAndOneOperationAreOver() {
		begin(this.acquisition);
		this.acquisition.send(at(1));
		assertThat(this.acquisition.dueIn(at(1))).isEqualTo(7_999_000_000L);
		assertThat(this.acquisition.timer(at(7_999))).isEqualTo(new Wait(1_000_000));
		assertThat(this.acquisition.timer(at(8_000))).isInstanceOfSatisfying(Failed.class, (failed) -> {
			assertThat(failed.failure().getOutcome()).isEqualTo(Outcome.UNKNOWN);
			assertThat(failed.failure()).hasMessage("The store has not answered the request for lock 'k' within "
					+ "wait-timeout + operation-timeout = 5000ms + 3000ms");
			assertThat(failed.cleansUp()).as("its answer will tell").isFalse();
		});
		assertThat(this.queues.waiters()).isEmpty();
		assertThat(this.acquisition.failed(failure(Outcome.UNKNOWN), at(8_001))).isEqualTo(new TooLate(true));
	}

	@Test
	void aRequestThatFoundNoThreadFailsInTimeAndLeavesNothingToCleanUp() {
		LockAcquisition impatient = acquisition("mine", Duration.ZERO);
		begin(impatient);
		assertThat(impatient.timer(at(3_000))).isInstanceOfSatisfying(Failed.class, (failed) -> {
			assertThat(failed.failure().getOutcome()).isEqualTo(Outcome.NOT_EXECUTED);
			assertThat(failed.failure())
				.hasMessageEndingWith("0ms + 3000ms, because all threads for requests are busy");
			assertThat(failed.cleansUp()).isFalse();
		});
		assertThat(impatient.send(at(3_001))).as("a thread that comes late").isNull();
	}

	@Test
	void aGrantThatComesAfterTheEndIsToBeReleased() {
		begin(this.acquisition);
		this.acquisition.send(at(0));
		assertThat(this.acquisition.cancel()).isEqualTo(new Cancelled(false, null));
		assertThat(this.acquisition.answered(granted(), at(1))).isEqualTo(new GrantedTooLate());
		assertThat(this.queues.holders("k")).isEmpty();
		assertThat(this.acquisition.state.isUnknown()).as("one release is enough").isFalse();
	}

	@Test
	void aDenialThatComesAfterTheEndLeavesNothing() {
		begin(this.acquisition);
		this.acquisition.send(at(0));
		this.acquisition.cancel();
		assertThat(this.acquisition.answered(denied(), at(1))).isEqualTo(new TooLate(false));
	}

	@Test
	void whenAnAttemptIsCancelledAfterAnUnknownRequestThenThatIsCleanedUp() {
		begin(this.acquisition);
		failed(this.acquisition, Outcome.UNKNOWN, 1);
		assertThat(this.acquisition.cancel()).isEqualTo(new Cancelled(true, null));
		assertThat(this.acquisition.cancel()).isEqualTo(new TooLate(false));
	}

	@Test
	void aFirstTryThatHadNoAnswerIsFollowedByOneMoreAlsoWhenTheWaitIsOver() {
		LockAcquisition acquisition = acquisition("t", Duration.ZERO);
		begin(acquisition);
		sent(acquisition, 0);
		assertThat(acquisition.failedFirst(failure(Outcome.UNKNOWN), at(750))).isInstanceOf(Ask.class);
		assertThat(acquisition.isUnanswered()).isTrue();
		sent(acquisition, 750);
		assertThat(acquisition.dueIn(at(750))).as("in all one operation timeout").isEqualTo(2_250_000_000L);
		assertThat(acquisition.failed(failure(Outcome.UNKNOWN), at(1_000))).isInstanceOf(Failed.class);
	}

	@Test
	void whenTheSecondTryIsDeniedThenAnUnknownFirstTryIsCleanedUp() {
		LockAcquisition acquisition = acquisition("t", Duration.ZERO);
		begin(acquisition);
		sent(acquisition, 0);
		acquisition.failedFirst(failure(Outcome.UNKNOWN), at(750));
		assertThat(answered(acquisition, denied(), 750, 760).cleansUp()).isTrue();
	}

	@Test
	void aFirstTryThatWasRefusedIsTheLast() {
		begin(this.acquisition);
		sent(this.acquisition, 0);
		assertThat(this.acquisition.failedFirst(failure(Outcome.REFUSED), at(1))).isInstanceOf(Failed.class);
	}

	@Test
	void aFirstTryThatNobodyWantsAnyMoreIsNotRepeated() {
		begin(this.acquisition);
		sent(this.acquisition, 0);
		this.acquisition.cancel();
		assertThat(this.acquisition.failedFirst(failure(Outcome.UNKNOWN), at(1))).isEqualTo(new TooLate(true));
	}

	@Test
	void anEventAfterTheEndChangesNothing() {
		begin(this.acquisition);
		answered(this.acquisition, granted(), 0, 1);
		LockAcquisition next = acquisition("next", Duration.ofSeconds(5));
		begin(next);
		assertThat(this.acquisition.cancel()).isEqualTo(new TooLate(false));
		assertThat(this.acquisition.timer(at(9_000))).isEqualTo(new TooLate(false));
		assertThat(this.acquisition.turn(at(9_000))).isEqualTo(new TooLate(false));
		assertThat(this.turns).isEmpty();
	}

	@Test
	void anAttemptThatGivesUpInADeadlockAsksOnceMoreAndLeavesTheQueue() {
		standInQueue(this.acquisition);
		LockDeadlock deadlock = new LockDeadlock(List.of());
		this.acquisition.deadlocked(deadlock);
		this.acquisition.giveUp(at(1_500));
		assertThat(this.turns).containsExactly("mine");
		assertThat(this.acquisition.turn(at(1_500))).isEqualTo(new Ask());
		assertThat(sent(this.acquisition, 1_500).waiting()).as("the last request").isFalse();
		Denied end = (Denied) this.acquisition.answered(denied("mine"), at(1_501));
		assertThat(this.places.takeAll()).containsExactly(this.acquisition.attempt().id());
		assertThat(this.acquisition.failure(end, at(1_501))).hasMessageContaining("gave up after 1501ms")
			.hasMessageContaining(". mongo-lock.on-deadlock=fail ended the call's wait in a deadlock, in which ");
	}

	@Test
	void whenItGivesUpAsItsWaitEndsThenTheDeadlockIsTheReason() {
		standInQueue(this.acquisition);
		this.acquisition.deadlocked(new LockDeadlock(List.of()));
		this.acquisition.giveUp(at(5_000));
		this.acquisition.turn(at(5_000));
		LastStep end = (LastStep) answered(this.acquisition, denied("mine"), 5_000, 5_001);
		assertThat(this.acquisition.failure(end, at(5_001)))
			.hasMessageContaining(" mongo-lock.on-deadlock=fail ended the call's wait in a deadlock, in which ");
	}

	@Test
	void anAttemptThatGivesUpBehindAnotherOfItsJvmIsDeniedAtOnce() {
		standInQueue(this.acquisition);
		LockAcquisition behind = acquisition("behind", Duration.ofMinutes(5));
		begin(behind);
		behind.giveUp(at(1_500));
		assertThat(behind.timer(at(1_500))).isInstanceOfSatisfying(Denied.class,
				(denied) -> assertThat(denied.reason()).isEqualTo(Denied.Reason.DEADLOCK));
		assertThat(this.acquisition.dueIn(at(1_500))).as("another one waits on").isPositive();
	}

	@Test
	void anAttemptThatGivesUpInTheMiddleOfItsLocalQueueIsCalledAndDoesNotAskOutOfOrder() {
		standInQueue(this.acquisition);
		LockAcquisition behind = acquisition("behind", Duration.ofMinutes(5));
		begin(behind);
		begin(acquisition("last", Duration.ofMinutes(5)));
		behind.giveUp(at(1_500));
		assertThat(this.turns).containsExactly("behind");
		endsWithoutAClaim(behind, 1_500);
		assertThat(this.turns).as("the first still has its turn").containsExactly("behind");
		this.acquisition.cancel();
		assertThat(this.turns).containsExactly("behind", "last");
	}

	@Test
	void whenAnAttemptGivesUpJustAsItHasItsTurnThenTheTurnIsPassedOn() {
		standInQueue(this.acquisition);
		LockAcquisition behind = acquisition("behind", Duration.ofMinutes(5));
		begin(behind);
		begin(acquisition("last", Duration.ofMinutes(5)));
		this.acquisition.cancel();
		behind.giveUp(at(1_500));
		assertThat(this.turns).containsExactly("behind", "behind");
		endsWithoutAClaim(behind, 1_500);
		assertThat(this.turns).containsExactly("behind", "behind", "last");
	}

	private static void endsWithoutAClaim(LockAcquisition givenUp, long now) {
		assertThat(givenUp.turn(at(now))).isEqualTo(new Wait(0));
		assertThat(givenUp.send(at(now))).isNull();
		assertThat(givenUp.timer(at(now))).isInstanceOfSatisfying(Denied.class,
				(denied) -> assertThat(denied.reason()).isEqualTo(Denied.Reason.DEADLOCK));
	}

	@Test
	void anAttemptThatGivesUpDuringARequestTakesItsAnswer() {
		standInQueue(this.acquisition);
		this.places.wakeIfAdmitted("k");
		assertThat(this.acquisition.turn(at(1_400))).isEqualTo(new Ask());
		sent(this.acquisition, 1_400);
		this.acquisition.giveUp(at(1_500));
		assertThat(this.acquisition.turn(at(1_500))).isInstanceOf(Wait.class);
		assertThat(this.acquisition.answered(denied("mine"), at(1_501))).isInstanceOf(Denied.class);
	}

	@Test
	void anAttemptThatGivesUpIsGrantedALockThatHasJustBecomeFree() {
		standInQueue(this.acquisition);
		this.acquisition.giveUp(at(1_500));
		this.acquisition.turn(at(1_500));
		assertThat(answered(this.acquisition, granted(), 1_500, 1_501)).isInstanceOf(Granted.class);
	}

	@Test
	void anAttemptThatGivesUpAfterAFailureAsksForTheLastTimeAtOnce() {
		begin(this.acquisition);
		failed(this.acquisition, Outcome.NOT_EXECUTED, 1_400);
		this.acquisition.giveUp(at(1_500));
		assertThat(this.acquisition.turn(at(1_500))).isEqualTo(new Wait(0));
		assertThat(this.acquisition.timer(at(1_500))).isEqualTo(new Ask());
	}

	private void standInQueue(LockAcquisition acquisition) {
		begin(acquisition);
		answered(acquisition, denied(), 0, 1);
		assertThat(answered(acquisition, denied("mine"), 1, 2)).isInstanceOf(Wait.class);
	}

	private List<Kind> kinds(long now) {
		return this.places.due(false, at(now)).stream().map(PlaceRequest::kind).toList();
	}

	private List<LeaseId> places(Kind kind, long now) {
		return this.places.due(true, at(now))
			.stream()
			.filter((request) -> request.kind() == kind)
			.flatMap((request) -> request.places().stream())
			.toList();
	}

	private AcquisitionStep begin(LockAcquisition acquisition) {
		return acquisition.begin(new LockAcquisition.Caller() {

			@Override
			public void turn() {
				LockAcquisitionTests.this.turns.add(acquisition.attempt().id().leaseToken());
			}

			@Override
			public void stop() {
				throw new UnsupportedOperationException();
			}

		}, acquisition.attempt().begun());
	}

	private Grant grant(ClaimAnswer answer) {
		LockAcquisition acquisition = acquisition("mine", Duration.ofSeconds(5));
		begin(acquisition);
		HeldLock held = ((Granted) answered(acquisition, answer, 10, 20)).held();
		this.client.wakeNext(held);
		return held.grant();
	}

	private static Claim sent(LockAcquisition acquisition, long now) {
		return Objects.requireNonNull(acquisition.send(at(now)));
	}

	private static AcquisitionStep answered(LockAcquisition acquisition, ClaimAnswer answer, long requested, long now) {
		sent(acquisition, requested);
		return acquisition.answered(answer, at(now));
	}

	private static AcquisitionStep failed(LockAcquisition acquisition, Outcome outcome, long now) {
		sent(acquisition, now);
		return acquisition.failed(failure(outcome), at(now));
	}

	private LockAcquisition acquisition(String token, Duration waitTimeout) {
		return acquisition(token, terms(waitTimeout), 0);
	}

	private LockAcquisition shared(String token, Duration waitTimeout) {
		return acquisition(token, 2, terms(waitTimeout), 0);
	}

	private LockAcquisition acquisition(String token, LockTerms terms, int reserve) {
		return acquisition(token, 1, terms, reserve);
	}

	private LockAcquisition acquisition(String token, int limit, LockTerms terms, int reserve) {
		Attempt attempt = new Attempt(LockRequest.of("k"), new LeaseId("k", token), limit,
				new LockOwner("app", "1", "host", 2, token), terms, at(0));
		return new LockAcquisition(this.client, attempt, reserve, (lost) -> {
		});
	}

	private static LockTerms terms(Duration waitTimeout) {
		return LockTerms.of(LockSettings.builder().waitTimeout(waitTimeout).build());
	}

	private static ClaimAnswer answer(List<StoredHolder> holders, List<StoredWaiter> queue, List<StoredHolder> previous,
			Instant now) {
		return new ClaimAnswer(new StoredLock("k", holders, queue, previous, 0, now));
	}

	private static ClaimAnswer granted() {
		return answer(List.of(holder("mine", NOW)), List.of(), List.of(), NOW);
	}

	private static ClaimAnswer denied(String... queue) {
		List<StoredWaiter> waiters = Stream.of(queue)
			.map((token) -> new StoredWaiter(token, 1, new LockOwner("app", "1", "host", 2, token), NOW,
					Duration.ofSeconds(6)))
			.toList();
		return answer(List.of(holder("other", NOW.minusSeconds(10))), waiters, List.of(), NOW);
	}

	private static StoredHolder holder(String token, Instant renewedAt) {
		return new StoredHolder(token, 7, 1, new LockOwner("app", "1", "host", 2, token), renewedAt, renewedAt,
				Duration.ofSeconds(30));
	}

	private static LockStoreException failure(Outcome outcome) {
		return new LockStoreException("k", outcome, "no", null);
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

}
