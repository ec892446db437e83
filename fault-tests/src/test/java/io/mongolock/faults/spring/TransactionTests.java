package io.mongolock.faults.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.faults.harness.StartsApplication;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks and transactions of JDBC: nobody else gets a lock before the transaction that
 * wrote under it has ended.
 */
@Timeout(120)
@StartsApplication
class TransactionTests {

	private static final int INSTANCES = 2;

	private static final int CALLS = 40;

	@AutoClose
	private static final LedgerFixture app = new LedgerFixture("transactions");

	private final String account = app.openAccount();

	private final String key = Ledger.key(this.account);

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aMethodOfItsOwnTransactionHoldsTheLockUntilItsCommit() {
		app.ledger().addInTransaction(this.account, this::assertHeld);
		assertFree();
		assertThat(balance()).isOne();
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aMethodThatIsRolledBackGivesTheLockBack() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> app.ledger().addInTransaction(this.account, () -> {
				assertHeld();
				throw new IllegalStateException("mine");
			}))
			.withMessage("mine")
			.withNoCause();
		assertFree();
		assertThat(balance()).isZero();
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void insideACallersTransactionTheLockIsHeldUntilItsCommit() {
		app.inTransaction((status) -> {
			app.ledger().addInTransaction(this.account, this::assertHeld);
			assertHeld();
			app.ledger().add(this.account, this::assertHeld);
			assertHeld();
		});
		assertFree();
		assertThat(balance()).isEqualTo(2);
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aHandleClosedInsideATransactionIsHeldUntilItsCommit() {
		app.inTransaction((status) -> {
			app.bean(LockOperations.class).acquire(LockRequest.of(this.key)).close();
			assertHeld();
		});
		assertFree();
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void insideACallersTransactionTheLockIsHeldUntilItsRollback() {
		app.inTransaction((status) -> {
			app.ledger().addInTransaction(this.account, this::assertHeld);
			status.setRollbackOnly();
			assertHeld();
		});
		assertFree();
		assertThat(balance()).isZero();
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aMethodWithANewTransactionInsideACallersKeepsTheLockUntilTheCallersEnd() {
		app.inTransaction((status) -> {
			app.ledger().addInNewTransaction(this.account, this::assertHeld);
			assertHeld();
			status.setRollbackOnly();
		});
		assertFree();
		assertThat(balance()).isOne();
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aLockTakenInsideANewTransactionIsGivenBackAtItsEnd() {
		app.inTransaction((outer) -> {
			app.inTransaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW, (inner) -> {
				app.ledger().add(this.account, this::assertHeld);
				assertHeld();
			});
			assertFree();
			outer.setRollbackOnly();
		});
		assertThat(balance()).isOne();
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aNestedTransactionKeepsTheLockUntilTheOuterCommit() {
		app.inTransaction((outer) -> {
			app.ledger().addInNestedTransaction(this.account, this::assertHeld);
			assertHeld();
		});
		assertFree();
		assertThat(balance()).isOne();
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aNestedTransactionRolledBackToItsSavepointKeepsTheLockUntilTheOuterEnd() {
		app.inTransaction((outer) -> {
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> app.ledger().addInNestedTransaction(this.account, () -> {
					throw new IllegalStateException("mine");
				}));
			assertHeld();
		});
		assertFree();
		assertThat(balance()).isZero();
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void nextHoldersOfSeveralInstancesReadNothingBeforeItsCommit(RowFigures figures) {
		List<CompletableFuture<Void>> calls = new ArrayList<>();
		ExecutorService threads = Executors.newFixedThreadPool(2 * INSTANCES);
		try (ConfigurableApplicationContext second = app.start("transactions")) {
			for (ConfigurableApplicationContext context : List.of(app.context(), second)) {
				TransactionTemplate callers = new TransactionTemplate(
						context.getBean(PlatformTransactionManager.class));
				Ledger ledger = context.getBean(Ledger.class);
				for (int i = 0; i < CALLS; i++) {
					Runnable call = (i % 2 == 0) ? () -> ledger.addInTransaction(this.account, Thread::yield)
							: () -> callers.executeWithoutResult((status) -> ledger.add(this.account, Thread::yield));
					calls.add(CompletableFuture.runAsync(call, threads));
				}
			}
			CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).join();
		}
		finally {
			threads.shutdownNow();
		}
		figures.server(RowFigures.EMBEDDED)
			.add("calls", calls.size())
			.add("reads before commit", calls.size() - balance());
		assertThat(balance()).isEqualTo(INSTANCES * CALLS);
	}

	private void assertHeld() {
		assertThat(app.other().seesHeld(this.key)).isTrue();
	}

	private void assertFree() {
		// looked at before it is asked for, as the release of what is asked for may be
		// late
		assertThat(app.other().holder(this.key)).isEmpty();
		assertThat(app.other().seesHeld(this.key)).isFalse();
	}

	private long balance() {
		return app.ledger().balance(this.account);
	}

}
