package io.mongolock.shedlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What ShedLock expects of a provider whose locks can be extended. Two providers stand
 * for two instances of an application.
 */
abstract class AbstractLockProviderContractTests {

	private static final int THREADS = 4;

	private static final int ROUNDS = 25;

	final ExtensibleLockProvider provider;

	final ExtensibleLockProvider other;

	final Duration moment;

	/**
	 * Create with two instances.
	 * @param provider makes the provider of another instance
	 * @param moment a time to wait for
	 */
	AbstractLockProviderContractTests(Supplier<ExtensibleLockProvider> provider, Duration moment) {
		this.provider = provider.get();
		this.other = provider.get();
		this.moment = moment;
	}

	@Test
	void aLockIsDeniedWhileItIsHeldAndFreeAfterItsUnlock() {
		SimpleLock lock = Providers.lock(this.provider, "k", Providers.LONG, Duration.ZERO).orElseThrow();
		assertThat(Providers.lock(this.other, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		assertThat(Providers.lock(this.provider, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		lock.unlock();
		SimpleLock next = Providers.lock(this.other, "k", Providers.LONG, Duration.ZERO).orElseThrow();
		assertThat(Providers.lock(this.provider, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		next.unlock();
	}

	@Test
	void namesAreLocksOfTheirOwn() {
		SimpleLock one = Providers.lock(this.provider, "one", Providers.LONG, Duration.ZERO).orElseThrow();
		SimpleLock two = Providers.lock(this.other, "two", Providers.LONG, Duration.ZERO).orElseThrow();
		one.unlock();
		assertThat(Providers.lock(this.provider, "two", Providers.LONG, Duration.ZERO)).isEmpty();
		two.unlock();
	}

	@Test
	void aLockIsFreeRightAfterItsUnlockAgainAndAgain() {
		for (int i = 0; i < 10; i++) {
			SimpleLock lock = Providers
				.lock((i % 2 == 0) ? this.provider : this.other, "k", Providers.LONG, Duration.ZERO)
				.orElseThrow();
			assertThat(Providers.lock(this.provider, "k", Providers.LONG, Duration.ZERO)).isEmpty();
			lock.unlock();
		}
	}

	@Test
	void aLockEndsAtItsLongestTimeThoughNobodyUnlocksIt() {
		SimpleLock lock = Providers.lockBriefly(this.provider, "k", this.moment);
		SimpleLock next = Providers.awaitLock(this.other, "k");
		assertThat(Providers.lock(this.provider, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		next.unlock();
		assertThat(lock.extend(Providers.LONG, Duration.ZERO)).isEmpty();
	}

	@Test
	void theUnlockOfALockThatRanOutIsQuiet() {
		SimpleLock lock = Providers.lockBriefly(this.provider, "k", this.moment);
		Providers.awaitLock(this.other, "k").unlock();
		lock.unlock();
		Providers.lock(this.other, "k", Providers.LONG, Duration.ZERO).orElseThrow().unlock();
	}

	@Test
	void aLockStaysTakenForItsShortestTime() {
		Providers.lock(this.provider, "k", Providers.LONG, Providers.LONG).orElseThrow().unlock();
		assertThat(Providers.lock(this.provider, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		assertThat(Providers.lock(this.other, "k", Providers.LONG, Duration.ZERO)).isEmpty();
	}

	@Test
	void aLockIsFreeAfterItsShortestTime() {
		long begun = System.nanoTime();
		Providers.lock(this.provider, "k", Providers.LONG, this.moment).orElseThrow().unlock();
		Providers.awaitLock(this.other, "k").unlock();
		assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(this.moment.minusMillis(10).toNanos());
	}

	@Test
	void anExtendedLockOutlivesItsFirstTime() {
		SimpleLock extended = Providers.lockAndExtend(this.provider, "k", "witness", this.moment);
		Providers.awaitLock(this.other, "witness").unlock();
		assertThat(Providers.lock(this.other, "k", Providers.LONG, Duration.ZERO)).isEmpty();
		SimpleLock again = extended.extend(Providers.LONG, Duration.ZERO).orElseThrow();
		again.unlock();
		Providers.lock(this.other, "k", Providers.LONG, Duration.ZERO).orElseThrow().unlock();
	}

	@Test
	void anExtendedLockEndsAtItsNewTime() {
		SimpleLock lock = Providers.lock(this.provider, "k", Providers.LONG, Duration.ZERO).orElseThrow();
		SimpleLock extended = lock.extend(this.moment, Duration.ZERO).orElseThrow();
		Providers.awaitLock(this.other, "k").unlock();
		assertThat(extended.extend(Providers.LONG, Duration.ZERO)).isEmpty();
	}

	@Test
	void aLockThatRanOutIsNotExtendedThoughNobodyTookIt() {
		SimpleLock granted = Providers.lockBriefly(this.provider, "k", this.moment);
		SimpleLock extended = Providers.lock(this.provider, "m", Providers.LONG, Duration.ZERO)
			.orElseThrow()
			.extend(this.moment, Duration.ZERO)
			.orElseThrow();
		Providers.lockBriefly(this.provider, "witness", this.moment);
		Providers.awaitLock(this.other, "witness");
		assertThat(granted.extend(Providers.LONG, Duration.ZERO)).isEmpty();
		assertThat(extended.extend(Providers.LONG, Duration.ZERO)).isEmpty();
	}

	@Test
	void anExtendedLockStaysTakenForItsNewShortestTime() {
		SimpleLock lock = Providers.lock(this.provider, "k", Providers.LONG, Duration.ZERO).orElseThrow();
		lock.extend(Providers.LONG, Providers.LONG).orElseThrow().unlock();
		assertThat(Providers.lock(this.other, "k", Providers.LONG, Duration.ZERO)).isEmpty();
	}

	@Test
	void aLockIsUnlockedOrExtendedOnce() {
		SimpleLock lock = Providers.lock(this.provider, "k", Providers.LONG, Duration.ZERO).orElseThrow();
		SimpleLock extended = lock.extend(Providers.LONG, Duration.ZERO).orElseThrow();
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertThatIllegalStateException().isThrownBy(() -> lock.extend(Providers.LONG, Duration.ZERO));
		extended.unlock();
		assertThatIllegalStateException().isThrownBy(extended::unlock);
		assertThatIllegalStateException().isThrownBy(() -> extended.extend(Providers.LONG, Duration.ZERO));
	}

	@Test
	void aLockThatIsKeptAliveCanBeUnlocked() {
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		try {
			SimpleLock lock = new KeepAliveLockProvider(this.provider, timer)
				.lock(Providers.configuration("k", Duration.ofSeconds(30), Duration.ZERO))
				.orElseThrow();
			assertThat(Providers.lock(this.other, "k", Providers.LONG, Duration.ZERO)).isEmpty();
			lock.unlock();
			Providers.lock(this.other, "k", Providers.LONG, Duration.ZERO).orElseThrow().unlock();
		}
		finally {
			timer.shutdownNow();
		}
	}

	@Test
	void threadsOfTwoInstancesExcludeEachOther() throws Exception {
		int[] counter = new int[1];
		AtomicInteger inside = new AtomicInteger();
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			List<Future<?>> ends = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				ExtensibleLockProvider mine = (i % 2 == 0) ? this.provider : this.other;
				ends.add(threads.submit(() -> {
					for (int round = 0; round < ROUNDS; round++) {
						SimpleLock lock = Providers.awaitLock(mine, "k");
						assertThat(inside.incrementAndGet()).isOne();
						counter[0]++;
						inside.decrementAndGet();
						lock.unlock();
					}
				}));
			}
			for (Future<?> end : ends) {
				end.get(2, TimeUnit.MINUTES);
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(counter[0]).isEqualTo(THREADS * ROUNDS);
	}

}
