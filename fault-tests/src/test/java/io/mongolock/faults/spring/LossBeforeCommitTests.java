package io.mongolock.faults.spring;

import java.time.Duration;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.transaction.TransactionDefinition;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.faults.harness.StartsApplication;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.ShowsRow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A lock that is lost before the commit: what was written under it is rolled back.
 */
@Timeout(120)
@StartsApplication
class LossBeforeCommitTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	@AutoClose
	private static final LedgerFixture app = new LedgerFixture("losses");

	private final String account = app.openAccount();

	private final String key = Ledger.key(this.account);

	@Test
	@ShowsRow(value = 34, level = Level.SPRING)
	void theMethodsOwnTransactionIsRolledBack() {
		assertRolledBack(() -> app.ledger().addInTransaction(this.account, this::lose));
	}

	@Test
	@ShowsRow(value = 34, level = Level.SPRING)
	void theCallersTransactionIsRolledBack() {
		assertRolledBack(() -> app.inTransaction((status) -> {
			app.ledger().add(this.account, () -> {
			});
			lose();
		}));
	}

	@Test
	@ShowsRow(value = 34, level = Level.SPRING)
	void aTransactionAnywhereUnderTheLockIsRolledBack() {
		assertRolledBack(() -> app.ledger()
			.guard(this.account,
					() -> app.inTransaction((status) -> app.ledger().addInTransaction(this.account, this::lose))));
	}

	@Test
	@ShowsRow(value = 34, level = Level.SPRING)
	void aNewTransactionUnderTheLockIsRolledBackAndSoIsTheCallers() {
		assertRolledBack(() -> app.inTransaction((status) -> {
			app.ledger().add(this.account, () -> {
			});
			app.inTransaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED, (none) -> lose());
		}));
	}

	@Test
	@ShowsRow(value = 34, level = Level.SPRING)
	void theTransactionOfAHandleThatWasClosedIsRolledBack() {
		assertRolledBack(() -> app.inTransaction((status) -> {
			LockHandle handle = app.bean(LockOperations.class).acquire(LockRequest.of(this.key));
			app.ledger().add(this.account, () -> {
			});
			handle.close();
			lose();
		}));
	}

	private void lose() {
		app.other().steal(this.key);
		await().atMost(LONG).until(() -> app.bean(LedgerApp.Losses.class).contains(this.key));
	}

	private void assertRolledBack(Runnable call) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(call::run).withMessageContaining(this.key);
		assertThat(app.ledger().balance(this.account)).isZero();
		// the new holder's lock is untouched
		assertThat(app.other().holder(this.key)).isPresent();
	}

}
