package io.mongolock.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.LossReason;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for locks that are handed on within the JVM. The first holder, who came when
 * nobody wanted the lock, has fence 1; the next one, who had to queue, asks for a turn.
 */
@Timeout(180)
class LocalHandOverTests {

	private static final LockRequest REQUEST = LockRequest.of("k");

	private static final LockRequest LONGER = LockRequest.builder("k").ttl(Duration.ofHours(1)).build();

	private final ScriptedStore store = new ScriptedStore();

	private final HeldUpClock clock = new HeldUpClock();

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final LockTemplate template = new LockTemplate(this.store,
			new ClientOptions(new ConfiguredSettings(
					LockSettings.builder().ttl(Duration.ofMinutes(30)).waitTimeout(Duration.ofMinutes(10)).build(),
					Map.of()), new LockOwner("app", "1", "host", 42, ""), this.clock, List.of(listener()))
				.withLeakDetection(LeakDetection.OFF)
				.withHandOver(new HandOver(Duration.ofHours(1), 100)));

	@AfterEach
	void stop() {
		this.clock.letGo.countDown();
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void aLockMovesOnInOrderWithNoRequest() {
		LockHandle holder = beginTurn();
		List<CompletableFuture<Long>> waiting = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			waiting.add(inThread(() -> this.template.execute(REQUEST, LockHandle::fence)));
			awaitWaiting(i + 1);
		}
		long acquired = this.store.count("acquire");
		long released = this.store.count("release");
		holder.close();
		for (int i = 0; i < 20; i++) {
			assertThat(waiting.get(i).join()).as("fence of waiter " + i).isEqualTo(holder.fence() + 1 + i);
		}
		assertThat(this.store.count("acquire")).isEqualTo(acquired);
		assertThat(this.store.count("release")).as("by the last").isEqualTo(released + 1);
		assertThat(this.store.holder("k")).isEmpty();
		assertThat(this.template.held()).isZero();
	}

	@Test
	void aLockThatWasHandedOverIsRenewed() {
		LockHandle holder = beginTurn();
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(REQUEST);
		holder.close();
		LockHandle next = waiting.join();
		// The thread that renews looks soon for this one, and so notices the step
		LockHandle soon = this.template.acquire(LockRequest.builder("soon").ttl(Duration.ofSeconds(3)).build());
		this.clock.stepped.addAndGet(Duration.ofMinutes(10).toNanos());
		Awaitility.await().until(() -> next.remaining().compareTo(Duration.ofMinutes(20)) > 0);
		soon.close();
	}

