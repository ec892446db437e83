package io.mongolock.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many at once.
 */
interface RaceContract extends LockStoreContract {

	/**
	 * How often each thread is granted the lock that all of them ask for all the time.
	 */
	int ROUNDS = 10;

	@RepeatedTest(5)
	default void oneOfManyClaimsOnANewKeyIsGrantedAndNoneFails() throws Exception {
		List<Boolean> granted = race(64, (thread) -> () -> isGranted(Claims.on("new")));
		assertThat(granted).filteredOn(Boolean::booleanValue).hasSize(1);
	}

	@Test
	default void noMoreThanTheLimitAreGranted() throws Exception {
		List<Boolean> granted = race(32, (thread) -> () -> isGranted(Claims.limit(Claims.on("key"), 5)));
		assertThat(granted).filteredOn(Boolean::booleanValue).hasSize(5);
		assertThat(find("key").holders()).extracting(StoredHolder::fence).doesNotHaveDuplicates().hasSize(5);
	}

	@Test
	default void allReadersAreGranted() throws Exception {
		List<Boolean> granted = race(32, (thread) -> () -> isGranted(Claims.shared("key")));
		assertThat(granted).hasSize(32).containsOnly(true);
		assertThat(find("key").holders()).extracting(StoredHolder::fence).doesNotHaveDuplicates().hasSize(32);
	}

	@Test
	default void noReaderStandsBesideAWriterNorMoreThanTheLimitTogether() throws Exception {
		AtomicInteger readers = new AtomicInteger();
		AtomicInteger writers = new AtomicInteger();
		List<Integer> grants = race(8, (thread) -> () -> {
			boolean writes = thread % 4 == 0;
			AtomicInteger inside = (writes) ? writers : readers;
			for (int i = 0; i < ROUNDS; i++) {
				Claim claim = Claims.waiting(Claims.limit(Claims.on("key"), (writes) ? 1 : 3));
				spin(claim);
				inside.incrementAndGet();
				assertThat(readers.get() + 3 * writers.get()).isBetween(1, 3);
				inside.decrementAndGet();
				assertThat(release(claim)).isTrue();
			}
			return ROUNDS;
		});
		assertThat(grants).hasSize(8);
	}

	@Test
	default void oneAttemptSentManyTimesIsOneGrant() throws Exception {
		Claim claim = Claims.on("key");
		List<Long> fences = race(16, (thread) -> () -> grant(claim).fence());
		assertThat(fences).hasSize(16).containsOnly(fences.get(0));
		assertThat(find("key").holders()).hasSize(1);
	}

	@Test
	default void aPlainCounterUnderTheLockLosesNoUpdate() throws Exception {
		int[] counter = new int[1];
		AtomicInteger inside = new AtomicInteger();
		List<List<Long>> fences = race(8, (thread) -> () -> {
			List<Long> mine = new ArrayList<>();
			while (mine.size() < ROUNDS) {
				Claim claim = Claims.waiting(Claims.on("counter"));
				StoredHolder granted = spin(claim);
				assertThat(inside.incrementAndGet()).isOne();
				counter[0]++;
				mine.add(granted.fence());
				inside.decrementAndGet();
				assertThat(release(claim)).isTrue();
			}
			return mine;
		});
		assertThat(counter[0]).isEqualTo(8 * ROUNDS);
		assertThat(fences).allSatisfy((mine) -> assertThat(mine).isSorted());
		assertThat(fences.stream().flatMap(List::stream)).doesNotHaveDuplicates();
	}

	private StoredHolder spin(Claim claim) {
		while (true) {
			ClaimAnswer answer = ask(claim);
			if (answer.grantTo(claim.id().leaseToken()).isPresent()) {
				return answer.grantTo(claim.id().leaseToken()).get();
			}
			Thread.onSpinWait();
		}
	}

	private boolean isGranted(Claim claim) {
		return ask(claim).grantTo(claim.id().leaseToken()).isPresent();
	}

	private static <T> List<T> race(int threads, IntFunction<Callable<T>> runner) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		CyclicBarrier start = new CyclicBarrier(threads);
		try {
			List<Future<T>> results = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				Callable<T> task = runner.apply(i);
				results.add(executor.submit(() -> {
					start.await(30, TimeUnit.SECONDS);
					return task.call();
				}));
			}
			return values(results);
		}
		finally {
			executor.shutdownNow();
		}
	}

	private static <T> List<T> values(List<Future<T>> results) throws InterruptedException, ExecutionException {
		List<T> values = new ArrayList<>();
		for (Future<T> result : results) {
			values.add(result.get());
		}
		return values;
	}

}
