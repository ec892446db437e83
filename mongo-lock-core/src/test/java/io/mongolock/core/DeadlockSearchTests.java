package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.mongolock.LockDeadlock;
import io.mongolock.LockOwner;
import io.mongolock.core.DeadlockSearch.Waiter;
import io.mongolock.store.GrantId;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DeadlockSearch} and {@link Deadlocks}.
 */
class DeadlockSearchTests {

	private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

	private static final Duration TTL = Duration.ofSeconds(30);

	private final Map<String, StoredLock> store = new HashMap<>();

	@Test
	void twoThatWaitForEachOtherAreADeadlock() {
		Deadlock found = search(inDeadlock()).iterator().next();
		assertThat(found.toLockDeadlock().waits()).containsExactly(
				new LockDeadlock.Wait("a", owner("me"), NOW, owner("other")),
				new LockDeadlock.Wait("b", owner("other"), NOW, owner("me")));
		assertThat(found.has(new LeaseId("b", "me"))).isTrue();
		assertThat(search(waiter("other", "a", new GrantId("b", 2)))).as("as the other one sees it")
			.containsExactly(found);
	}

	@Test
	void theYoungestHoldsWhatWasGrantedLastAndIsSeenByItsOwnClient() {
		DeadlockSearch search = searched(inDeadlock());
		assertThat(search.youngest(search.deadlocks().iterator().next())).isEqualTo(new LeaseId("a", "other"));
		lock("b", List.of(holder(2, 1)), place("before me", 1));
		search = searched(waiter("me", "b", new GrantId("a", 1)));
		assertThat(search.youngest(search.deadlocks().iterator().next())).as("other does not see that I wait")
			.isEqualTo(new LeaseId("b", "me"));
	}

	@Test
	void oneRequestAsksForEachStepAndNothingIsAskedForTwice() {
		lock("a", List.of(holder(1, 1)), place("two", 1, new GrantId("b", 2)));
		lock("b", List.of(holder(2, 1)), place("three", 1, new GrantId("c", 3)));
		lock("c", List.of(holder(3, 1)), place("me", 1, new GrantId("a", 1)));
		DeadlockSearch search = new DeadlockSearch(List.of(waiter("me", "c", new GrantId("a", 1))));
		for (String key : List.of("a", "b", "c")) {
			assertThat(search.next()).containsExactly(key);
			search.found(List.of(this.store.get(key)));
		}
		assertThat(search.next()).isEmpty();
		assertThat(search.deadlocks()).singleElement().satisfies((found) -> assertThat(found.waits()).hasSize(3));
	}

	@Test
	void whenTheWaitersHoldMoreThanOneRequestAsksForThenTheNextAsksForTheRest() {
		GrantId[] held = IntStream.range(0, 2 * Division.MAX_BATCH + 1)
			.mapToObj((number) -> new GrantId("held" + number, number))
			.toArray(GrantId[]::new);
		DeadlockSearch search = new DeadlockSearch(List.of(waiter("me", "k", held)));
		Set<String> asked = new HashSet<>();
		for (int size : List.of(Division.MAX_BATCH, Division.MAX_BATCH, 1, 0)) {
			List<String> next = search.next();
			assertThat(next).hasSize(size);
			asked.addAll(next);
		}
		assertThat(asked).hasSize(held.length);
	}

	@Test
	void aWaiterForALockWhoseHolderWaitsForNothingIsInNoDeadlock() {
		lock("a", List.of(holder(1, 1)), place("other", 1, new GrantId("c", 3)));
		lock("b", List.of(holder(2, 1)), place("me", 1, new GrantId("a", 1)));
		lock("c", List.of(holder(3, 1)));
		assertThat(search(waiter("me", "b", new GrantId("a", 1)))).isEmpty();
	}

