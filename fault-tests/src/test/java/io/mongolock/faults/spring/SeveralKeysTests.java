package io.mongolock.faults.spring;

import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LossReason;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.StartsApplication;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.interceptor.SeveralKeys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 83 and 84: methods that run under several locks.
 */
@Timeout(180)
@StartsApplication
class SeveralKeysTests {

	private static final int ACCOUNTS = 10;

	private static final int TRANSFERS = 300;

	private static final int THREADS = 8;

	@AutoClose
	private final SpringApp app = new SpringApp(Harness.onAnyServer(), Bank.class);

	@Test
	@ShowsRow(value = 83, level = Level.SPRING)
	void callsThatLockTheSameKeysInOppositeOrderNeverWaitForEachOther(RowFigures figures) throws Exception {
		Random random = new Random(figures.seed());
		AtomicIntegerArray working = new AtomicIntegerArray(ACCOUNTS);
		AtomicInteger overlaps = new AtomicInteger();
		BiConsumer<Integer, Integer> work = (from, to) -> {
			int[] accounts = IntStream.of(from, to).distinct().toArray();
			IntStream.of(accounts)
				.filter((account) -> working.getAndIncrement(account) != 0)
				.forEach((account) -> overlaps.incrementAndGet());
			IntStream.of(accounts).forEach(working::decrementAndGet);
		};
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try (ConfigurableApplicationContext second = SpringApp.start(this.app.uri(), Bank.class)) {
			List<Bank> banks = List.of(this.app.bean(Bank.class), second.getBean(Bank.class));
			List<Callable<Void>> transfers = IntStream.range(0, TRANSFERS).<Callable<Void>>mapToObj((i) -> {
				int from = random.nextInt(ACCOUNTS);
				int to = random.nextInt(ACCOUNTS);
				Bank bank = banks.get(i % 2);
				return () -> {
					if (i % 4 < 2) {
						bank.transfer(from, to, () -> work.accept(from, to));
					}
					else {
						bank.transferAll(List.of(from, to), () -> work.accept(from, to));
					}
					return null;
				};
			}).toList();
			CompletionService<Void> ended = new ExecutorCompletionService<>(threads);
			transfers.forEach(ended::submit);
			for (int i = 0; i < TRANSFERS; i++) {
				ended.take().get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(overlaps).hasValue(0);
		figures.server(this.app.harness().label()).add("transfers", TRANSFERS).add("overlaps", overlaps);
	}

	@ParameterizedTest
	@EnumSource(names = { "FAIL", "INTERRUPT" })
	@ShowsRow(value = 84, level = Level.SPRING)
	void aMethodDoesNotBeginIfItsFirstLockIsLostWhileItWaitsForItsSecond(OnLost onLost, RowFigures figures) {
		Bank bank = this.app.bean(Bank.class);
		AtomicInteger runs = new AtomicInteger();
		LockHandle second = this.app.other().claim("account:2").orElseThrow();
		CompletableFuture<Void> call = Daemon.run(() -> {
			if (onLost == OnLost.FAIL) {
				bank.failing(runs::incrementAndGet);
			}
			else {
				bank.interrupted(runs::incrementAndGet);
			}
		});
		await().atMost(Harness.LONG).until(() -> this.app.isHeld("account:1"));
		this.app.other().steal("account:1");
		await().atMost(Harness.LONG).until(() -> bank.isLost("account:1"));
		// the interrupted one ends while the second is still another's
		if (onLost == OnLost.FAIL) {
			second.close();
		}
		assertThat(call).failsWithin(Harness.LONG)
			.withThrowableOfType(ExecutionException.class)
			.havingCause()
			.isInstanceOfSatisfying(LockLostException.class,
					(lost) -> assertThat(lost.getKey()).isEqualTo("account:1"));
		second.close();
		assertThat(runs).hasValue(0);
		await().atMost(Harness.LONG).until(() -> !this.app.isHeld("account:2"));
		figures.server(this.app.harness().label()).add("begun", runs);
	}

	@Test
	void asManyAsAreAllowedAreHeldAtOnce() {
		AtomicInteger held = new AtomicInteger();
		List<Integer> most = IntStream.range(0, SeveralKeys.MAX).boxed().toList();
		// a thousand requests of the observer take longer than the other tests' leases on
		// a busy machine
		try (ConfigurableApplicationContext patient = SpringApp.start(this.app.uri(), Bank.class,
				"mongo-lock.ttl=60s")) {
			patient.getBean(Bank.class)
				.transferAll(most,
						() -> held.set((int) most.stream().filter((id) -> this.app.isHeld("account:" + id)).count()));
		}
		assertThat(held).hasValue(SeveralKeys.MAX);
		assertThat(most).noneMatch((id) -> this.app.isHeld("account:" + id));
	}

	static class Bank implements LockListener {

		private final List<String> lost = new CopyOnWriteArrayList<>();

		@DistributedLock(name = "account", key = "#from", waitTimeout = "100s")
		@DistributedLock(name = "account", key = "#to", waitTimeout = "100s")
		void transfer(int from, int to, Runnable work) {
			work.run();
		}

		@DistributedLock(name = "account", key = "#accounts", waitTimeout = "100s")
		void transferAll(List<Integer> accounts, Runnable work) {
			work.run();
		}

		@DistributedLock(name = "account", key = "{1, 2}", waitTimeout = "100s")
		void failing(Runnable work) {
			work.run();
		}

		@DistributedLock(name = "account", key = "{1, 2}", waitTimeout = "100s", onLost = OnLost.INTERRUPT,
				onUnavailable = OnUnavailable.SKIP)
		void interrupted(Runnable work) {
			work.run();
		}

		@Override
		public void onLost(LockHandle handle, LossReason reason) {
			this.lost.add(handle.key());
		}

		boolean isLost(String key) {
			return this.lost.contains(key);
		}

	}

}
