package io.mongolock.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.mongolock.LockOwner;
import io.mongolock.core.DeadlockSearch.Waiter;
import io.mongolock.store.GrantId;
import io.mongolock.store.LeaseId;
import io.mongolock.store.StoredHolder;
import io.mongolock.store.StoredLock;
import io.mongolock.store.StoredWaiter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random histories of callers who take, wait, give up, release, hand over and lose locks,
 * also while a client reads one lock after the other. What two looks saw alike was a
 * deadlock all the time between them; one that stays is found. As many histories as
 * {@code -Dmongo-lock.deadlock.histories=1000000} says.
 */
class DeadlockHistoriesTests {

	private static final int HISTORIES = Integer.getInteger("mongo-lock.deadlock.histories", 3_000);

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final LockOwner OWNER = new LockOwner("", "", "", 0, "");

	@Test
	void reportedDeadlocksAreRealAndADeadlockThatStaysIsFound() {
		long seed = Long.getLong("mongo-lock.deadlock.seed", System.nanoTime());
		int told = 0;
		int stayed = 0;
		for (long history = seed; history < seed + HISTORIES; history++) {
			World world = new World(new Random(history));
			told += world.live(history);
			stayed += world.assertFoundIfItStays(history);
		}
		assertThat(told).as("or the histories say nothing").isGreaterThan(HISTORIES / 100);
		assertThat(stayed).isGreaterThan(HISTORIES / 100);
	}

	private static final class World {

		private final Random random;

		private final List<Caller> callers = new ArrayList<>();

		private final Map<String, Lock> locks = new LinkedHashMap<>();

		private final int changes;

		private long fence;

		private int tokens;

		World(Random random) {
			this.random = random;
			int clients = 1 + random.nextInt(3);
			for (int i = 0; i < 2 + random.nextInt(4); i++) {
				this.callers.add(new Caller(random.nextInt(clients)));
			}
			for (int i = 0; i < 2 + random.nextInt(3); i++) {
				this.locks.put("k" + i, new Lock((random.nextInt(4) != 0) ? 1 : 2));
			}
			this.changes = 1 + random.nextInt(6);
		}

		/**
		 * Looks of one client while much changes.
		 * @return how many deadlocks it told
		 */
		int live(long history) {
			Deadlocks deadlocks = new Deadlocks();
			int told = 0;
			for (int i = 0; i < 12; i++) {
				change(10);
			}
			for (int look = 0; look < 6; look++) {
				Set<Caller> stuck = stuck();
				Set<String> waits = new HashSet<>();
				stuck.forEach((caller) -> waits.add(caller.token));
				for (Deadlock deadlock : deadlocks.looked(own(), look(0))) {
					told++;
					assertThat(waits).as("history %d, before look %d: %s", history, look, deadlock)
						.containsAll(deadlock.waits()
							.stream()
							.flatMap((wait) -> Stream.of(wait.waiter(), wait.holder()))
							.map(LeaseId::leaseToken)
							.toList());
				}
				change(this.changes);
			}
			return told;
		}

		/**
		 * Looks of a client that knows all callers while nothing changes.
		 */
		int assertFoundIfItStays(long history) {
			this.callers.forEach((caller) -> caller.client = 0);
			Deadlocks deadlocks = new Deadlocks();
			deadlocks.looked(own(), lookWithoutChanges());
			Set<Deadlock> found = deadlocks.looked(own(), lookWithoutChanges());
			assertThat(found.isEmpty()).as("history %d", history).isEqualTo(stuck().isEmpty());
			return (found.isEmpty()) ? 0 : 1;
		}

		private Set<Deadlock> lookWithoutChanges() {
			DeadlockSearch search = new DeadlockSearch(waiters(0));
			for (List<String> keys = search.next(); !keys.isEmpty(); keys = search.next()) {
				search.found(keys.stream().map(this::stored).toList());
			}
			return search.deadlocks();
		}

		private Set<Deadlock> look(int client) {
			DeadlockSearch search = new DeadlockSearch(waiters(client));
			for (List<String> keys = search.next(); !keys.isEmpty(); keys = search.next()) {
				change(this.random.nextInt(2));
				search.found(keys.stream().map(this::stored).toList());
			}
			return search.deadlocks();
		}

		private Set<LeaseId> own() {
			return waiters(0).stream().map(Waiter::id).collect(Collectors.toSet());
		}

