package io.mongolock.faults.spring;

import java.time.Duration;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.LockHandle;
import io.mongolock.faults.harness.StartsApplication;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * It is unknown whether the commit happened: the lock is not released, but runs out.
 */
@Timeout(120)
@StartsApplication
class AmbiguousCommitTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@AutoClose
	private static final LedgerFixture app = new LedgerFixture("ambiguous");

	private final String account = app.openAccount();

	private final String key = Ledger.key(this.account);

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aLockTakenInsideTheTransactionRunsOut() {
		assertRunsOut(() -> app.inTransaction((status) -> app.ledger().add(this.account, this::loseNextCommitAnswer)));
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aLockTakenAroundTheTransactionRunsOut() {
		assertRunsOut(() -> app.ledger().addInTransaction(this.account, this::loseNextCommitAnswer));
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aLockTakenAroundAndSharedInsideTheTransactionRunsOut() {
		assertRunsOut(() -> app.ledger()
			.guard(this.account,
					() -> app.inTransaction((status) -> app.ledger().add(this.account, this::loseNextCommitAnswer))));
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aLockOfANewTransactionRunsOutThoughTheCallersIsRolledBack() {
		assertRunsOut(() -> app
			.inTransaction((status) -> app.ledger().addInNewTransaction(this.account, this::loseNextCommitAnswer)));
	}

	@Test
	@ShowsRow(value = 33, level = Level.SPRING)
	void aLockOfANestedTransactionRunsOut() {
		assertRunsOut(() -> app
			.inTransaction((status) -> app.ledger().addInNestedTransaction(this.account, this::loseNextCommitAnswer)));
	}

	private void loseNextCommitAnswer() {
		app.bean(AmbiguousDataSource.class).loseNextCommitAnswer();
	}

	private void assertRunsOut(Runnable call) {
		assertThatException().isThrownBy(call::run)
			.satisfies((ex) -> assertThat(ex).isNotInstanceOf(AssertionError.class));
		long fence = app.other().holder(this.key).orElseThrow().fence();
		assertThat(app.other().seesHeld(this.key)).isTrue();
		try (LockHandle next = app.other().claim(this.key, LONG).orElseThrow()) {
			assertThat(next.fence()).isGreaterThan(fence);
			assertThat(app.ledger().balance(this.account)).isPositive();
		}
	}

}
