package io.mongolock.client;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LossReason;
import io.mongolock.OnLost;
import io.mongolock.store.LeaseControl;
import io.mongolock.store.LeaseEnd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockTemplate}: leases that are renewed, or lost.
 */
class LockTemplateLossTests extends AbstractLockTemplateTests {

	@Test
	void whenRenewalTakesLongThenItCountsFromItsSending() {
		CountDownLatch second = new CountDownLatch(1);
		CountDownLatch over = new CountDownLatch(1);
		LockHandle held = this.template.acquire(REQUEST);
		this.store.next("renew", (request) -> {
			this.clock.step(Duration.ofSeconds(10));
			request.run();
		});
		this.store.next("renew", (request) -> {
			second.countDown();
			await(over);
		});
		this.clock.step(Duration.ofSeconds(9));
		await(second);
		assertThat(held.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(14));
		over.countDown();
	}

	@Test
	void aLostLockIsReportedToItsHolderInEveryWay() {
		LockHandle handle = this.template.acquire(REQUEST);
		this.clock.step(Duration.ofSeconds(24));
		this.store.forget("k");
		assertThat(handle.isHeld()).isFalse();
		assertThat(handle.remaining()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::assertHeld)
			.withMessageContaining("no renewal was confirmed within ttl - margin = 30000ms - 6000ms = 24000ms");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close)
			.satisfies((ex) -> assertThat(ex.getReason()).isEqualTo(LossReason.DEADLINE))
			.satisfies((ex) -> assertThat(ex.getFence()).isEqualTo(1));
		this.events.await("acquired k", "lost k DEADLINE");
	}

	@Test
	void anIgnoredLossIsNoException() {
		LockHandle handle = this.template.acquire(LockRequest.builder("k").onLost(OnLost.IGNORE).build());
		this.clock.step(Duration.ofSeconds(24));
		this.store.forget("k");
		handle.close();
		this.events.await("acquired k", "lost k DEADLINE");
	}

	@Test
	void aLeaseThatRanOutAndWasGrantedToNobodyIsAnOverrunAndNoFailure() {
		String result = this.template.execute(REQUEST, (handle) -> {
			this.clock.step(Duration.ofSeconds(24));
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(this.store.requests).last().asString().startsWith("release grant k");
		this.events.await("acquired k", "lost k DEADLINE", "overran k");
	}

	@Test
	void aLockFoundGoneAtItsReleaseIsALoss() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(REQUEST, (handle) -> {
			this.store.forget("k");
			return null;
		})).withMessageContaining("the store no longer has this hold");
		this.events.await("acquired k", "lost k REFUSED");
	}

	@Test
	void aLossDoesNotHideTheUsersException() {
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.template.execute(REQUEST, (handle) -> {
			this.store.forget("k");
			throw new IOException("mine");
		})).satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
	}

	@Test
	void onLossTheThreadIsInterruptedIfTheRequestSaysSo() {
		LockRequest request = LockRequest.builder("k").onLost(OnLost.INTERRUPT).build();
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.template.execute(request, (handle) -> {
				this.store.forget("k");
				this.clock.step(Duration.ofSeconds(24));
				new CountDownLatch(1).await();
				return null;
			}))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void theWatchInterruptsNobodyItself() throws InterruptedException {
		// An interrupt closes a channel, and waits for the disk behind that
		List<String> by = new CopyOnWriteArrayList<>();
		LockRequest request = LockRequest.builder("k").onLost(OnLost.INTERRUPT).build();
		CountDownLatch working = new CountDownLatch(1);
		Thread worker = new Thread(() -> assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.template.execute(request, (handle) -> {
				working.countDown();
				new CountDownLatch(1).await();
				return null;
			}))) {

			@Override
			public void interrupt() {
				by.add(Thread.currentThread().getName());
				super.interrupt();
			}

		};
		worker.start();
		working.await();
		this.store.forget("k");
		this.template.renew("k");
		worker.join();
		assertThat(by).singleElement().asString().startsWith("mongo-lock-result");
	}

	@Test
	void anInterruptThatNobodyNoticedDoesNotOutliveTheCall() {
		LockRequest request = LockRequest.builder("k").onLost(OnLost.INTERRUPT).build();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(request, (handle) -> {
			this.store.forget("k");
			this.clock.step(Duration.ofSeconds(24));
			assertThat(handle.isHeld()).isFalse();
			awaitInterrupt();
			return null;
		}));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void workThatWasInterruptedFailsThoughNobodyElseWasGrantedTheLock() {
		LockRequest request = LockRequest.builder("k").onLost(OnLost.INTERRUPT).autoRenew(false).build();
		for (int shares = 1; shares <= 2; shares++) {
			boolean within = shares == 2;
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> this.template.execute(request, (outer) -> within
						? this.template.execute(request, this::untilInterrupted) : untilInterrupted(outer)))
				.as("of %d who share it", shares);
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			assertThat(this.store.holders()).isZero();
		}
	}

	// The watch may have noticed first, and interrupts a moment later
	private static void awaitInterrupt() {
		long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
		while (!Thread.currentThread().isInterrupted() && System.nanoTime() - until < 0) {
			Thread.onSpinWait();
		}
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	private Void untilInterrupted(LockHandle handle) {
		this.clock.step(Duration.ofSeconds(24));
		assertThat(handle.isHeld()).isFalse();
		awaitInterrupt();
		return null;
	}

	@Test
	void oneInterruptIsForAllLocksThatAreLostAndEachCallFails() {
		LockRequest outer = LockRequest.builder("outer").onLost(OnLost.INTERRUPT).build();
		LockRequest inner = LockRequest.builder("inner").onLost(OnLost.INTERRUPT).build();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.template.execute(outer, (handle) -> {
			assertThatExceptionOfType(InterruptedException.class)
				.isThrownBy(() -> this.template.execute(inner, (within) -> {
					this.store.forget("outer");
					this.store.forget("inner");
					this.clock.step(Duration.ofSeconds(24));
					new CountDownLatch(1).await();
					return null;
				}))
				.satisfies(
						(ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockLostException.class));
			assertThat(handle.isHeld()).isFalse();
			return null;
		})).withMessageContaining("outer");
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void anExplicitRenewalBeginsTheLeaseAnewOrReportsItsLoss() {
		// Not in the background meanwhile
		LockHandle handle = this.template.acquire(LockRequest.builder("k")
			.settings(LockSettings.builder().renewInterval(Duration.ofSeconds(8)).build())
			.build());
		this.clock.step(Duration.ofSeconds(5));
		handle.renew();
		assertThat(handle.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(24));
		this.store.nextFails("renew", Outcome.UNKNOWN, false);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(handle::renew);
		assertThat(handle.isHeld()).isTrue();
		this.store.forget("k");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::renew);
		assertThat(handle.isHeld()).isFalse();
	}

	@Test
	void theLeaseIsRenewedWhileItIsHeldAndNotAfter() {
		LockHandle handle = this.template.acquire(REQUEST);
		this.clock.stepUnnoticed(Duration.ofSeconds(8));
		Awaitility.await().until(() -> this.store.count("renew") == 1);
		Awaitility.await().until(() -> handle.remaining().compareTo(Duration.ofSeconds(23)) > 0);
		handle.close();
		assertThat(this.store.requests).filteredOn((request) -> request.startsWith("renew"))
			.allMatch((request) -> request.contains("on mongo-lock-renewal"));
	}

	@Test
	void aLossIsDeclaredByDeadlineEvenWhileTheRenewalHangs() throws Exception {
		CountDownLatch hang = new CountDownLatch(1);
		this.store.next("renew", (request) -> await(hang));
		LockHandle handle = this.template.acquire(REQUEST);
		this.clock.step(Duration.ofSeconds(8));
		Awaitility.await().until(() -> this.store.count("renew") == 1);
		this.clock.step(Duration.ofSeconds(16));
		this.events.await("acquired k", "lost k DEADLINE");
		hang.countDown();
		assertThat(handle.isHeld()).isFalse();
	}

	@Test
	void afterALossTheNextOfThisJvmMayAskTheStore() throws Exception {
		LockHandle handle = this.template.acquire(REQUEST);
		Future<LockHandle> waiting = this.others
			.submit(() -> this.template.acquire(LockRequest.builder("k").waitTimeout(Duration.ofMinutes(5)).build()));
		Awaitility.await().until(() -> this.template.waiting() == 1);
		this.store.forget("k");
		this.clock.step(Duration.ofSeconds(24));
		assertThat(waiting.get().fence()).isEqualTo(2);
		assertThat(handle.isHeld()).isFalse();
	}

	@Test
	void aLockFoundGoneByAStatementAfterItsHolderLetGoOfItIsOver() {
		LockHandle handle = this.template.acquire(REQUEST);
		((LeaseControl) handle).suspend();
		handle.close();
		assertThat(this.template.held()).as("until the statement is over").isOne();
		this.store.forget("k");
		((LeaseControl) handle).end(LeaseEnd.LOST);
		assertThat(this.template.held()).isZero();
		this.events.await("acquired k", "lost k REFUSED");
		this.template.acquire(REQUEST).close();
	}

	@Test
	void aLockThatRunsOutWhileAStatementHangsIsReportedInTime() {
		LockHandle handle = this.template.acquire(REQUEST);
		((LeaseControl) handle).suspend();
		this.clock.step(Duration.ofSeconds(25));
		this.events.await("acquired k", "lost k DEADLINE");
		((LeaseControl) handle).end(LeaseEnd.RELEASED);
		this.events.await("acquired k", "lost k DEADLINE", "overran k");
	}

	@Test
	void aLockThatRunsOutWhileNotRenewedIsReportedInTime() {
		((LeaseControl) this.template.acquire(REQUEST)).pause();
		this.clock.step(Duration.ofSeconds(25));
		this.events.await("acquired k", "lost k DEADLINE");
	}

	@Test
	void aLockThatAStatementWithoutAnAnswerMayHaveEndedIsLookedForAtOnce() {
		LockHandle handle = this.template.acquire(LockRequest.builder("k")
			.settings(LockSettings.builder().ttl(Duration.ofHours(1)).renewInterval(Duration.ofMinutes(10)).build())
			.build());
		((LeaseControl) handle).suspend();
		this.store.forget("k");
		((LeaseControl) handle).resume();
		this.events.await("acquired k", "lost k REFUSED");
		assertThat(handle.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
	}

}
