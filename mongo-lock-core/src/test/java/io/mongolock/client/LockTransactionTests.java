package io.mongolock.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.OnLost;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.HandOver;
import io.mongolock.store.LeaseControl;
import io.mongolock.store.LeaseEnd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TransactionLocks} and {@link LockCommitListener}.
 */
class LockTransactionTests {

	private static final LockRequest REQUEST = LockRequest.of("k");

	private final ScriptedStore store = new ScriptedStore();

	private final LockTemplate locks = new LockTemplate(this.store,
			new ClientOptions(ConfiguredSettings.NONE, new LockOwner("app", "1", "host", 42, ""), LockClock.system(),
					List.of())
				.withHandOver(new HandOver(Duration.ofHours(1), 100)));

	private final RecordingTransactionManager transactions = new RecordingTransactionManager();

	private final LockCommitListener listener = new LockCommitListener(
			(failure) -> failure.getMessage().equals("rolled back"));

	private final TransactionTemplate transaction = new TransactionTemplate(this.transactions);

	@Test
	void insideATransactionTheReleaseWaitsForItsCommit() {
		this.transaction.executeWithoutResult((status) -> {
			this.locks.execute(REQUEST, (handle) -> null);
			assertThat(this.store.count("release")).isZero();
		});
		assertThat(this.transactions.log).containsExactly("begin", "commit");
		assertThat(this.store.requests).last().asString().startsWith("release k");
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void insideATransactionTheReleasesOfSeveralWaitForItsCommit() {
		List<LockRequest> both = List.of(LockRequest.of("l"), REQUEST);
		this.transaction.executeWithoutResult((status) -> {
			this.locks.execute(both, (handle) -> null);
			assertThat(this.locks.executeAsync(both, (handle) -> CompletableFuture.completedFuture("shared")))
				.succeedsWithin(Duration.ofSeconds(30));
			assertThat(this.store.count("release")).isZero();
		});
		assertThat(this.transactions.log).containsExactly("begin", "commit");
		assertThat(this.store.count("acquire")).isEqualTo(2);
		assertThat(this.store.holders()).isZero();
	}

	@Test
	void anAsynchronousClaimOfSeveralSharesALockThatOnlyTheTransactionHolds() {
		this.transaction.executeWithoutResult((status) -> {
			this.locks.acquire(REQUEST).close();
			assertThat(this.locks.executeAsync(List.of(LockRequest.of("a"), REQUEST),
					(handle) -> CompletableFuture.completedFuture(handle.key())))
				.succeedsWithin(Duration.ofSeconds(30))
				.isEqualTo("k");
			assertThat(this.store.holder("a")).isEmpty();
			assertThat(this.store.holder("k")).isPresent();
		});
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void insideATransactionTheReleaseWaitsForItsRollback() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(
				() -> this.transaction.executeWithoutResult((status) -> this.locks.execute(REQUEST, (handle) -> {
					throw new IllegalStateException("mine");
				})))
			.withMessage("mine");
		assertThat(this.transactions.log).containsExactly("begin", "rollback");
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void insideATransactionTheHandOverWaitsForItsCommit() {
		LockHandle first = this.locks.acquire(REQUEST);
		CompletableFuture<LockHandle> queued = CompletableFuture
			.supplyAsync(() -> this.transaction.execute((status) -> {
				LockHandle handle = this.locks.acquire(REQUEST);
				// On a thread outside of the transaction, which would share the lock
				CompletableFuture<LockHandle> next = CompletableFuture
					.supplyAsync(() -> this.locks.acquireAsync(REQUEST))
					.join();
				handle.close();
				assertThat(next).isNotDone();
				assertThat(this.locks.waiting()).isEqualTo(1);
				return next;
			}), (task) -> new Thread(task).start())
			.thenCompose((next) -> next);
		Awaitility.await().until(() -> this.locks.waiting() == 1);
		first.close();
		assertThat(queued.join().fence()).isEqualTo(first.fence() + 2);
		assertThat(this.transactions.log).containsExactly("begin", "commit");
		assertThat(this.store.count("release")).as("the first one's").isEqualTo(1);
	}

	@Test
	void aSecondCallInTheSameTransactionSharesTheLock() {
		this.transaction.executeWithoutResult((status) -> {
			long first = this.locks.execute(REQUEST, (handle) -> handle.fence());
			long second = this.locks.execute(REQUEST, (handle) -> handle.fence());
			assertThat(second).isEqualTo(first);
		});
		assertThat(this.store.count("acquire")).isEqualTo(1);
		assertThat(this.store.count("release")).isEqualTo(1);
	}

	@Test
	void aTransactionOfItsOwnInsideReleasesAtItsOwnEnd() {
		TransactionTemplate requiresNew = new TransactionTemplate(this.transactions);
		requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.executeWithoutResult((outer) -> {
			requiresNew.executeWithoutResult((inner) -> this.locks.execute(REQUEST, (handle) -> null));
			assertThat(this.store.holder("k")).isEmpty();
			this.locks.execute(LockRequest.of("outer"), (handle) -> null);
			assertThat(this.store.holder("outer")).isPresent();
		});
		assertThat(this.store.holder("outer")).isEmpty();
	}

	@Test
	void aHandleClosedInsideItsTransactionIsReleasedAfterTheCommit() {
		this.transaction.executeWithoutResult((status) -> {
			this.locks.acquire(REQUEST).close();
			this.locks.tryAcquire(LockRequest.of("l")).orElseThrow().close();
			assertThat(this.store.holder("k")).isPresent();
			assertThat(this.store.holder("l")).isPresent();
		});
		assertThat(this.transactions.log).containsExactly("begin", "commit");
		assertThat(this.store.holder("k")).isEmpty();
		assertThat(this.store.holder("l")).isEmpty();
	}

	@Test
	void aHandleClosedOnAnotherThreadIsReleasedAfterTheCommitAllTheSame() {
		this.transaction.executeWithoutResult((status) -> {
			LockHandle handle = this.locks.acquire(REQUEST);
			CompletableFuture.runAsync(handle::close).join();
			assertThat(this.store.holder("k")).isPresent();
		});
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aHandleAcquiredBeforeTheTransactionAndClosedInsideIsReleasedAfterTheCommit() {
		LockHandle handle = this.locks.acquire(REQUEST);
		this.transaction.executeWithoutResult((status) -> {
			handle.close();
			assertThat(this.store.holder("k")).isPresent();
		});
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aHandleOfACallersTransactionClosedInANewOneIsReleasedAfterBoth() {
		TransactionTemplate requiresNew = new TransactionTemplate(this.transactions);
		requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.executeWithoutResult((outer) -> {
			LockHandle handle = this.locks.acquire(REQUEST);
			requiresNew.executeWithoutResult((inner) -> handle.close());
			assertThat(this.store.holder("k")).isPresent();
			this.locks.acquire(REQUEST).close();
			assertThat(this.store.count("acquire")).isEqualTo(1);
		});
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aHandleLeftOpenOutlivesItsTransaction() {
		LockHandle handle = this.transaction.execute((status) -> this.locks.acquire(REQUEST));
		assertThat(handle.isHeld()).isTrue();
		handle.close();
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aSecondClaimInTheSameTransactionSharesTheLockThoughItsHandleWasClosed() {
		this.transaction.executeWithoutResult((status) -> {
			this.locks.acquire(REQUEST).close();
			this.locks.acquire(REQUEST).close();
			this.locks.execute(REQUEST, (handle) -> null);
		});
		assertThat(this.store.count("acquire")).isEqualTo(1);
		assertThat(this.store.count("release")).isEqualTo(1);
	}

	@Test
	void aLockThatAStatementOfTheTransactionHasEndedIsClaimedAnew() {
		this.transaction.executeWithoutResult((status) -> {
			LockHandle first = this.locks.acquire(REQUEST);
			this.store.forget("k");
			((LeaseControl) first).end(LeaseEnd.RELEASED);
			this.locks.acquire(REQUEST).close();
			this.locks.acquire(REQUEST).close();
			assertThat(this.store.holder("k")).isPresent();
		});
		assertThat(this.store.count("acquire")).isEqualTo(2);
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aHandleThatIsLostRefusesTheCommitWhetherClosedOrNot() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.locks.acquire(REQUEST).close();
				lose();
			}));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.locks.acquire(REQUEST);
				lose();
			}));
		LockHandle before = this.locks.acquire(REQUEST);
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				before.close();
				lose();
			}));
		assertThat(this.transactions.log).containsExactly("begin", "rollback", "begin", "rollback", "begin",
				"rollback");
	}

	@Test
	void afterACommitOfUnknownFateAClosedHandlesLeaseIsLeftToRunOut() {
		this.transactions.setRollbackOnCommitFailure(false);
		this.transactions.failure = new TransactionSystemException("no answer");
		LockHandle before = this.locks.acquire(LockRequest.of("before"));
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.locks.acquire(REQUEST).close();
				before.close();
			}));
		assertThat(this.store.count("release")).isZero();
		assertThat(this.store.holder("k")).isPresent();
		assertThat(this.store.holder("before")).isPresent();
	}

	@Test
	void allLocksOfATransactionAreOneSynchronization() {
		this.transaction.executeWithoutResult((status) -> {
			for (int i = 0; i < 100; i++) {
				this.locks.execute(LockRequest.of("k" + i), (handle) -> null);
				this.locks.acquire(LockRequest.of("k" + i)).close();
			}
			assertThat(TransactionSynchronizationManager.getSynchronizations()).hasSize(1);
			assertThat(this.store.count("acquire")).isEqualTo(100);
		});
		assertThat(this.store.count("release")).isEqualTo(100);
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
	}

	@Test
	void aTransactionThatEndedElsewhereLeavesNothingToTheNext() {
		this.transaction.executeWithoutResult((status) -> {
			this.locks.acquire(REQUEST).close();
			List<TransactionSynchronization> all = TransactionSynchronizationManager.getSynchronizations();
			CompletableFuture
				.runAsync(() -> all.forEach((one) -> one.afterCompletion(TransactionSynchronization.STATUS_COMMITTED)))
				.join();
			assertThat(this.store.holder("k")).isEmpty();
			this.locks.acquire(REQUEST).close();
			assertThat(this.store.count("acquire")).isEqualTo(2);
		});
		assertThat(this.store.holder("k")).isEmpty();
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
	}

	@Test
	void aReleaseThatBreaksKeepsNoOtherLockOfTheTransaction() {
		this.store.next("release", (request) -> {
			throw new NoClassDefFoundError("from the test");
		});
		this.transaction.executeWithoutResult((status) -> {
			this.locks.execute(REQUEST, (handle) -> null);
			this.locks.execute(LockRequest.of("l"), (handle) -> null);
		});
		assertThat(this.store.holder("l")).isEmpty();
		assertThat(this.locks.held()).isZero();
	}

	@Test
	void afterACommitOfUnknownFateTheLeaseIsLeftToRunOut() {
		this.transactions.setRollbackOnCommitFailure(false);
		this.transactions.failure = new TransactionSystemException("no answer");
		assertThatExceptionOfType(TransactionSystemException.class).isThrownBy(
				() -> this.transaction.executeWithoutResult((status) -> this.locks.execute(REQUEST, (handle) -> null)));
		assertThat(this.store.count("release")).isZero();
		assertThat(this.store.holder("k")).isPresent();
	}

	@Test
	void afterACommitOfUnknownFateTheLeaseAroundTheTransactionIsLeftToRunOut() {
		this.transactions.setTransactionExecutionListeners(Set.of(this.listener));
		this.transactions.setRollbackOnCommitFailure(false);
		this.transactions.failure = new TransactionSystemException("no answer");
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> this.locks.execute(REQUEST, (handle) -> {
				this.transaction.executeWithoutResult((status) -> this.locks.execute(REQUEST, (shared) -> null));
				return null;
			}));
		assertThat(this.store.count("release")).isZero();
		assertThat(this.store.holder("k")).isPresent();
	}

	@Test
	void afterACommitThatIsKnownNotToLandTheLockAroundTheTransactionIsReleased() {
		this.transactions.setTransactionExecutionListeners(Set.of(this.listener));
		this.transactions.setRollbackOnCommitFailure(false);
		this.transactions.failure = new TransactionSystemException("rolled back");
		assertThatExceptionOfType(TransactionSystemException.class)
			.isThrownBy(() -> this.locks.execute(REQUEST, (handle) -> {
				this.transaction.executeWithoutResult((status) -> {
				});
				return null;
			}));
		assertThat(this.store.holder("k")).isEmpty();
	}

	@Test
	void aLeaseLeftToRunOutIsNotReleasedAtShutdownEither() {
		this.transactions.setTransactionExecutionListeners(Set.of(this.listener));
		this.transactions.setRollbackOnCommitFailure(false);
		this.transactions.failure = new TransactionSystemException("no answer");
		this.locks.execute(LockRequest.builder("k").onLost(OnLost.IGNORE).build(), (handle) -> {
			assertThatExceptionOfType(TransactionSystemException.class)
				.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				}));
			this.locks.stop(Duration.ofSeconds(1));
			return null;
		});
		assertThat(this.store.holder("k")).isPresent();
	}

	@Test
	void aLockLostInsideATransactionRefusesTheCommit() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.locks.execute(REQUEST, (handle) -> null);
				lose();
			}));
		assertThat(this.transactions.log).containsExactly("begin", "rollback");
	}

	@Test
	void aLockLostAroundATransactionRefusesTheCommit() {
		this.transactions.setTransactionExecutionListeners(Set.of(this.listener));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute(REQUEST, (handle) -> {
			this.transaction.executeWithoutResult((status) -> lose());
			return null;
		}));
		assertThat(this.transactions.log).containsExactly("begin", "rollback");
	}

	@Test
	void aLossToBeIgnoredRefusesNothing() {
		this.transactions.setTransactionExecutionListeners(Set.of(this.listener));
		LockRequest request = LockRequest.builder("k").onLost(OnLost.IGNORE).build();
		this.locks.execute(request, (handle) -> {
			this.transaction.executeWithoutResult((status) -> lose());
			return null;
		});
		this.transaction.executeWithoutResult((status) -> {
			this.locks.execute(request, (handle) -> null);
			lose();
		});
		assertThat(this.transactions.log).containsExactly("begin", "commit", "begin", "commit");
	}

	@Test
	void withoutALockNoCommitIsRefused() {
		this.transactions.setTransactionExecutionListeners(Set.of(this.listener));
		this.transaction.executeWithoutResult((status) -> {
		});
		assertThat(this.transactions.log).containsExactly("begin", "commit");
	}

	private void lose() {
		this.store.forget("k");
		this.locks.stop(Duration.ofSeconds(1));
		this.locks.start();
	}

	private static final class RecordingTransactionManager extends AbstractPlatformTransactionManager {

		private final List<String> log = new ArrayList<>();

		private RuntimeException failure;

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected Object doSuspend(Object transaction) {
			return transaction;
		}

		@Override
		protected void doResume(Object transaction, Object suspended) {
		}

		@Override
		protected boolean isExistingTransaction(Object transaction) {
			return this.log.lastIndexOf("begin") > Math.max(this.log.lastIndexOf("commit"),
					this.log.lastIndexOf("rollback"));
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.log.add("begin");
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.log.add("commit");
			if (this.failure != null) {
				throw this.failure;
			}
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			this.log.add("rollback");
		}

		@Override
		protected void doSetRollbackOnly(DefaultTransactionStatus status) {
		}

	}

}