	@Test
	void everyHolderIsPublishedAndInOrder() {
		LockHandle holder = beginTurn();
		CompletableFuture<LockHandle> next = this.template.acquireAsync(REQUEST);
		holder.close();
		next.join().close();
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.events).containsExactly("acquired 1", "released 1", "acquired 2",
					"released 2", "acquired 3", "released 3"));
	}

	@Test
	void theHandleOfWhoHandedItOverHoldsNothingAndReleasesNothing() {
		LockHandle holder = beginTurn();
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(REQUEST);
		holder.close();
		LockHandle next = waiting.join();
		holder.close();
		assertThat(holder.isHeld()).isFalse();
		assertThat(holder.remaining()).isZero();
		assertThat(next.isHeld()).isTrue();
		assertThat(next.remaining()).isPositive();
		next.close();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void anAsynchronousClaimIsHandedItOnAThreadOfItsOwn() {
		LockHandle holder = beginTurn();
		CompletableFuture<String> thread = this.template.acquireAsync(REQUEST).thenApply((handle) -> {
			handle.close();
			return Thread.currentThread().getName();
		});
		holder.close();
		assertThat(thread.join()).startsWith("mongo-lock-result");
	}

	@Test
	void aClaimWithoutAWaitIsNeverHandedTheLockAndHindersNoHandOver() {
		LockHandle holder = beginTurn();
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(REQUEST);
		LockRequest once = LockRequest.builder("k").waitTimeout(Duration.ZERO).build();
		assertThat(this.template.tryAcquire(once)).isEmpty();
		holder.close();
		assertThat(waiting.join().fence()).as("handed over").isEqualTo(holder.fence() + 1);
		assertThat(this.template.tryAcquire(once)).isEmpty();
		waiting.join().close();
		assertThat(this.template.tryAcquire(once)).get().extracting(LockHandle::isHeld).isEqualTo(true);
	}

	@Test
	void whoseWaitIsOverIsPassedOver() {
		LockHandle holder = beginTurn();
		CompletableFuture<LockHandle> impatient = this.template
			.acquireAsync(LockRequest.builder("k").waitTimeout(Duration.ofMillis(20)).build());
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(REQUEST);
		assertThat(impatient).failsWithin(Duration.ofMinutes(1));
		holder.close();
		assertThat(waiting.join().fence()).as("handed over").isEqualTo(holder.fence() + 1);
	}

	@Test
	void aClaimThatIsCancelledInTheQueueIsPassedOver() {
		LockHandle holder = beginTurn();
		CompletableFuture<LockHandle> gone = this.template.acquireAsync(REQUEST);
		CompletableFuture<LockHandle> next = this.template.acquireAsync(REQUEST);
		gone.cancel(true);
		holder.close();
		assertThat(next.join().fence()).isEqualTo(holder.fence() + 1);
	}

	@Test
	void aWaiterInterruptedAsItIsHandedTheLockPassesItOn() {
		LockHandle holder = beginTurn();
		AtomicReference<@Nullable Thread> waiter = new AtomicReference<>();
		CompletableFuture<LockHandle> interrupted = inThread(() -> {
			waiter.set(Thread.currentThread());
			return this.template.acquire(REQUEST);
		});
		awaitWaiting(1);
		CompletableFuture<LockHandle> next = this.template.acquireAsync(REQUEST);
		holdUp(waiter.get());
		holder.close();
		waiter.get().interrupt();
		this.clock.letGo.countDown();
		assertThat(interrupted).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		assertThat(next.join().fence()).as("what was offered is spent").isEqualTo(holder.fence() + 2);
		assertThat(this.events).doesNotContain("acquired " + (holder.fence() + 1));
	}

	@Test
	void aWaiterInterruptedAsItIsHandedTheLockReleasesItIfNoOtherWaits() {
		LockHandle holder = beginTurn();
		AtomicReference<@Nullable Thread> waiter = new AtomicReference<>();
		CompletableFuture<LockHandle> interrupted = inThread(() -> {
			waiter.set(Thread.currentThread());
			return this.template.acquire(REQUEST);
		});
		awaitWaiting(1);
		holdUp(waiter.get());
		holder.close();
		waiter.get().interrupt();
		this.clock.letGo.countDown();
		assertThat(interrupted).failsWithin(Duration.ofMinutes(1));
		Awaitility.await().until(() -> this.store.holder("k").isEmpty());
		assertThat(this.template.held()).isZero();
		assertThat(this.template.acquire(REQUEST).isHeld()).isTrue();
	}

	@Test
	void aLossInTheMiddleOfATurnReachesWhoHoldsThenAndTheNextClaimsAnew() {
		LockHandle holder = beginTurn();
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(REQUEST);
		CompletableFuture<LockHandle> next = this.template.acquireAsync(REQUEST);
		holder.close();
		LockHandle second = waiting.join();
		long claims = this.store.count("acquire");
		this.store.forget("k");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(second::renew)
			.satisfies((ex) -> assertThat(ex.getFence()).isEqualTo(second.fence()));
		assertThat(next.join().isHeld()).isTrue();
		assertThat(this.store.count("acquire")).isEqualTo(claims + 1);
		Awaitility.await().until(() -> this.events.contains("lost " + second.fence() + " REFUSED"));
	}

	@Test
	void aWaiterAsksAnewIfTheLockItWasHandedIsLostBeforeItWakes() {
		LockHandle holder = beginTurn();
		CompletableFuture<Boolean> waiting = heldUpWhileHandedOver(holder);
		this.store.forget("k");
		this.template.renew("k");
		Awaitility.await().until(() -> this.events.contains("lost " + (holder.fence() + 1) + " REFUSED"));
		this.clock.letGo.countDown();
		assertThat(waiting).as("held as the work begins").succeedsWithin(Duration.ofMinutes(1)).isEqualTo(true);
		Awaitility.await().until(() -> this.template.held() == 0);
		assertThat(this.store.holder("k")).isEmpty();
		assertThat(this.template.waiting()).isZero();
	}

	@Test
	void aWaiterAsksAnewIfItWakesAfterTheDeadlineOfTheLeaseItWasHanded() {
		LockHandle holder = beginTurn();
		CompletableFuture<Boolean> waiting = heldUpWhileHandedOver(holder);
		this.clock.stepped.addAndGet(Duration.ofMinutes(30).toNanos());
		this.store.forget("k");
		this.clock.letGo.countDown();
		assertThat(waiting).as("held as the work begins").succeedsWithin(Duration.ofMinutes(1)).isEqualTo(true);
		Awaitility.await().until(() -> this.events.contains("lost " + (holder.fence() + 1) + " DEADLINE"));
		Awaitility.await().until(() -> this.template.held() == 0);
		assertThat(this.store.holder("k")).isEmpty();
	}

	private CompletableFuture<Boolean> heldUpWhileHandedOver(LockHandle holder) {
		LockRequest patient = LockRequest.builder("k").waitTimeout(Duration.ofHours(1)).build();
		AtomicReference<@Nullable Thread> waiter = new AtomicReference<>();
		CompletableFuture<Boolean> waiting = inThread(() -> {
			waiter.set(Thread.currentThread());
			return this.template.execute(patient, LockHandle::isHeld);
		});
		awaitWaiting(1);
		holdUp(waiter.get());
		holder.close();
		return waiting;
	}

	@Test
	void theReleaseOfALeaseThatRanOutIsProvedByTheGrantsFence() {
		LockHandle holder = beginTurn();
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(REQUEST);
		holder.close();
		LockHandle second = waiting.join();
		this.clock.stepped.addAndGet(Duration.ofMinutes(30).toNanos());
		second.close();
		assertThat(this.store.requests).last().asString().startsWith("release grant k");
		Awaitility.await().until(() -> this.events.contains("overran " + second.fence()));
	}

	@Test
	void aWaiterWithALongerTtlClaimsTheLockFromTheStore() {
		LockHandle holder = beginTurn();
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(LONGER);
		int before = this.store.requests.size();
		holder.close();
		LockHandle next = waiting.join();
		assertThat(next.fence()).as("of another grant").isGreaterThan(holder.fence() + 99);
		assertThat(next.remaining()).isGreaterThan(Duration.ofMinutes(30));
		assertThat(this.store.requests.subList(before, this.store.requests.size()))
			.map((request) -> request.substring(0, request.indexOf(' ')))
			.containsExactly("release", "acquire");
	}

	@Test
	void aStopCutsOffTheOneThatHoldsThen() {
		LockHandle holder = beginTurn();
		CompletableFuture<LockHandle> waiting = this.template.acquireAsync(REQUEST);
		holder.close();
		LockHandle second = waiting.join();
		this.template.stop(Duration.ofSeconds(10));
		assertThat(second.isHeld()).isFalse();
		assertThat(this.store.kept.get("k")).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(6));
		Awaitility.await().until(() -> this.events.contains("lost " + second.fence() + " SHUTDOWN"));
		assertThat(this.events).doesNotContain("lost " + holder.fence() + " SHUTDOWN");
	}

	@Test
	void aLockWhoseHandOverFailsIsReleasedInTheBackground() {
		LockHandle holder = beginTurn();
		CompletableFuture<Long> next = inThread(() -> this.template.execute(REQUEST, LockHandle::fence));
		awaitWaiting(1);
		long acquired = this.store.count("acquire");
		this.clock.failsHandOver.set(true);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(holder::close);
		assertThat(next).succeedsWithin(Duration.ofSeconds(60));
		assertThat(this.store.count("acquire")).isGreaterThan(acquired);
		Awaitility.await().untilAsserted(() -> assertThat(this.template.held()).isZero());
	}

	/**
	 * Have a turn granted.
	 */
	private LockHandle beginTurn() {
		LockHandle first = this.template.acquire(REQUEST);
		CompletableFuture<LockHandle> second = this.template.acquireAsync(REQUEST);
		first.close();
		return second.join();
	}

	private void awaitWaiting(int number) {
		Awaitility.await().pollInterval(Duration.ofMillis(10)).until(() -> this.template.waiting() == number);
	}

	/**
	 * Have a thread that waits for the lock stop as soon as it looks at the clock.
	 */
	private void holdUp(@Nullable Thread waiter) {
		this.clock.heldUp = waiter;
		Awaitility.await().until(() -> {
			LockSupport.unpark(waiter);
			return this.clock.stands.getCount() == 0;
		});
	}

	private static <T> CompletableFuture<T> inThread(Supplier<T> work) {
		return CompletableFuture.supplyAsync(work, (task) -> {
			Thread thread = new Thread(task);
			thread.setDaemon(true);
			thread.start();
		});
	}

	private LockListener listener() {
		return new LockListener() {

			@Override
			public void onAcquired(LockHandle handle) {
				LocalHandOverTests.this.events.add("acquired " + handle.fence());
			}

			@Override
			public void onReleased(LockHandle handle) {
				LocalHandOverTests.this.events.add("released " + handle.fence());
			}

			@Override
			public void onExpiredUncontested(LockHandle handle) {
				LocalHandOverTests.this.events.add("overran " + handle.fence());
			}

			@Override
			public void onLost(LockHandle handle, LossReason reason) {
				LocalHandOverTests.this.events.add("lost " + handle.fence() + " " + reason);
			}

		};
	}

	private static final class HeldUpClock implements LockClock {

		private final AtomicLong stepped = new AtomicLong();

		private final CountDownLatch stands = new CountDownLatch(1);

		private final CountDownLatch letGo = new CountDownLatch(1);

		private volatile @Nullable Thread heldUp;

		/** Once: who is woken by it registers, too. */
		private final AtomicBoolean failsHandOver = new AtomicBoolean();

		@Override
		public long nanoTime() {
			if (this.failsHandOver.get() && isRegistering() && this.failsHandOver.compareAndSet(true, false)) {
				throw new OutOfMemoryError("no thread, for this test");
			}
			if (Thread.currentThread() == this.heldUp) {
				this.stands.countDown();
				boolean interrupted = false;
				while (this.letGo.getCount() > 0) {
					try {
						this.letGo.await();
					}
					catch (InterruptedException ex) {
						interrupted = true;
					}
				}
				if (interrupted) {
					Thread.currentThread().interrupt();
				}
			}
			return System.nanoTime() + this.stepped.get();
		}

		private static boolean isRegistering() {
			return StackWalker.getInstance()
				.walk((frames) -> frames.anyMatch((frame) -> frame.getMethodName().equals("register")));
		}

		@Override
		public long currentTimeMillis() {
			return System.currentTimeMillis() + this.stepped.get() / 1_000_000;
		}

	}

}
