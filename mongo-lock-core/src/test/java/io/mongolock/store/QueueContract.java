package io.mongolock.store;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.mongolock.LockOwner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The queue of those who wait.
 */
interface QueueContract extends LockStoreContract {

	@Test
	default void waitersAreGrantedInTheOrderOfTheirArrival() {
		Claim holder = Claims.on("key");
		Claim first = Claims.waiting(Claims.on("key"));
		Claim second = Claims.waiting(Claims.on("key"));
		grant(holder);
		deny(first);
		deny(second);
		deny(first);
		assertThat(find("key").queue()).extracting(StoredWaiter::leaseToken)
			.containsExactly(first.id().leaseToken(), second.id().leaseToken());
		release(holder);
		deny(second);
		deny(Claims.on("key"));
		grant(first);
		assertThat(find("key").queue()).extracting(StoredWaiter::leaseToken).containsExactly(second.id().leaseToken());
		release(first);
		grant(second);
		assertThat(find("key").queue()).isEmpty();
	}

	@Test
	default void aReleaseSaysWhetherItFoundTheLeaseAndWhetherAnybodyStandsInTheQueue() {
		Claim holder = Claims.on("key");
		Claim waiter = Claims.waiting(Claims.ttl(Claims.on("key"), shortTtl()));
		grant(holder);
		deny(waiter);
		elapse(shortTtl().multipliedBy(StoredWaiter.STAYS));
		assertThat(store().release(waiter.id(), TIMEOUT)).isEqualTo(new ReleaseAnswer(false, true));
		assertThat(store().release(holder.id(), TIMEOUT)).isEqualTo(new ReleaseAnswer(true, true));
		assertThat(store().release(holder.id(), TIMEOUT)).isEqualTo(new ReleaseAnswer(false, true));
		grant(holder);
		assertThat(store().release(holder.id(), TIMEOUT)).isEqualTo(new ReleaseAnswer(true, false));
		assertThat(store().release(Claims.on("other").id(), TIMEOUT)).isEqualTo(new ReleaseAnswer(false, false));
	}

	@Test
	default void aPlaceNamesItsWaiter() {
		LockOwner owner = new LockOwner("$application", "$$NOW", "{$where: 1}", 1L << 40, "🧵");
		grant(Claims.on("key"));
		deny(Claims.owner(Claims.limit(Claims.waiting(Claims.on("key")), 3), owner));
		assertThat(find("key").queue()).singleElement().satisfies((waiter) -> {
			assertThat(waiter.owner()).isEqualTo(owner);
			assertThat(waiter.limit()).isEqualTo(3);
		});
	}

	@Test
	default void aPlaceSaysWhatItsWaiterHoldsAndTheHolderThatItBecomesDoesNot() {
		GrantId[] holds = { new GrantId("$$ROOT", 1L << 52), new GrantId("näher", 1) };
		Claim holder = Claims.on("key");
		Claim waiter = Claims.holding(Claims.waiting(Claims.on("key")), holds);
		grant(holder);
		deny(waiter);
		deny(Claims.waiting(Claims.on("key")));
		deny(waiter);
		store().refreshAll(List.of(waiter.id()), TIMEOUT);
		assertThat(find("key").queue()).extracting(StoredWaiter::holds).containsExactly(List.of(holds), List.of());
		release(holder);
		grant(waiter);
		assertThat(find("key").queue()).extracting(StoredWaiter::holds).containsExactly(List.of());
	}

	@Test
	default void queuesOfSeveralLocksAreShownAsAWholeWithTheirHolders() {
		Claim holder = Claims.on("key");
		grant(holder);
		grant(Claims.on("other"));
		List<Claim> waiters = IntStream.range(0, 2 * HiddenPlaces.SHOWN)
			.mapToObj((at) -> Claims.holding(Claims.waiting(Claims.on("key")), new GrantId("k" + at, at)))
			.toList();
		waiters.forEach(this::deny);
		List<StoredLock> found = store().findQueues(List.of("key", "other", "never"), TIMEOUT);
		assertThat(found).extracting(StoredLock::key).containsExactlyInAnyOrder("key", "other");
		StoredLock key = found.get((found.get(0).key().equals("key")) ? 0 : 1);
		assertThat(key.queue()).extracting(StoredWaiter::leaseToken)
			.containsExactlyElementsOf(waiters.stream().map((waiter) -> waiter.id().leaseToken()).toList());
		assertThat(key.queue()).extracting(StoredWaiter::holds)
			.containsExactlyElementsOf(waiters.stream().map(Claim::holds).toList());
		assertThat(key.holders()).singleElement()
			.extracting(StoredHolder::leaseToken)
			.isEqualTo(holder.id().leaseToken());
	}

