package io.mongolock.core;

import java.lang.Thread.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.core.AcquisitionStep.Ask;
import io.mongolock.core.AcquisitionStep.Wait;
import io.mongolock.core.PlaceRequest.Kind;
import io.mongolock.core.QueuePlace.Look;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.HiddenPlaces;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link QueuePlaces}: a place lasts 6 s, a retry interval is 100 ms.
 */
class QueuePlacesTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	/** Of queues that are no longer because of those ahead: the first 17 are near. */
	private static final int LENGTH = 64;

	private final QueuePlaces places = new QueuePlaces(Duration.ofSeconds(6), QueuePlaces.MAX_PLACES,
			(bound) -> bound - 1);

	private final ClientQueues client = new ClientQueues(this.places, () -> true);

	private final List<String> called = new ArrayList<>();

	private final Map<String, LockAcquisition> acquisitions = new TreeMap<>();

	@Test
	void placesNearTheHeadAreRefreshedAndLookedAtWithOneRequestEveryThirdOfTheirLife() {
		IntStream.range(0, 500).forEach((i) -> stand("k" + i, 0));
		this.places.due(true, at(10));
		assertThat(this.places.due(true, at(1_999))).isEmpty();
		PlaceRequest refresh = only(this.places.due(true, at(2_000)), Kind.REFRESH);
		assertThat(keys(refresh)).hasSize(500).doesNotHaveDuplicates();
		assertThat(this.places.due(true, at(2_001))).as("while it is underway").isEmpty();
		this.places.answered(refresh, seen(refresh, 0), at(2_004));
		assertThat(this.called).isEmpty();
		assertThat(this.places.nextIn(at(2_004))).isEqualTo(1_996_000_000L);
		only(this.places.due(true, at(4_000)), Kind.REFRESH);
	}

	@Test
	void withoutAWatchTheNextInQueueLooksAtItsRetryIntervalAndThoseBehindLessOften() {
		stand("head", 0);
		stand("second", 1);
		stand("far", 100);
		assertThat(this.places.nextIn(at(0))).isEqualTo(100_000_000);
		assertThat(keys(only(this.places.due(false, at(100)), Kind.LOOK))).as("the second goes along")
			.containsExactlyInAnyOrder("head", "second");
	}

	@Test
	void releasesAreToBeWatchedForOneNearTheHeadAlone() {
		stand("far", 17);
		assertThat(this.places.watchFor()).isZero();
		stand("near", 16);
		assertThat(this.places.watchFor()).isPositive();
		this.acquisitions.get("near").cancel();
		assertThat(this.places.watchFor()).isZero();
	}

	@Test
	void allOfAShortQueueAreNearAndFewOfALongOne() {
		assertThat(List.of(isNear(31, 32), isNear(32, 33), isNear(31, 33))).containsExactly(true, false, true);
		assertThat(List.of(isNear(5, 1_000), isNear(4, 1_000))).containsExactly(false, true);
	}

	@Test
	void releasesAreWatchedForAWhileAfterAShortQueueAndBarelyAfterALongOne() {
		QueuePlace place = enter(attempt("k", LockSettings.NONE), 0);
		stands(place, position(3, 33));
		assertThat(Duration.ofNanos(this.places.watchFor())).isEqualTo(Duration.ofMillis(10));
		stands(place, position(3, 32));
		assertThat(Duration.ofNanos(this.places.watchFor())).isEqualTo(Duration.ofSeconds(10));
	}

	@Test
	void releasesAreWatchedForAWhileAfterALongQueueIfOthersAreWaitedFor() {
		stand("far", 2_000);
		QueuePlace place = enter(attempt("k", LockSettings.NONE), 0);
		stands(place, position(3, 33));
		assertThat(Duration.ofNanos(this.places.watchFor())).isEqualTo(Duration.ofSeconds(10));
	}

	@Test
	void whenTheLastPlaceIsGrantedThenTheBackgroundTaskIsWoken() {
		QueuePlace place = enter(attempt("k", LockSettings.NONE), 0);
		AtomicBoolean woken = new AtomicBoolean();
		this.places.onWork(() -> woken.set(true));
		this.places.granted(place);
		assertThat(woken).isTrue();
	}

	private static boolean isNear(int ahead, int length) {
		return position(ahead, length).isNear();
	}

	private static QueuePosition position(int ahead, int length) {
		return Objects.requireNonNull(QueuePosition.of(attempt("k", LockSettings.NONE), longer(ahead, length)));
	}

	private static StoredLock longer(int ahead, int length) {
		StoredLock lock = lock("k", 1, ahead, Duration.ofSeconds(30));
		return new StoredLock("k", lock.holders(), lock.queue(), List.of(), 7, NOW, null,
				new HiddenPlaces(lock.hidden().ahead(), 1, length - ahead - 1));
	}

	@Test
	void theFirstInTheQueueIsNearHoweverManyHoldTheLock() {
		QueuePlace writer = enter(attempt("k", LockSettings.NONE), 0);
		StoredLock lock = lock("k", 100, 0, Duration.ofSeconds(30));
		stands(writer, Objects.requireNonNull(QueuePosition.of(writer.attempt(), lock)));
		assertThat(this.places.watchFor()).isPositive();
	}

	@Test
	void aReaderIsNearHoweverManyAreAdmittedWithIt() {
		QueuePlace reader = enter(attempt("k", Integer.MAX_VALUE, LockSettings.NONE), 0);
		StoredLock lock = lock("k", 1, 100, Integer.MAX_VALUE, Duration.ofSeconds(30));
		stands(reader, Objects.requireNonNull(QueuePosition.of(reader.attempt(), lock)));
		assertThat(this.places.watchFor()).isPositive();
	}

	@Test
	void aPlaceOfWhichNothingIsKnownYetIsNotNear() {
		enter(attempt("k", LockSettings.NONE), 0);
		assertThat(this.places.watchFor()).isZero();
	}

	@Test
	void oneFarBackInAQueueThatStandsStillIsLookedAtWhenItIsRefreshedAlone() {
		stand("far", 18);
		assertThat(this.places.nextIn(at(0))).isEqualTo(2_000_000_000);
		assertThat(keys(refreshFar(18, 2_000))).containsExactly("far");
		assertThat(this.places.nextIn(at(2_002))).isEqualTo(2_000_000_000L * LENGTH / 130 - 2_000_000);
		refreshFar(18, 3_000);
		assertThat(this.places.nextIn(at(3_002))).isEqualTo(2_000_000_000L * LENGTH / 130 - 2_000_000);
	}

	@Test
	void aPlaceIsRefreshedTheLessOftenTheFartherBackItIsButBeforeOthersTakeItsWaiterForDead() {
		assertThat(refreshEvery(5, 1_000)).isEqualTo(2_000_000_000L * 5 / 28);
		assertThat(refreshEvery(20, 1_000)).isEqualTo(2_000_000_000L * 20 / 28);
		assertThat(refreshEvery(1_000, 1_100)).isEqualTo(5_700_000_000L);
	}

	@Test
	void noPlaceIsRefreshedSoSeldomThatAQueueWhichBeginsToMoveHaltsForLong() {
		assertThat(refreshEvery(99, 100)).isEqualTo(2_000_000_000L * 100 / 130);
		assertThat(refreshEvery(100, 300)).isEqualTo(2_000_000_000L * 300 / 130);
	}

	private static long refreshEvery(int ahead, int length) {
		QueuePlaces places = new QueuePlaces(Duration.ofSeconds(6), 10_000, (bound) -> bound - 1);
		Attempt attempt = attempt("k", LockSettings.builder().waitTimeout(Duration.ofMinutes(1)).build());
		QueuePlace place = places.enter(attempt, () -> {
		}, Long.MAX_VALUE, at(0));
		QueuePosition seen = position(ahead, length);
		places.stands(place, seen, at(0));
		PlaceRequest refresh = only(places.due(true, at(2_000)), Kind.REFRESH);
		places.answered(refresh, List.of(longer(ahead, length)), at(2_000));
		return places.nextIn(at(2_000));
	}

	@Test
	void aPlaceIsRefreshedAThirdOfItsLifeAfterItIsTakenThoughAllOthersAreFarBack() {
		stand("far", 2_000);
		refreshFar(2_000, 2_000);
		enter("new", 2_500);
		assertThat(this.places.nextIn(at(2_500))).isEqualTo(2_000_000_000);
		assertThat(refreshed(2_000, 4_500)).containsExactly("new");
	}

	@Test
	void placesThatAreDueWithinASixthOfTheirLifeGoAlong() {
		enter("due", 0);
		enter("soon", 1_000);
		enter("later", 1_001);
		assertThat(refreshed(2_000)).containsExactlyInAnyOrder("due", "soon");
	}

	private void enter(String key, long at) {
		enter(attempt(key, LockSettings.builder().waitTimeout(Duration.ofMinutes(1)).build()), at);
	}

	private QueuePlace enter(Attempt attempt, long at) {
		return this.places.enter(attempt, () -> {
		}, Long.MAX_VALUE, at(at));
	}

	@Test
	void aPlaceFarBackWhoseRefreshFailedIsRefreshedAfterAThirdOfItsLife() {
		stand("far", 2_000);
		this.places.failed(only(this.places.due(true, at(2_000)), Kind.REFRESH), at(2_001));
		assertThat(this.places.nextIn(at(2_001))).isEqualTo(2_000_000_000);
		assertThat(refreshed(2_000, 4_000)).isEmpty();
		assertThat(refreshed(2_000, 4_001)).containsExactly("far");
	}

	@Test
	void aPlaceThatHasComeNearIsRefreshedAsOftenAsAnyThatIsNear() {
		stand("k", 2_000);
		refreshFar(2_000, 2_000);
		this.places.missed(at(2_500));
		lookAt(1, 2_500);
		assertThat(refreshed(3_999)).isEmpty();
		assertThat(refreshed(4_000)).containsExactly("k");
	}

	@Test
	void aPlaceThatHasComeNearLongAfterItsRefreshIsRefreshedAtOnce() {
		stand("k", 2_000);
		refreshFar(2_000, 2_000);
		this.places.missed(at(7_000));
		lookAt(1, 7_000);
		assertThat(refreshed(7_003)).containsExactly("k");
	}

	@Test
	void aPlaceThatAClaimFindsNearIsRefreshedAsOftenAsAnyThatIsNear() {
		stand("k", 2_000);
		refreshFar(2_000, 2_000);
		this.places.missed(at(2_400));
		this.places.answered(only(this.places.due(true, at(2_400)), Kind.LOOK), List.of(), at(2_401));
		AtomicBoolean woken = new AtomicBoolean();
		this.places.nextIn(at(2_500));
		this.places.onWork(() -> woken.set(true));
		LockAcquisition acquisition = this.acquisitions.get("k");
		acquisition.turn(at(2_500));
		acquisition.send(at(2_500));
		acquisition.answered(answer("k", 1), at(2_501));
		assertThat(woken).isTrue();
		assertThat(refreshed(3_999)).isEmpty();
		assertThat(refreshed(4_000)).containsExactly("k");
	}

	@Test
	void oneFarBackInAQueueThatMovesOnIsLookedAtHalfWayToWhereItIsNear() {
		QueuePlace far = far(116);
		// It may have stood still before: 20 ms a turn, and after 90 more it is near
		assertThat(seen(far, 100, 2_002)).isEqualTo(20_000_000L * 90 / 2);
		// 2 turns in 902 ms are no slower than twice as slow
		assertThat(seen(far, 98, 2_904)).isEqualTo(40_000_000L * 88 / 2);
		// 54 turns in 1,762 ms are 33 ms each
		assertThat(seen(far, 44, 4_666)).isEqualTo(1_762_000_000L / 54 * 28 / 2);
	}

	@Test
	void oneFarBackInAQueueThatHaltsIsLookedAtAfterTwiceTheTimeEachTime() {
		QueuePlace far = far(57);
		assertThat(seen(far, 56, 2_002)).isEqualTo(400_000_000);
		assertThat(seen(far, 56, 2_404)).isEqualTo(800_000_000);
		assertThat(seen(far, 56, 3_206)).isEqualTo(1_600_000_000);
	}

	private QueuePlace far(int ahead) {
		QueuePlace far = enter(attempt("far", LockSettings.NONE), 0);
		stands(far, ahead);
		return far;
	}

	// In how long it is to be looked at
	private long seen(QueuePlace far, int ahead, long at) {
		QueuePosition seen = Objects.requireNonNull(QueuePosition.of(far.attempt(), answer("far", ahead).lock()));
		long pause = this.places.lookInterval(far, seen, at(at));
		far.answered(seen, pause, at(at));
		return pause;
	}

	@Test
	void howeverLongAQueueHaltsATurnIsTakenForAMinuteAtMost() {
		QueuePlace far = far(57);
		for (int second = 1; second < 100; second++) {
			seen(far, 56, 1000 * second);
		}
		assertThat(seen(far, 56, 100_000)).isEqualTo(Duration.ofMinutes(40 / 2).toNanos());
	}

	@Test
	void oneFarBackIsNotLookedAtSoonerThanItsRetryInterval() {
		stand("far", 101);
		refreshFar(17, 2_000);
		assertThat(this.places.nextIn(at(2_002))).isEqualTo(100_000_000);
	}

	@Test
	void oneThatStandsNearTheHeadHasReleasesWatchedThoughItNeedNotBeLookedAtYet() {
		stand("other", 0);
		AtomicBoolean woken = new AtomicBoolean();
		QueuePlace far = enter(attempt("far", LockSettings.NONE), 0);
		QueuePlace near = enter(attempt("near", LockSettings.NONE), 0);
		this.places.nextIn(at(0));
		this.places.onWork(() -> woken.set(true));
		stands(far, 100);
		assertThat(woken).isFalse();
		stands(near, 10);
		assertThat(woken).isTrue();
	}

	private void stands(QueuePlace place, int ahead) {
		stands(place, Objects.requireNonNull(QueuePosition.of(place.attempt(), answer(place.key(), ahead).lock())));
	}

	private void stands(QueuePlace place, QueuePosition seen) {
		this.places.stands(place, seen, at(0));
	}

	private PlaceRequest refreshFar(int ahead, long at) {
		return answer(Kind.REFRESH, ahead, at);
	}

	private void lookAt(int ahead, long at) {
		answer(Kind.LOOK, ahead, at);
	}

	private PlaceRequest answer(Kind kind, int ahead, long at) {
		PlaceRequest request = only(this.places.due(false, at(at)), kind);
		this.places.answered(request, seen(request, ahead), at(at + 2));
		return request;
	}

	@Test
	void withAWatchNobodyLooksBeforeTheRefreshUnlessThoseBeforeItRanOut() {
		stand("head", 0, Duration.ofMillis(700));
		stand("other", 0, Duration.ofSeconds(30));
		this.places.due(true, at(1));
		assertThat(this.places.nextIn(at(1))).isEqualTo(700_000_000);
		assertThat(keys(only(this.places.due(true, at(701)), Kind.LOOK))).containsExactly("head");
	}

	@Test
	void aLookCallsTheWaiterWhosePlaceIsGone() {
		stand("gone", 0);
		stand("there", 0);
		look((look) -> seen(look, 0).stream().filter((lock) -> !lock.key().equals("gone")).toList());
		assertThat(this.called).containsExactly("gone");
	}

	@Test
	void aLookCallsOnlyTheWaiterThatTheRuleAdmits() {
		stand("free", 0);
		stand("held", 0);
		look((look) -> keys(look).stream()
			.map((key) -> lock(key, (key.equals("free")) ? 0 : 1, 0, Duration.ofSeconds(30)))
			.toList());
		assertThat(this.called).containsExactly("free");
	}

	@Test
	void aLookThatLeftBeforeTheLastAnswerSaysNothing() {
		stand("k", 0);
		PlaceRequest look = only(this.places.due(false, at(100)), Kind.LOOK);
		this.places.wakeIfAdmitted("k");
		LockAcquisition acquisition = this.acquisitions.get("k");
		acquisition.turn(at(101));
		acquisition.send(at(101));
		acquisition.answered(answer("k", 0), at(102));
		this.called.clear();
		this.places.answered(look, List.of(), at(103));
		assertThat(this.called).isEmpty();
	}

	@Test
	void aLookThatLeftBeforeOneThatWasAnsweredSaysNothing() {
		stand("k", 1);
		this.places.missed(at(1_990));
		PlaceRequest look = only(this.places.due(true, at(1_990)), Kind.LOOK);
		this.places.wakeIfAdmitted("k");
		PlaceRequest refresh = only(this.places.due(true, at(2_000)), Kind.REFRESH);
		this.places.answered(refresh, seen(refresh, 0), at(2_002));
		this.places.answered(look, seen(look, 1), at(2_005));
		assertThat(this.called).isEmpty();
		this.places.wakeIfAdmitted("k");
		assertThat(this.called).containsExactly("k");
	}

	@Test
	void aReleaseLetsOnlyThoseAskWhoCouldBeAdmitted() {
		stand("a", 0);
		stand("b", 2);
		this.places.wakeIfAdmitted("a");
		this.places.wakeIfAdmitted("b");
		this.places.wakeIfAdmitted("nobody waits for it");
		assertThat(this.called).containsExactly("a");
		this.places.wakeIfAdmitted("b");
		this.places.wakeIfAdmitted("b");
		assertThat(this.called).containsExactly("a", "b");
	}

	@Test
	void hintsThatCameAfterALookLeftStillCount() {
		stand("k", 1);
		PlaceRequest look = only(this.places.due(false, at(200)), Kind.LOOK);
		this.places.wakeIfAdmitted("k");
		this.places.answered(look, seen(look, 1), at(201));
		assertThat(this.called).isEmpty();
		this.places.wakeIfAdmitted("k");
		assertThat(this.called).containsExactly("k");
	}

	@Test
	void whenHintsMayHaveBeenMissedThenAllPlacesAreLookedAtImmediately() {
		stand("head", 0);
		stand("far", 100);
		this.places.due(true, at(1));
		this.places.missed(at(2));
		assertThat(this.places.nextIn(at(2))).isZero();
		assertThat(keys(only(this.places.due(true, at(2)), Kind.LOOK))).hasSize(2);
		assertThat(this.places.due(true, at(3))).isEmpty();
	}

	@Test
	void aClaimThatWasUnderwayWhenSomethingWasMissedIsRepeatedIfItIsDenied() {
		stand("k", 3);
		IntStream.range(0, 4).forEach((i) -> this.places.wakeIfAdmitted("k"));
		LockAcquisition acquisition = this.acquisitions.get("k");
		acquisition.turn(at(201));
		acquisition.send(at(201));
		this.places.missed(at(201));
		assertThat(acquisition.answered(answer("k", 3), at(202))).isInstanceOf(Ask.class);
		acquisition.send(at(203));
		assertThat(acquisition.answered(answer("k", 3), at(204))).as("once").isInstanceOf(Wait.class);
	}

	@Test
	void aPlaceThatSeesALeaseWhichMayBeIdleAndNobodyRecalledAsks() {
		stand("head", 0);
		stand("held", 0);
		stand("recalled", 0);
		stand("second", 1);
		this.places.missed(at(1));
		PlaceRequest look = only(this.places.due(true, at(1)), Kind.LOOK);
		this.places.answered(look, List.of(idle(lock("head", 0)), lock("held", 0), recalled(idle(lock("recalled", 0))),
				idle(lock("second", 1))), at(2));
		assertThat(this.called).as("the first in the queue").containsExactly("head");
	}

	private static StoredLock lock(String key, int ahead) {
		return lock(key, 1, ahead, Duration.ofSeconds(30));
	}

	private static StoredLock idle(StoredLock lock) {
		StoredHolder holder = lock.holders().get(0);
		return new StoredLock(lock.key(),
				List.of(new StoredHolder(holder.leaseToken(), holder.fence(), 1, holder.owner(), holder.acquiredAt(),
						holder.renewedAt(), holder.ttl(), null, false, Duration.ofSeconds(5), "")),
				lock.queue(), List.of(), lock.fence(), lock.now(), null, lock.hidden());
	}

	private static StoredLock recalled(StoredLock lock) {
		return new StoredLock(lock.key(), lock.holders(), lock.queue(), List.of(), lock.fence(), lock.now(),
				lock.holders().get(0).leaseToken(), lock.hidden());
	}

	@Test
	void aStartAfterAStopRefreshesAndLeavesThoughRequestsWereNotSent() {
		stand("a", 0);
		stand("b", 0);
		this.acquisitions.get("b").cancel();
		for (PlaceRequest request : this.places.due(true, at(2_000))) {
			this.places.unsent(request, at(2_001));
		}
		assertThat(this.places.due(true, at(4_100))).extracting(PlaceRequest::kind, QueuePlacesTests::keys)
			.containsExactly(tuple(Kind.LEAVE, List.of("b")), tuple(Kind.REFRESH, List.of("a")));
	}

	@Test
	void aRefreshThatHangsIsDividedSoThatOnePlaceIsMissedAlone() {
		IntStream.range(0, 64).forEach((i) -> stand("k" + i, 0));
		PlaceRequest hangs = refreshes(2_000).get(0);
		this.places.failed(hangs, at(3_900));
		List<PlaceRequest> parts = refreshes(4_000);
		assertThat(parts).hasSize(16).allSatisfy((part) -> assertThat(part.places()).hasSize(4));
		parts.forEach((part) -> this.places.answered(part, seen(part, 0), at(4_001)));
		assertThat(refreshes(6_001)).as("what is answered goes together again").hasSize(1);
	}

	@Test
	void placesHeldUpByOneBlockedDocumentAreRefreshedBeforeTheyRunOut() {
		IntStream.range(0, 1_000).forEach((i) -> stand("k" + i, 0));
		Map<String, Long> refreshedAt = new TreeMap<>();
		Map<PlaceRequest, Long> hanging = new HashMap<>();
		for (long now = 2_000; now <= 12_000; now += 10) {
			long time = now;
			hanging.entrySet().removeIf((hangs) -> {
				boolean over = hangs.getValue() <= time;
				if (over) {
					this.places.failed(hangs.getKey(), at(time));
				}
				return over;
			});
			for (PlaceRequest request : this.places.due(true, at(now))) {
				List<String> keys = keys(request);
				// It comes first, so it holds up all the others
				boolean blocked = now > 2_000 && request.kind() == Kind.REFRESH && keys.contains("k500");
				if (blocked) {
					hanging.put(request, now + request.timeout().toMillis());
				}
				else {
					if (request.kind() == Kind.REFRESH) {
						keys.forEach((key) -> refreshedAt.put(key, time));
					}
					this.places.answered(request, seen(request, 1), at(now));
				}
			}
			refreshedAt.forEach((key, at) -> assertThat(time - at).as("age of %s at %d ms", key, time)
				.isLessThan(("k500".equals(key)) ? Long.MAX_VALUE : 6_000));
		}
		assertThat(refreshedAt).hasSize(1_000);
	}

	@Test
	void manyPlacesAreLookedAtAFewRequestsAtATime() {
		IntStream.range(0, 20_000).forEach((i) -> stand("k" + i, 0));
		this.places.due(true, at(10));
		this.places.missed(at(20));
		List<PlaceRequest> looks = new ArrayList<>(this.places.due(true, at(20)));
		assertThat(looks).hasSize(4);
		for (int i = 0; i < looks.size(); i++) {
			assertThat(this.places.nextIn(at(21))).as("until they are answered").isPositive();
			this.places.answered(looks.get(i), seen(looks.get(i), 0), at(21));
			List<PlaceRequest> next = this.places.due(true, at(21));
			assertThat(next).hasSize((looks.size() < 20 && i % 4 == 3) ? 4 : 0);
			looks.addAll(next);
		}
		assertThat(looks.stream().flatMap((look) -> keys(look).stream())).hasSize(20_000).doesNotHaveDuplicates();
		assertThat(this.called).isEmpty();
	}

	@Test
	void placesAreLeftTogetherAndThoseThatComeMeanwhileAfterThat() {
		IntStream.range(0, 100).forEach((i) -> stand("k" + i, 0));
		this.acquisitions.values().stream().limit(60).forEach(LockAcquisition::cancel);
		PlaceRequest first = only(this.places.due(true, at(1)), Kind.LEAVE);
		assertThat(first.places()).hasSize(60);
		this.acquisitions.values().forEach(LockAcquisition::cancel);
		assertThat(this.places.due(true, at(2))).isEmpty();
		this.places.failed(first, at(3));
		assertThat(only(this.places.due(true, at(4)), Kind.LEAVE).places()).hasSize(40);
		assertThat(this.places.isEmpty()).isTrue();
	}

	@Test
	void aStopTakesAllPlacesAndThoseAboutToBeLeft() {
		stand("a", 0);
		stand("b", 0);
		this.acquisitions.get("b").cancel();
		assertThat(this.places.takeAll()).extracting(LeaseId::key).containsExactlyInAnyOrder("a", "b");
		this.acquisitions.get("a").cancel();
		assertThat(this.places.takeAll()).extracting(LeaseId::key).containsExactly("a");
		assertThat(this.places.takeAll()).isEmpty();
		assertThat(this.places.nextIn(at(1))).isEqualTo(ClockReading.NEVER);
	}

	@Test
	void aPlaceIsTakenAgainWhileItsAttemptMayHaveEnteredTheQueueSince() {
		stand("a", 0);
		assertThat(this.places.takeAll()).extracting(LeaseId::key).containsExactly("a");
		assertThat(this.places.takeAll()).extracting(LeaseId::key).containsExactly("a");
	}

	@Test
	void aLookWithoutAnswerIsTakenAgain() {
		stand("k", 0);
		this.places.failed(only(this.places.due(false, at(100)), Kind.LOOK), at(200));
		assertThat(this.places.nextIn(at(200))).isEqualTo(100_000_000);
		assertThat(this.places.due(false, at(300))).hasSize(1);
	}

	@Test
	void aPlaceWhoseWaiterSleepsThroughAStopAndAStartIsRefreshedOnceAtMost() {
		stand("a", 0);
		this.places.takeAll();
		assertThat(refreshed(2_000)).containsExactly("a");
		assertThat(refreshed(4_000)).isEmpty();
	}

	@Test
	void aPlaceThatStandsWhileItIsFoundOutWhenToLookIsNotOverlooked() throws InterruptedException {
		Stream.of("a", "b").forEach((key) -> enter(attempt(key, LockSettings.NONE), 0));
		List<Look> inOrder = only(this.places.due(true, at(2_000)), Kind.REFRESH).looks();
		AtomicBoolean woken = new AtomicBoolean();
		this.places.onWork(() -> woken.set(true));
		QueuePlace first = inOrder.get(0).place();
		Thread watch = new Thread(() -> this.places.nextIn(at(2_000)));
		Thread answered = new Thread(() -> {
			QueuePosition seen = QueuePosition.of(first.attempt(), answer(first.key(), 0).lock());
			this.places.stands(first, Objects.requireNonNull(seen), at(2_000));
		});
		synchronized (inOrder.get(1).place()) {
			watch.start();
			await().until(() -> watch.getState() == State.BLOCKED);
			answered.start();
			await().until(() -> answered.getState() == State.BLOCKED || !answered.isAlive());
		}
		watch.join();
		answered.join();
		assertThat(woken).isTrue();
	}

	@Test
	void aLookThatIsOutdatedBeforeItLeavesDoesNotPutOffTheNext() {
		QueuePlace place = enter(attempt("k", LockSettings.NONE), 0);
		stands(place, 0);
		place.look(true, at(-1));
		assertThat(this.places.nextIn(at(1))).isEqualTo(99_000_000);
	}

	@Test
	void aLookThatWasUnderwayWhenSomethingWasMissedIsTakenAgain() {
		stand("k", 0);
		PlaceRequest look = only(this.places.due(false, at(100)), Kind.LOOK);
		this.places.missed(at(101));
		assertThat(this.places.due(false, at(102))).isEmpty();
		this.places.answered(look, List.of(), at(103));
		assertThat(this.called).as("it may have left before the release").isEmpty();
		look = only(this.places.due(false, at(103)), Kind.LOOK);
		this.places.answered(look, seen(look, 0), at(104));
		assertThat(this.places.nextIn(at(104))).as("once").isEqualTo(100_000_000);
	}

	@Test
	void whatWasMissedBeforeTheLastAnswerMakesNoEarlierLookCount() {
		stand("k", 0);
		PlaceRequest refresh = only(this.places.due(true, at(2_000)), Kind.REFRESH);
		this.places.wakeIfAdmitted("k");
		LockAcquisition acquisition = this.acquisitions.get("k");
		acquisition.turn(at(2_001));
		acquisition.send(at(2_001));
		acquisition.answered(answer("k", 0), at(2_010));
		this.places.missed(at(1_999));
		this.called.clear();
		this.places.answered(refresh, List.of(), at(2_011));
		assertThat(this.called).isEmpty();
	}

	@Test
	void aRetryIntervalOfYearsTimesAPositionIsNoLongerThanARefresh() {
		assertThat(this.places.retryIn(looking(Duration.ofMillis(100)), 1)).isEqualTo(100_000_000);
		assertThat(this.places.retryIn(looking(Duration.ofMillis(100)), 0)).isEqualTo(100_000_000);
		assertThat(this.places.retryIn(looking(Duration.ofDays(10_000)), 20)).isEqualTo(2_000_000_000);
		assertThat(this.places.retryIn(looking(Duration.ofDays(10_000)), Integer.MAX_VALUE)).isEqualTo(2_000_000_000);
	}

	private static Attempt looking(Duration retryInterval) {
		return attempt("k", LockSettings.builder().retryInterval(retryInterval).build());
	}

	@Test
	void aPlaceWhoseWaiterIsCalledAndDoesNotAskIsRefreshedOnceMore() {
		stand("stuck", 0);
		stand("other", 1);
		this.places.wakeIfAdmitted("stuck");
		assertThat(this.called).containsExactly("stuck");
		assertThat(refreshed(2_000)).containsExactlyInAnyOrder("stuck", "other");
		assertThat(refreshed(4_000)).containsExactly("other");
		LockAcquisition stuck = Objects.requireNonNull(this.acquisitions.get("stuck"));
		stuck.turn(at(5_000));
		assertThat(refreshed(6_000)).as("until a request leaves").containsExactly("other");
		stuck.send(at(6_001));
		assertThat(refreshed(8_000)).containsExactlyInAnyOrder("stuck", "other");
	}

	@Test
	void aPlaceWhoseWaiterFoundItsPlaceGoneAndDoesNotAskIsRefreshedOnceMore() {
		stand("k", 0);
		look((look) -> List.of());
		assertThat(this.called).containsExactly("k");
		assertThat(refreshed(2_000)).containsExactly("k");
		assertThat(refreshed(4_000)).isEmpty();
	}

	@Test
	void aPlaceWhoseWaiterDoesNotAskAfterAFailureIsRefreshedOnceMore() {
		stand("k", 0);
		LockAcquisition acquisition = Objects.requireNonNull(this.acquisitions.get("k"));
		this.places.wakeIfAdmitted("k");
		acquisition.turn(at(10));
		acquisition.send(at(10));
		acquisition.failed(new LockStoreException("k", Outcome.UNKNOWN, "no answer", null), at(20));
		assertThat(refreshed(2_000)).containsExactly("k");
		assertThat(refreshed(4_000)).isEmpty();
	}

	@Test
	void aPlaceWhoseRequestHasNoAnswerInItsTimeIsRefreshedOnceMore() {
		stand("k", 0);
		LockAcquisition acquisition = Objects.requireNonNull(this.acquisitions.get("k"));
		this.places.wakeIfAdmitted("k");
		acquisition.turn(at(10));
		acquisition.send(at(10));
		// Here its thread stands still: nobody knows whether the request has left
		assertThat(refreshed(2_000)).as("within the operation timeout of 3 s").containsExactly("k");
		assertThat(refreshed(4_000)).containsExactly("k");
		assertThat(refreshed(6_000)).isEmpty();
		acquisition.answered(answer("k", 0), at(7_000));
		assertThat(refreshed(8_000)).as("it goes on").containsExactly("k");
		assertThat(refreshed(10_000)).containsExactly("k");
	}

	@Test
	void aPlaceIsNotRefreshedWhenTheWaitAndTheTimeForItsLastRequestAreOver() {
		stand("k", 0);
		for (int now = 2_000; now < 63_000; now += 2_000) {
			assertThat(refreshed(now)).as("after " + now).containsExactly("k");
		}
		assertThat(refreshed(64_000)).isEmpty();
		assertThat(refreshed(66_000)).isEmpty();
	}

	private List<String> refreshed(long now) {
		return refreshed(1, now);
	}

	private List<String> refreshed(int ahead, long now) {
		List<String> keys = new ArrayList<>();
		for (PlaceRequest request : this.places.due(true, at(now))) {
			if (request.kind() == Kind.REFRESH) {
				keys.addAll(keys(request));
			}
			this.places.answered(request, seen(request, ahead), at(now));
		}
		return keys;
	}

	private List<PlaceRequest> refreshes(long now) {
		return this.places.due(true, at(now)).stream().filter((request) -> request.kind() == Kind.REFRESH).toList();
	}

	private void look(Function<PlaceRequest, List<StoredLock>> answer) {
		this.places.missed(at(10));
		PlaceRequest look = only(this.places.due(true, at(10)), Kind.LOOK);
		this.places.answered(look, answer.apply(look), at(11));
	}

	private static PlaceRequest only(List<PlaceRequest> requests, Kind kind) {
		assertThat(requests).extracting(PlaceRequest::kind).containsExactly(kind);
		return requests.get(0);
	}

	private void stand(String key, int ahead) {
		stand(key, ahead, Duration.ofSeconds(30));
	}

	private void stand(String key, int ahead, Duration heldFor) {
		LockAcquisition acquisition = acquisition(key);
		this.acquisitions.put(key, acquisition);
		acquisition.begin(new LockAcquisition.Caller() {

			@Override
			public void turn() {
				QueuePlacesTests.this.called.add(key);
			}

			@Override
			public void stop() {
				throw new UnsupportedOperationException();
			}

		}, at(0));
		for (int request = 0; request < 2; request++) {
			acquisition.send(at(0));
			acquisition.answered(answer(key, ahead, heldFor), at(0));
		}
	}

	private LockAcquisition acquisition(String key) {
		Attempt attempt = attempt(key, LockSettings.builder().waitTimeout(Duration.ofMinutes(1)).build());
		return new LockAcquisition(this.client, attempt, 0, (lost) -> {
			throw new IllegalStateException("Nobody holds anything here");
		});
	}

	private static Attempt attempt(String key, LockSettings settings) {
		return attempt(key, 1, settings);
	}

	private static Attempt attempt(String key, int limit, LockSettings settings) {
		return new Attempt(LockRequest.of(key), new LeaseId(key, "mine"), limit, owner("mine"), LockTerms.of(settings),
				at(0));
	}

	private static List<StoredLock> seen(PlaceRequest look, int ahead) {
		return keys(look).stream().map((key) -> lock(key, 1, ahead, Duration.ofSeconds(30))).toList();
	}

	private static ClaimAnswer answer(String key, int ahead) {
		return answer(key, ahead, Duration.ofSeconds(30));
	}

	private static ClaimAnswer answer(String key, int ahead, Duration heldFor) {
		return new ClaimAnswer(lock(key, 1, ahead, heldFor));
	}

	private static StoredLock lock(String key, int holders, int ahead, Duration heldFor) {
		return lock(key, holders, ahead, 1, heldFor);
	}

	private static StoredLock lock(String key, int holders, int ahead, int limit, Duration heldFor) {
		List<StoredHolder> held = IntStream.range(0, holders)
			.mapToObj((i) -> new StoredHolder("h" + i, 7, 1, owner("holder"), NOW, NOW, heldFor))
			.toList();
		int hidden = Math.max(0, ahead - HiddenPlaces.SHOWN);
		List<StoredWaiter> queue = Stream
			.concat(IntStream.range(0, ahead - hidden).mapToObj((i) -> "w" + i), Stream.of("mine"))
			.map((token) -> new StoredWaiter(token, limit, owner(token), NOW, Duration.ofSeconds(6)))
			.toList();
		return new StoredLock(key, held, queue, List.of(), 7, NOW, null,
				new HiddenPlaces(hidden, limit, Math.max(0, LENGTH - ahead - 1)));
	}

	private static List<String> keys(PlaceRequest request) {
		return request.places().stream().map(LeaseId::key).toList();
	}

	private static LockOwner owner(String thread) {
		return new LockOwner("app", "1", "host", 2, thread);
	}

	private static ClockReading at(long millis) {
		return new ClockReading(millis * 1_000_000, millis);
	}

}