	@Test
	void aWaiterBehindADeadlockOfOthersIsNotPartOfIt() {
		lock("a", List.of(holder(1, 1)), place("other", 1, new GrantId("b", 2)),
				place("behind", 1, new GrantId("c", 3)));
		lock("b", List.of(holder(2, 1)), place("me", 1, new GrantId("a", 1)));
		lock("c", List.of(holder(3, 1)));
		Waiter behind = waiter("behind", "a", new GrantId("c", 3));
		assertThat(search(behind)).isEmpty();
		assertThat(search(behind, waiter("me", "b", new GrantId("a", 1)))).singleElement()
			.satisfies((found) -> assertThat(found.has(behind.id())).isFalse());
	}

	@Test
	void aLaterGrantOfTheSameLockIsAnothersAndNoDeadlock() {
		lock("a", List.of(holder(1, 1)), place("other", 1, new GrantId("b", 2)));
		lock("b", List.of(holder(9, 1)), place("me", 1, new GrantId("a", 1)));
		assertThat(search(waiter("me", "b", new GrantId("a", 1)))).isEmpty();
	}

	@Test
	void aLeaseOrAPlaceThatRanOutIsNoDeadlock() {
		Instant past = NOW.minus(TTL);
		StoredHolder dead = new StoredHolder("t", 2, 1, owner("dead"), past, past, TTL);
		lock("a", List.of(holder(1, 1)), place("other", 1, new GrantId("b", 2)));
		lock("b", List.of(dead), place("me", 1, new GrantId("a", 1)));
		assertThat(search(waiter("me", "b", new GrantId("a", 1)))).isEmpty();
		lock("b", List.of(holder(2, 1)), place("me", 1, new GrantId("a", 1)));
		lock("a", List.of(holder(1, 1)),
				new StoredWaiter("other", 1, owner("other"), past, TTL, List.of(new GrantId("b", 2))));
		assertThat(search(waiter("me", "b", new GrantId("a", 1)))).isEmpty();
	}

	@Test
	void aSemaphoreIsInADeadlockOnlyWithAllItsHoldersAndWithoutAFreePermit() {
		Waiter me = waiter("me", 2, "s", new GrantId("a", 1));
		lock("a", List.of(holder(1, 1)), place("one", 1, new GrantId("s", 2)), place("two", 1, new GrantId("s", 3)));
		lock("s", List.of(holder(2, 2)));
		assertThat(search(me)).as("one permit is free").isEmpty();
		lock("s", List.of(holder(2, 2), holder(4, 2)));
		assertThat(search(me)).as("one holder works").isEmpty();
		lock("s", List.of(holder(2, 2), holder(3, 2)));
		assertThat(search(me)).singleElement().satisfies((found) -> assertThat(found.waits()).hasSize(4));
	}

	@Test
	void aReaderBehindAWriterThatWaitsIsInNone() {
		Waiter reader = waiter("me", Integer.MAX_VALUE, "rw", new GrantId("a", 1));
		lock("a", List.of(holder(1, 1)), place("other", 1, new GrantId("rw", 2)));
		lock("rw", List.of(holder(2, Integer.MAX_VALUE)), place("writer", 1));
		assertThat(search(reader)).isEmpty();
		lock("rw", List.of(holder(2, 1)));
		assertThat(search(reader)).as("behind one who writes and waits").hasSize(1);
	}

	@Test
	void eightMayWaitForEachOtherAndNotNine() {
		assertThat(ring(8)).singleElement().satisfies((found) -> assertThat(found.waits()).hasSize(8));
		assertThat(ring(9)).isEmpty();
	}

	private Waiter inDeadlock() {
		lock("a", List.of(holder(1, 1)), place("other", 1, new GrantId("b", 2)));
		lock("b", List.of(holder(2, 1)), place("me", 1, new GrantId("a", 1)));
		return waiter("me", "b", new GrantId("a", 1));
	}