	@Test
	default void aClaimThatDoesNotWaitTakesNoPlace() {
		grant(Claims.on("key"));
		deny(Claims.on("key"));
		assertThat(find("key").queue()).isEmpty();
	}

	@Test
	default void aWaiterThatIsGrantedAtOnceTakesNoPlace() {
		grant(Claims.waiting(Claims.on("key")));
		assertThat(find("key").queue()).isEmpty();
	}

	@Test
	default void aPlaceRunsOutAndBlocksNobody() {
		Claim holder = Claims.on("key");
		grant(holder);
		deny(Claims.waiting(Claims.ttl(Claims.on("key"), shortTtl())));
		release(holder);
		deny(Claims.on("key"));
		elapse(shortTtl());
		grant(Claims.on("key"));
	}

	@Test
	default void aRefreshedPlaceIsKept() {
		Claim waiter = Claims.waiting(Claims.ttl(Claims.on("key"), shortTtl()));
		grant(Claims.on("key"));
		deny(waiter);
		deny(Claims.waiting(Claims.on("key")));
		for (int refresh = 0; refresh < 4; refresh++) {
			elapse(shortTtl().multipliedBy(3).dividedBy(10));
			deny(waiter);
		}
		assertThat(find("key").queue().get(0).leaseToken()).isEqualTo(waiter.id().leaseToken());
	}

	@Test
	default void aPlaceLastsAsLongAsItSaysAndNotAsLongAsALease() {
		Claim holder = Claims.on("key");
		Claim waiter = Claims.waiting(Claims.on("key"), shortTtl());
		grant(holder);
		deny(waiter);
		assertThat(find("key").queue()).singleElement().extracting(StoredWaiter::ttl).isEqualTo(shortTtl());
		release(holder);
		deny(Claims.on("key"));
		elapse(shortTtl());
		grant(Claims.on("key"));
	}

	@Test
	default void placesAreRefreshedTogetherAndNoneIsBroughtBack() {
		Claim waiter = Claims.waiting(Claims.on("key"), shortTtl());
		Claim other = Claims.waiting(Claims.on("other"), shortTtl());
		Claim gone = Claims.waiting(Claims.on("key"), shortTtl());
		grant(Claims.on("key"));
		grant(Claims.on("other"));
		deny(waiter);
		deny(other);
		for (int i = 0; i < 3; i++) {
			elapse(shortTtl().multipliedBy(6).dividedBy(10));
			assertThat(store().refreshAll(List.of(waiter.id(), other.id()), TIMEOUT)).extracting(StoredLock::key)
				.containsExactlyInAnyOrder("key", "other");
			assertThat(queueSeenBy(gone)).doesNotContain(gone.id().leaseToken());
		}
		deny(Claims.on("other"));
		assertThat(find("key").queue()).singleElement()
			.satisfies((place) -> assertThat(place.isAlive(find("key").now())).isTrue())
			.extracting(StoredWaiter::leaseToken)
			.isEqualTo(waiter.id().leaseToken());
		assertThat(find("other").queue()).hasSize(1);
	}

	@Test
	default void aPlaceThatRanOutStaysForSoLongThatItsWaiterHasItAgainAfterAnElection() {
		Claim holder = Claims.on("key");
		Claim waiter = Claims.waiting(Claims.on("key"), shortTtl());
		Claim later = Claims.waiting(Claims.on("key"));
		grant(holder);
		deny(waiter);
		elapse(shortTtl().multipliedBy(3));
		deny(later);
		deny(waiter);
		assertThat(find("key").queue()).extracting(StoredWaiter::leaseToken)
			.containsExactly(waiter.id().leaseToken(), later.id().leaseToken());
		release(holder);
		deny(later);
		grant(waiter);
	}