		private List<Waiter> waiters(int client) {
			return this.callers.stream()
				.filter((caller) -> caller.client == client && caller.wants != null && !caller.told.isEmpty())
				.map((caller) -> new Waiter(new LeaseId(Objects.requireNonNull(caller.wants), caller.token),
						lock(caller.wants).limit, OWNER, caller.told))
				.toList();
		}

		// Of each client only the first stands in the queue of the store
		private StoredLock stored(String key) {
			Lock lock = lock(key);
			List<StoredHolder> holders = lock.holders.keySet()
				.stream()
				.map((grant) -> new StoredHolder("h", grant, lock.limit, OWNER, Instant.EPOCH, Instant.EPOCH, TTL))
				.toList();
			Set<Integer> clients = new HashSet<>();
			List<StoredWaiter> queue = lock.queue.stream()
				.filter((caller) -> clients.add(caller.client))
				.map((caller) -> new StoredWaiter(caller.token, lock.limit, OWNER, Instant.EPOCH, TTL, caller.told))
				.toList();
			return new StoredLock(key, holders, queue, List.of(), this.fence, Instant.EPOCH);
		}

		private Lock lock(@Nullable String key) {
			return Objects.requireNonNull(this.locks.get(key));
		}

		private void change(int times) {
			for (int i = 0; i < times; i++) {
				change(this.callers.get(this.random.nextInt(this.callers.size())));
			}
		}

		private void change(Caller caller) {
			if (caller.wants != null) {
				if (this.random.nextInt(6) == 0) {
					lock(caller.wants).queue.remove(caller);
					caller.wants = null;
				}
			}
			else if (!caller.holds.isEmpty() && this.random.nextInt(5) == 0) {
				release(caller);
			}
			else if (!caller.holds.isEmpty() && this.random.nextInt(20) == 0) {
				// It is lost, which its caller does not know
				String key = caller.holds.keySet().iterator().next();
				lock(key).holders.remove(caller.holds.get(key));
				grantNext(key);
			}
			else {
				ask(caller, "k" + this.random.nextInt(this.locks.size()));
			}
		}

		private void ask(Caller caller, String key) {
			if (caller.holds.containsKey(key)) {
				return;
			}
			caller.token = "t" + this.tokens++;
			caller.wants = key;
			caller.told = caller.holds.entrySet()
				.stream()
				.map((hold) -> new GrantId(hold.getKey(), hold.getValue()))
				.toList();
			lock(key).queue.add(caller);
			grantNext(key);
		}

		private void release(Caller caller) {
			List<String> keys = List.copyOf(caller.holds.keySet());
			String key = keys.get(this.random.nextInt(keys.size()));
			Long grant = Objects.requireNonNull(caller.holds.remove(key));
			Lock lock = lock(key);
			boolean there = lock.holders.remove(grant) != null;
			Caller next = (lock.queue.isEmpty()) ? null : lock.queue.get(0);
			if (there && lock.limit == 1 && next != null && next.client == caller.client && this.random.nextBoolean()) {
				// Handed over, under the same grant
				grant(next, key, grant);
			}
			grantNext(key);
		}

		private void grantNext(String key) {
			Lock lock = lock(key);
			while (!lock.queue.isEmpty() && lock.holders.size() < lock.limit) {
				grant(lock.queue.get(0), key, ++this.fence);
			}
		}

		private void grant(Caller caller, String key, Long grant) {
			lock(key).queue.remove(caller);
			lock(key).holders.put(grant, caller);
			caller.holds.put(key, grant);
			caller.wants = null;
		}

		// Whoever waits for a lock all of whose permits are held by such
		private Set<Caller> stuck() {
			Set<Caller> stuck = new HashSet<>();
			this.callers.stream().filter((caller) -> caller.wants != null).forEach(stuck::add);
			while (stuck.removeIf((caller) -> !stuck.containsAll(lock(caller.wants).holders.values()))) {
				// Others may be stuck no longer
			}
			return stuck;
		}

	}

	private static final class Lock {

		private final int limit;

		private final Map<Long, Caller> holders = new LinkedHashMap<>();

		private final List<Caller> queue = new ArrayList<>();

		Lock(int limit) {
			this.limit = limit;
		}

	}

	private static final class Caller {

		private final Map<String, Long> holds = new LinkedHashMap<>();

		private int client;

		private @Nullable String wants;

		private String token = "";

		/** What it held when it began to wait. */
		private List<GrantId> told = List.of();

		Caller(int client) {
			this.client = client;
		}

	}

}
