package io.mongolock.shedlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOptions;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.bson.Document;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Older instances with ShedLock's own provider for MongoDB beside new ones, which know
 * its collection, and beside the newest, which do not.
 */
abstract class AbstractRollingUpgradeTests {

	private static final Bson ID = Filters.eq("_id", "k");

	private static final int THREADS = 2;

	private static final int ROUNDS = 300;

	private final Providers providers;

	private final ExtensibleLockProvider old;

	private final ExtensibleLockProvider next;

	private final ExtensibleLockProvider last;

	private final Duration moment;

	/**
	 * Create with one instance of each.
	 * @param providers providers on one server
	 */
	AbstractRollingUpgradeTests(Providers providers) {
		this.providers = providers;
		this.old = providers.shedLock();
		this.next = providers.both();
		this.last = providers.own();
		this.moment = providers.moment();
	}

	@Test
	void anOldInstanceExcludesANewOneUntilItsUnlock() {
		SimpleLock lock = Providers.lock(this.old, "k", Providers.LONG, Duration.ZERO).orElseThrow();
		assertThat(Providers.lock(this.next, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		lock.unlock();
		Providers.lock(this.next, "k", Providers.LONG, Duration.ZERO).orElseThrow().unlock();
	}

	@Test
	void aNewInstanceExcludesAnOldOneUntilItsUnlock() {
		SimpleLock lock = Providers.lock(this.next, "k", Providers.LONG, Duration.ZERO).orElseThrow();
		assertThat(Providers.lock(this.old, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		lock.unlock();
		Providers.lock(this.old, "k", Providers.LONG, Duration.ZERO).orElseThrow().unlock();
	}

	@Test
	void newInstancesExcludeThoseThatHaveMovedOn() {
		SimpleLock lock = Providers.lock(this.next, "k", Providers.LONG, Duration.ZERO).orElseThrow();
		assertThat(Providers.lock(this.last, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		lock.unlock();
		lock = Providers.lock(this.last, "k", Providers.LONG, Duration.ZERO).orElseThrow();
		assertThat(Providers.lock(this.next, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		lock.unlock();
		Providers.lock(this.next, "k", Providers.LONG, Duration.ZERO).orElseThrow().unlock();
	}

	@Test
	void aLockThatOneHasForItsShortestTimeIsTakenForTheOther() {
		Providers.lock(this.old, "old", Providers.LONG, Providers.LONG).orElseThrow().unlock();
		assertThat(Providers.lock(this.next, "old", Providers.LONG, Duration.ZERO)).isEmpty();
		Providers.lock(this.next, "new", Providers.LONG, Providers.LONG).orElseThrow().unlock();
		assertThat(Providers.lock(this.old, "new", Providers.LONG, Duration.ZERO)).isEmpty();
	}

	@Test
	void aNewInstanceThatIsDeniedLeavesNothingTaken() {
		SimpleLock lock = Providers.lock(this.old, "k", Providers.LONG, Duration.ZERO).orElseThrow();
		assertThat(Providers.lock(this.next, "k", Providers.LONG, Providers.LONG)).isEmpty();
		lock.unlock();
		Providers.lock(this.last, "k", Providers.LONG, Duration.ZERO).orElseThrow().unlock();
		lock = Providers.lock(this.last, "k", Providers.LONG, Duration.ZERO).orElseThrow();
		assertThat(Providers.lock(this.next, "k", Providers.LONG, Providers.LONG)).isEmpty();
		Providers.lock(this.old, "k", Providers.LONG, Duration.ZERO).orElseThrow().unlock();
		lock.unlock();
	}

	@Test
	void aLockThatRanOutIsFreeForTheOther() {
		Providers.lockBriefly(this.old, "old", this.moment);
		Providers.lockBriefly(this.next, "new", this.moment);
		Providers.awaitLock(this.next, "old").unlock();
		Providers.awaitLock(this.old, "new").unlock();
	}

	@Test
	void anExtendedLockExcludesTheOtherBeyondItsFirstTime() {
		SimpleLock ofOld = Providers.lockAndExtend(this.old, "old", "witness of old", this.moment);
		SimpleLock ofNew = Providers.lockAndExtend(this.next, "new", "witness of new", this.moment);
		Providers.awaitLock(this.next, "witness of old");
		Providers.awaitLock(this.old, "witness of new");
		assertThat(Providers.lock(this.next, "old", Providers.LONG, Duration.ZERO)).isEmpty();
		assertThat(Providers.lock(this.old, "new", Providers.LONG, Duration.ZERO)).isEmpty();
		ofOld.unlock();
		ofNew.unlock();
		Providers.lock(this.next, "old", Providers.LONG, Duration.ZERO).orElseThrow().unlock();
		Providers.lock(this.old, "new", Providers.LONG, Duration.ZERO).orElseThrow().unlock();
	}

	@Test
	void aNewInstanceThatIsLateFreesNoLockOfAnOldOne() {
		SimpleLock late = Providers.lockBriefly(this.next, "k", this.moment);
		SimpleLock lock = Providers.awaitLock(this.old, "k");
		late.unlock();
		assertThat(Providers.lock(this.next, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		assertThat(Providers.lock(this.old, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		lock.unlock();
	}

	@Test
	void anOldInstanceThatIsLateExtendsNoLockOfANewOneOfItsHost() {
		SimpleLock late = Providers.lockBriefly(this.old, "k", this.moment);
		SimpleLock lock = Providers.awaitLock(this.next, "k");
		assertThat(late.extend(Providers.LONG, Duration.ZERO)).isEmpty();
		lock.unlock();
	}

	@Test
	void oldAndNewExcludeEachOtherInARace() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger overlaps = new AtomicInteger();
		ExecutorService threads = Executors.newFixedThreadPool(2 * THREADS);
		try {
			List<Future<Integer>> ends = new ArrayList<>();
			for (int i = 0; i < 2 * THREADS; i++) {
				ExtensibleLockProvider mine = (i % 2 == 0) ? this.old : this.providers.both();
				ends.add(threads.submit(() -> race(mine, inside, overlaps)));
			}
			int granted = 0;
			for (Future<Integer> end : ends) {
				int one = end.get(5, TimeUnit.MINUTES);
				assertThat(one).isPositive();
				granted += one;
			}
			assertThat(overlaps).hasValue(0);
			assertThat(runs()).isEqualTo(granted);
		}
		finally {
			threads.shutdownNow();
		}
	}

	private int race(ExtensibleLockProvider mine, AtomicInteger inside, AtomicInteger overlaps) {
		int granted = 0;
		// Until each has had a lock: nobody knows how fair this machine is
		for (int round = 0; round < ROUNDS || granted == 0; round++) {
			Optional<SimpleLock> lock = Providers.lock(mine, "k", Providers.LONG, Duration.ZERO);
			if (lock.isPresent()) {
				if (inside.incrementAndGet() != 1) {
					overlaps.incrementAndGet();
				}
				work();
				granted++;
				inside.decrementAndGet();
				lock.get().unlock();
			}
		}
		return granted;
	}

	// Two requests, between which another could come: a run would be lost
	private void work() {
		int runs = runs();
		this.providers.database()
			.getCollection("runs")
			.replaceOne(ID, new Document("_id", "k").append("runs", runs + 1), new ReplaceOptions().upsert(true));
	}

	private int runs() {
		Document found = this.providers.database().getCollection("runs").find(ID).first();
		return (found != null) ? found.getInteger("runs") : 0;
	}

}