	@Test
	default void aPlaceThatRanOutHoldsUpNobodyThoughItStays() {
		Claim holder = Claims.on("key");
		Claim waiter = Claims.waiting(Claims.on("key"), shortTtl());
		Claim later = Claims.waiting(Claims.on("key"));
		grant(holder);
		deny(waiter);
		elapse(shortTtl().multipliedBy(3));
		deny(later);
		release(holder);
		grant(later);
		assertThat(find("key").queue()).extracting(StoredWaiter::leaseToken).containsExactly(waiter.id().leaseToken());
	}

	@Test
	default void aPlaceIsGoneInTheEnd() {
		Claim waiter = Claims.waiting(Claims.on("key"), shortTtl());
		grant(Claims.on("key"));
		deny(waiter);
		elapse(shortTtl().multipliedBy(StoredWaiter.STAYS));
		Claim later = Claims.waiting(Claims.on("key"));
		deny(later);
		assertThat(find("key").queue()).extracting(StoredWaiter::leaseToken).containsExactly(later.id().leaseToken());
	}

	@Test
	default void oneWhoWaitsIsShownTheHeadOfTheQueueItsOwnPlaceAndHowManyThereAreBesides() {
		grant(Claims.on("key"));
		deny(Claims.waiting(Claims.on("key"), shortTtl()));
		elapse(shortTtl());
		List<Claim> waiting = IntStream.range(0, HiddenPlaces.SHOWN + 4)
			.mapToObj((i) -> Claims
				.waiting(Claims.limit(Claims.on("key"), (i == 1) ? 1 : (i == HiddenPlaces.SHOWN + 1) ? 2 : 3)))
			.toList();
		waiting.forEach(this::deny);
		Claim last = waiting.get(HiddenPlaces.SHOWN + 3);
		List<String> head = tokens(waiting.subList(0, HiddenPlaces.SHOWN));
		assertThat(queueSeenBy(last)).containsExactlyElementsOf(appended(head, last));
		assertThat(seenBy(last).hidden()).isEqualTo(new HiddenPlaces(3, 2, 0));
		assertThat(store().acquire(last, TIMEOUT).lock().hidden()).isEqualTo(new HiddenPlaces(3, 2, 0));
		assertThat(store().refreshAll(List.of(last.id()), TIMEOUT)).extracting(StoredLock::hidden)
			.containsExactly(new HiddenPlaces(3, 2, 0));
		Claim second = waiting.get(1);
		assertThat(queueSeenBy(second)).containsExactlyElementsOf(tokens(waiting.subList(0, 2)));
		assertThat(seenBy(second).hidden()).isEqualTo(new HiddenPlaces(0, Integer.MAX_VALUE, HiddenPlaces.SHOWN + 2));
		Claim none = Claims.limit(Claims.on("key"), 3);
		assertThat(queueSeenBy(none)).containsExactlyElementsOf(head);
		assertThat(seenBy(none).hidden()).isEqualTo(new HiddenPlaces(4, 2, 0));
		assertThat(find("key").queue()).as("as a whole").hasSize(HiddenPlaces.SHOWN + 5);
	}

	@Test
	default void severalQueuesAreLookedAtTogetherEachByTheTokenThatWaitsThere() {
		Claim waiter = Claims.waiting(Claims.on("key"));
		Claim other = Claims.waiting(Claims.on("other"));
		grant(Claims.on("key"));
		grant(Claims.on("other"));
		deny(Claims.waiting(Claims.on("other")));
		deny(waiter);
		deny(other);
		List<LeaseId> places = List.of(new LeaseId("never asked for", "t"), other.id(), waiter.id());
		assertThat(store().lookAll(places, TIMEOUT)).extracting(StoredLock::key, (lock) -> lock.queue().size())
			.containsExactlyInAnyOrder(tuple("key", 1), tuple("other", 2));
		assertThat(store().refreshAll(places, TIMEOUT)).extracting(StoredLock::key, (lock) -> lock.queue().size())
			.containsExactlyInAnyOrder(tuple("key", 1), tuple("other", 2));
	}