	private Set<Deadlock> ring(int size) {
		for (int i = 0; i < size; i++) {
			lock("k" + i, List.of(holder(i, 1)), place("w" + i, 1, new GrantId("k" + (i + 1) % size, (i + 1) % size)));
		}
		return search(waiter("w0", "k0", new GrantId("k1", 1)));
	}

	@Test
	void oneThatOnlyItsOwnApplicationSeesIsTheSameThere() {
		lock("a", List.of(holder(1, 1)), place("other", 1, new GrantId("b", 2)));
		lock("b", List.of(holder(2, 1)));
		Set<Deadlock> behind = search(waiter("me", "b", new GrantId("a", 1)));
		lock("b", List.of(holder(2, 1)), place("me", 1, new GrantId("a", 1)));
		assertThat(search(waiter("me", "b", new GrantId("a", 1)))).as("once it has a place").isEqualTo(behind);
	}

	@Test
	void onlyWhatTwoLooksInARowSawIsKnownAndIsNewOnce() {
		Waiter me = inDeadlock();
		Set<LeaseId> own = Set.of(me.id());
		Set<Deadlock> seen = search(me);
		Deadlocks deadlocks = new Deadlocks();
		assertThat(deadlocks.looked(own, seen)).isEmpty();
		assertThat(deadlocks.isSuspected()).isTrue();
		assertThat(deadlocks.looked(own, Set.of())).isEmpty();
		assertThat(deadlocks.isSuspected()).isFalse();
		assertThat(deadlocks.looked(own, seen)).as("not in a row").isEmpty();
		assertThat(deadlocks.looked(own, seen)).isEqualTo(seen);
		assertThat(deadlocks.isSuspected()).isFalse();
		assertThat(deadlocks.looked(own, seen)).isEmpty();
	}

	@Test
	void oneThatALookMissedIsNotNewUntilItsWaitersHaveEnded() {
		Waiter me = inDeadlock();
		Set<LeaseId> own = Set.of(me.id());
		Set<Deadlock> seen = search(me);
		Deadlocks deadlocks = new Deadlocks();
		deadlocks.looked(own, seen);
		assertThat(deadlocks.looked(own, seen)).hasSize(1);
		assertThat(deadlocks.looked(own, Set.of())).isEmpty();
		assertThat(deadlocks.looked(own, seen)).isEmpty();
		assertThat(deadlocks.looked(own, seen)).as("after a look that did not see it").isEmpty();
		deadlocks.looked(Set.of(), Set.of());
		deadlocks.looked(own, seen);
		assertThat(deadlocks.looked(own, seen)).as("is kept for no longer than its waiters").hasSize(1);
	}

	private Set<Deadlock> search(Waiter... own) {
		return searched(own).deadlocks();
	}

	private DeadlockSearch searched(Waiter... own) {
		DeadlockSearch search = new DeadlockSearch(Arrays.asList(own));
		for (List<String> keys = search.next(); !keys.isEmpty(); keys = search.next()) {
			search.found(keys.stream().filter(this.store::containsKey).map(this.store::get).toList());
		}
		return search;
	}

	private void lock(String key, List<StoredHolder> holders, StoredWaiter... queue) {
		this.store.put(key, new StoredLock(key, holders, List.of(queue), List.of(), 0, NOW));
	}

	private static StoredHolder holder(long fence, int limit) {
		return new StoredHolder("h" + fence, fence, limit, owner("granted"), NOW, NOW, TTL);
	}

	private static StoredWaiter place(String name, int limit, GrantId... holds) {
		return new StoredWaiter(name, limit, owner(name), NOW, TTL, List.of(holds));
	}

	private static Waiter waiter(String name, String key, GrantId... holds) {
		return waiter(name, 1, key, holds);
	}

	private static Waiter waiter(String name, int limit, String key, GrantId... holds) {
		return new Waiter(new LeaseId(key, name), limit, owner(name), List.of(holds));
	}

	private static LockOwner owner(String thread) {
		return new LockOwner("app", "1", "host", 42, thread);
	}

}
