package io.mongolock.client;

import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockHolder;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.client.ClientOptions.LeakDetection;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockTemplate}: claims, waiting and releases.
 */
class LockTemplateTests extends AbstractLockTemplateTests {

	@Test
	void aNestedCallLeavesItToTheOuterOneWhetherAnOverrunWasOne() {
		String done = this.template.execute(REQUEST, (outer) -> this.template.execute(REQUEST, (inner) -> {
			this.clock.step(Duration.ofSeconds(40));
			this.events.await("acquired k", "lost k DEADLINE");
			return "done";
		}));
		assertThat(done).isEqualTo("done");
	}

	@Test
	void aFreeLockCostsOneRequestOnTheCallersThreadAndItsReleaseAnother() {
		String result = this.template.execute(REQUEST, (handle) -> {
			assertThat(handle.isHeld()).isTrue();
			assertThat(handle.fence()).isEqualTo(1);
			assertThat(LockContext.current()).isSameAs(handle);
			return "done";
		});
		assertThat(result).isEqualTo("done");
		String thread = Thread.currentThread().getName();
		assertThat(this.store.requests).containsExactly("acquire k on " + thread, "release k on " + thread);
		assertThat(LockContext.find((any) -> true)).isEmpty();
		this.events.await("acquired k", "released k");
	}

