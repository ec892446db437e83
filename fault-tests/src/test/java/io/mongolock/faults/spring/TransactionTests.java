package io.mongolock.faults.spring;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.RecordingLockListener;
import io.mongolock.faults.harness.StartsApplication;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Rows 33 and 34: locks and transactions of JDBC. Nobody else gets a lock before the
 * transaction that wrote under it has ended, and none commits under a lost lock.
 */
@Timeout(120)
@StartsApplication
class TransactionTests {

	private static final int INSTANCES = 2;

	private static final int CALLS = 40;

	@AutoClose
	private static final SpringApp app = new SpringApp(Ledger.App.class, "mongo-lock.renew-interval=100ms");

	private final String account = ledger().open();

	private final String key = Ledger.key(this.account);

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 33, level = Level.SPRING)
	void theLockIsHeldUntilTheOutermostCommit(Way way) {
		way.run(this, this::assertHeld, this::assertHeld);
		assertFree();
		assertThat(balance()).isOne();
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 33, level = Level.SPRING)
	void theLockIsHeldUntilTheOutermostRollback(Way way) {
		assertThatIllegalStateException().isThrownBy(() -> way.run(this, this::assertHeld, () -> {
			assertHeld();
			throw new IllegalStateException("mine");
		})).withMessage("mine").withNoCause();
		assertFree();
		assertThat(balance()).isEqualTo(way.committedBefore());
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 33, level = Level.SPRING)
	void aLockWhoseCommitHasNoAnswerIsNotReleasedButRunsOut(Way way) {
		assertThatException().isThrownBy(() -> way.run(this, this::loseNextCommitAnswer, this::assertHeld))
			.satisfies((ex) -> assertThat(ex).isNotInstanceOf(AssertionError.class));
		assertThat(balance()).isOne();
		long fence = app.other().holder(this.key).orElseThrow().fence();
		assertThat(app.other().seesHeld(this.key)).isTrue();
		try (LockHandle next = await().atMost(Harness.LONG).until(() -> {
			// again, as a renewal that was underway may have been executed after the step
			app.harness().clock().step(SpringApp.TTL);
			return app.other().claim(this.key);
		}, Optional::isPresent).orElseThrow()) {
			assertThat(next.fence()).isGreaterThan(fence);
		}
	}

	@ParameterizedTest
	@EnumSource
	@ShowsRow(value = 34, level = Level.SPRING)
	void aLockThatIsLostBeforeTheCommitRollsBack(Way way) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> way.run(this, this::assertHeld, this::lose))
			.withMessageContaining(this.key);
		assertThat(balance()).isEqualTo(way.committedBefore());
		assertThat(app.other().holder(this.key)).as("the new holder's").isPresent();
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aLockTakenInsideANewTransactionIsGivenBackAtItsEnd() {
		inTransaction((outer) -> {
			inTransaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW, (inner) -> {
				ledger().add(this.account, this::assertHeld);
				assertHeld();
			});
			assertFree();
			outer.setRollbackOnly();
		});
		assertThat(balance()).isOne();
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aNestedTransactionRolledBackToItsSavepointKeepsTheLockUntilTheOuterEnd() {
		inTransaction((outer) -> {
			assertThatIllegalStateException().isThrownBy(() -> ledger().addInNestedTransaction(this.account, () -> {
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
		try (ConfigurableApplicationContext second = SpringApp.start(app.uri(), Ledger.App.class)) {
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
		figures.server(RowFigures.EMBEDDED).add("calls", calls.size());
		figures.add("reads before commit", calls.size() - balance());
		assertThat(balance()).isEqualTo(INSTANCES * CALLS);
	}

	SpringApp app() {
		return app;
	}

	Ledger ledger() {
		return app.bean(Ledger.class);
	}

	String account() {
		return this.account;
	}

	String key() {
		return this.key;
	}

	void inTransaction(Consumer<TransactionStatus> work) {
		inTransaction(TransactionDefinition.PROPAGATION_REQUIRED, work);
	}

	void inTransaction(int propagation, Consumer<TransactionStatus> work) {
		TransactionTemplate template = new TransactionTemplate(app.bean(PlatformTransactionManager.class));
		template.setPropagationBehavior(propagation);
		template.executeWithoutResult(work);
	}

	private void loseNextCommitAnswer() {
		app.bean(Ledger.Transactions.class).loseNextCommitAnswer();
	}

	private void lose() {
		app.other().steal(this.key);
		await().atMost(Harness.LONG)
			.until(() -> app.bean(RecordingLockListener.class)
				.losses()
				.stream()
				.anyMatch((loss) -> loss.key().equals(this.key)));
	}

	private void assertHeld() {
		assertThat(app.other().seesHeld(this.key)).isTrue();
	}

	private void assertFree() {
		// Looked at before it is asked for, because the release of what is asked for may
		// be late
		assertThat(app.other().holder(this.key)).isEmpty();
		assertThat(app.other().seesHeld(this.key)).isFalse();
	}

	private long balance() {
		return ledger().balance(this.account);
	}

}