	private StoredLock seenBy(Claim waiter) {
		return store().lookAll(List.of(waiter.id()), TIMEOUT).get(0);
	}

	private List<String> queueSeenBy(Claim waiter) {
		return seenBy(waiter).queue().stream().map(StoredWaiter::leaseToken).toList();
	}

	private static List<String> tokens(List<Claim> claims) {
		return claims.stream().map((claim) -> claim.id().leaseToken()).toList();
	}

	private static List<String> appended(List<String> tokens, Claim last) {
		return Stream.concat(tokens.stream(), Stream.of(last.id().leaseToken())).toList();
	}

	@Test
	default void placesAreLeftTogether() {
		Claim waiter = Claims.waiting(Claims.on("key"));
		Claim other = Claims.waiting(Claims.on("other"));
		grant(Claims.on("key"));
		grant(Claims.on("other"));
		deny(waiter);
		deny(other);
		assertThat(store().leaveAll(List.of(waiter.id(), other.id()), TIMEOUT)).isEqualTo(2);
		assertThat(store().leaveAll(List.of(waiter.id(), other.id()), TIMEOUT)).isZero();
		assertThat(find("key").queue()).isEmpty();
		assertThat(find("other").queue()).isEmpty();
	}

	@Test
	default void severalLocksAreSeenTogetherWithTheirLines() {
		Claim holder = Claims.on("key");
		Claim waiter = Claims.waiting(Claims.on("key"));
		grant(holder);
		deny(waiter);
		grant(Claims.on("other"));
		assertThat(store().findAll(List.of("key", "never asked for", "other"), TIMEOUT))
			.extracting(StoredLock::key, (lock) -> lock.holders().size(), (lock) -> lock.queue().size())
			.containsExactlyInAnyOrder(tuple("key", 1, 1), tuple("other", 1, 0));
	}

	@Test
	default void theAnswerToAClaimHasTheQueue() {
		Claim first = Claims.waiting(Claims.on("key"));
		Claim second = Claims.waiting(Claims.on("key"));
		grant(Claims.on("key"));
		deny(first);
		assertThat(store().acquire(second, TIMEOUT).lock().queue()).extracting(StoredWaiter::leaseToken)
			.containsExactly(first.id().leaseToken(), second.id().leaseToken());
	}

	@Test
	default void readersDoNotStarveAWriter() {
		Claim reader = Claims.shared("key");
		Claim writer = Claims.waiting(Claims.on("key"));
		Claim lateReader = Claims.waiting(Claims.shared("key"));
		grant(reader);
		deny(writer);
		deny(Claims.shared("key"));
		deny(lateReader);
		release(reader);
		deny(lateReader);
		grant(writer);
		deny(lateReader);
		release(writer);
		grant(lateReader);
	}

	@Test
	default void waitingReadersEnterTogether() {
		Claim writer = Claims.on("key");
		Claim reader = Claims.waiting(Claims.shared("key"));
		Claim otherReader = Claims.waiting(Claims.shared("key"));
		grant(writer);
		deny(reader);
		deny(otherReader);
		release(writer);
		grant(otherReader);
		grant(reader);
	}

	@Test
	default void aWaiterThatLeavesBlocksNobody() {
		Claim holder = Claims.on("key");
		Claim waiter = Claims.waiting(Claims.on("key"));
		Claim other = Claims.waiting(Claims.on("key"));
		grant(holder);
		deny(waiter);
		deny(other);
		assertThat(leave(waiter)).isTrue();
		assertThat(leave(waiter)).isFalse();
		assertThat(find("key").queue()).extracting(StoredWaiter::leaseToken).containsExactly(other.id().leaseToken());
		release(holder);
		grant(other);
	}

	@Test
	default void leavingAQueueOneIsNotInChangesNothing() {
		Claim holder = Claims.on("key");
		grant(holder);
		assertThat(leave(holder)).isFalse();
		assertThat(find("key").holders()).hasSize(1);
		assertThat(leave(Claims.on("never asked for"))).isFalse();
		assertThat(store().find("never asked for", TIMEOUT)).isEmpty();
	}

}