	@Test
	void theUsersExceptionReachesTheCallerAndTheLockIsReleased() {
		IOException failure = new IOException("mine");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.template.execute(REQUEST, (handle) -> {
			throw failure;
		})).isSameAs(failure).satisfies((ex) -> assertThat(ex.getSuppressed()).isEmpty());
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aHeldLockIsReportedWithItsHolder() {
		LockHandle other = otherClient().acquire(REQUEST);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire(ONCE))
			.withMessageContaining("Lock 'k' is held by other 2 (host there, pid 43")
			.satisfies((ex) -> {
				LockHolder holder = ex.getHolders().get(0);
				assertThat(holder.fence()).isEqualTo(other.fence());
				assertThat(Duration.between(holder.acquiredAt(), holder.until())).isEqualTo(Duration.ofSeconds(30));
				assertThat(ex)
					.hasMessageContaining(" since " + holder.acquiredAt().truncatedTo(ChronoUnit.MILLIS) + " (for ")
					.hasMessageContaining(
							"the lease ends at " + holder.until().truncatedTo(ChronoUnit.MILLIS) + ", in ")
					.hasMessageContaining("and 1 claim. The wait-timeout is 0ms");
				assertThat(ex.getClaims()).isEqualTo(1);
			});
		assertThat(this.template.tryAcquire(ONCE)).isEmpty();
	}

	@Test
	void aWaitingClaimGetsTheLockWhenItIsReleased() throws Exception {
		LockHandle other = otherClient().acquire(REQUEST);
		Future<LockHandle> waiting = this.others.submit(() -> this.template.acquire(REQUEST));
		Awaitility.await().until(() -> this.store.count("acquire") >= 3);
		other.close();
		assertThat(waiting.get().isHeld()).isTrue();
	}

	@Test
	void theThreadsOfOneJvmSendOneWaiterToTheStoreAndAreServedInOrder() throws Exception {
		LockTemplate template = new LockTemplate(this.store,
				new ClientOptions(ConfiguredSettings.NONE, new LockOwner("app", "1", "host", 42, ""), this.clock,
						List.of())
					.withLeakDetection(LeakDetection.OFF)
					.withHandOver(new HandOver(Duration.ZERO, 0)));
		LockHandle first = template.acquire(REQUEST);
		List<Future<Long>> waiting = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			int waiters = i + 1;
			waiting.add(this.others.submit(() -> template.execute(REQUEST, LockHandle::fence)));
			Awaitility.await().pollInterval(Duration.ofMillis(10)).until(() -> template.waiting() == waiters);
		}
		assertThat(this.store.count("acquire")).as("requests while the lock is held here").isEqualTo(1);
		first.close();
		for (int i = 0; i < 20; i++) {
			assertThat(waiting.get(i).get()).as("fence of waiter " + i).isEqualTo(i + 2);
		}
		assertThat(this.store.count("acquire")).isEqualTo(21);
	}

	@Test
	void aLockHeldInThisJvmIsDeniedWithoutARequest() {
		try (LockHandle handle = this.template.acquire(REQUEST)) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.template.acquire(ONCE))
				.withMessageContaining(
						"is held by app 1 (host host, pid 42, thread " + Thread.currentThread().getName() + ") since ")
				.withMessageContaining(
						" without a claim, because this thread or another thread of the same name holds the lock. "
								+ "Nested calls share a lock only if the annotation or LockOperations.execute has "
								+ "taken it")
				.satisfies((ex) -> assertThat(ex.getClaims()).isZero())
				.satisfies((ex) -> assertThat(ex.getHolders().get(0).remaining())
					.as("in the store, where no margin is left out")
					.isGreaterThan(handle.remaining().plusSeconds(1)));
			CompletableFuture
				.runAsync(() -> assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> this.template.acquire(ONCE))
					.withMessageContaining(" without a claim, because other threads of this application were ahead"),
						(work) -> new Thread(work).start())
				.join();
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(this.store.count("acquire")).isEqualTo(1);
	}

	@Test
	void aNestedCallSharesTheLockAndOnlyTheOutermostReleasesIt() {
		this.template.execute(REQUEST, (outer) -> {
			long fence = this.template.execute(REQUEST, (inner) -> inner.fence());
			assertThat(fence).isEqualTo(outer.fence());
			assertThat(outer.isHeld()).isTrue();
			assertThat(this.store.count("release")).isZero();
			return null;
		});
		assertThat(this.store.count("acquire")).isEqualTo(1);
		assertThat(this.store.count("release")).isEqualTo(1);
	}

	@Test
	void aHandleAcquiredWithinACallOutlivesIt() {
		LockHandle kept = this.template.execute(REQUEST, (outer) -> this.template.acquire(REQUEST));
		assertThat(kept.isHeld()).isTrue();
		assertThat(this.store.holder("k")).isPresent();
		kept.close();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aSharedLockIsNotTakenForAnExclusiveOneWithin() {
		LockRequest shared = LockRequest.builder("k").shared().build();
		assertThatIllegalStateException()
			.isThrownBy(
					() -> this.template.execute(shared, (handle) -> this.template.execute(REQUEST, (inner) -> null)))
			.withMessage("Lock 'k' is held shared, perhaps by several holders. A holder that requested the "
					+ "lock exclusively would wait for itself. Request the lock exclusively from the start, or release "
					+ "the lock first");
		assertThat(this.store.count("acquire")).isOne();
	}

	@Test
	void aSharedLockWithinAnExclusiveOneIsTheSame() {
		LockRequest shared = LockRequest.builder("k").shared().build();
		this.template.execute(REQUEST, (outer) -> this.template.execute(shared, (inner) -> {
			assertThat(inner.fence()).isEqualTo(outer.fence());
			return null;
		}));
		assertThat(this.store.count("acquire")).isOne();
	}

	@Test
	void aSharedClaimThatDoesNotWaitAsksBesideOneThatIsUnderway() {
		LockRequest shared = LockRequest.builder("k").shared().build();
		this.store.next("acquire", (request) -> {
			Optional<LockHandle> beside = CompletableFuture
				.supplyAsync(() -> this.template.tryAcquire(shared), this.others)
				.join();
			assertThat(beside).isPresent();
			beside.get().close();
			request.run();
		});
		this.template.acquire(shared);
	}

	@Test
	void anotherThreadDoesNotShareTheLock() throws Exception {
		this.template.execute(REQUEST, (handle) -> {
			Future<Boolean> other = this.others.submit(() -> this.template.tryAcquire(ONCE).isPresent());
			assertThat(other.get()).isFalse();
			return null;
		});
	}

	@Test
	void closeIsIdempotentAndMayComeFromAnyThread() throws Exception {
		LockHandle handle = this.template.acquire(REQUEST);
		this.others.submit(handle::close).get();
		handle.close();
		assertThat(this.store.count("release")).isEqualTo(1);
		assertThat(handle.isHeld()).isFalse();
		assertThatIllegalStateException().isThrownBy(handle::assertHeld).withMessageContaining("was closed");
	}

	@Test
	void anInterruptEndsTheWaitAndIsRestored() throws Exception {
		LockHandle other = otherClient().acquire(REQUEST);
		CompletableFuture<Boolean> flag = new CompletableFuture<>();
		Thread waiting = new Thread(() -> {
			try {
				this.template.acquire(REQUEST);
			}
			catch (LockUnavailableException ex) {
				flag.complete(
						Thread.currentThread().isInterrupted() && ex.getMessage().startsWith("The call was interrupted")
								&& ex.getMessage().contains("for lock 'k', which was last seen held by other 2 ")
								&& ex.getClaims() >= 2);
			}
		});
		waiting.start();
		Awaitility.await().until(() -> this.store.count("acquire") >= 3);
		waiting.interrupt();
		assertThat(flag.get()).isTrue();
		assertThat(this.template.waiting()).isZero();
		other.close();
	}

	@Test
	void anInterruptBehindAHolderOfThisJvmSaysWhoThatIs() throws Exception {
		try (LockHandle held = this.template.acquire(REQUEST)) {
			CompletableFuture<LockUnavailableException> failure = new CompletableFuture<>();
			Thread waiting = new Thread(() -> {
				try {
					this.template.acquire(REQUEST);
				}
				catch (LockUnavailableException ex) {
					failure.complete(ex);
				}
			});
			waiting.start();
			Awaitility.await().until(() -> this.template.waiting() == 1);
			waiting.interrupt();
			assertThat(failure.get().getHolders()).singleElement()
				.satisfies((holder) -> assertThat(holder.fence()).isEqualTo(held.fence()));
			assertThat(failure.get()).hasMessageStartingWith("The call was interrupted after it had waited ")
				.hasMessageContaining(" for lock 'k', which was last seen held by app 1 (host host, pid 42");
			assertThat(failure.get().getClaims()).isZero();
		}
	}

	@Test
	void anInterruptDuringTheWorkDoesNotKeepTheLockFromBeingReleased() {
		this.store.next("release", (release) -> {
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			release.run();
		});
		this.template.execute(REQUEST, (handle) -> {
			Thread.currentThread().interrupt();
			return null;
		});
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aListenerThatThrowsHarmsNobody() {
		this.events.failing = true;
		this.template.execute(REQUEST, (handle) -> null);
		this.template.execute(REQUEST, (handle) -> null);
		this.events.await("acquired k", "released k", "acquired k", "released k");
	}

}
