package io.mongolock.client;

import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import io.mongolock.LockLostException;

/**
 * Refuses the commit of a transaction that works under a lost lock, so that the
 * transaction is rolled back. If the end of a transaction is unknown, its locks are not
 * released. Thread-safe.
 */
public final class LockCommitListener implements TransactionExecutionListener {

	private final Predicate<Throwable> rolledBack;

	/**
	 * Create a listener.
	 * @param rolledBack whether the failure of a commit shows that the commit will not
	 * take effect
	 */
	public LockCommitListener(Predicate<Throwable> rolledBack) {
		this.rolledBack = rolledBack;
	}

	/**
	 * Check the locks that the current thread works under.
	 * @throws LockLostException if a lock was lost, unless its request says to ignore
	 * that
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		LockHandles.ofThread().forEach(LeaseHandle::assertMayCommit);
	}

	/**
	 * If the commit may still take effect, do not release the locks that the current
	 * thread works under, and let their leases run out.
	 * @param commitFailure why the transaction was not committed, or why this is unknown;
	 * {@code null} if it was committed
	 */
	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		if (commitFailure == null || !this.rolledBack.test(commitFailure)) {
			letExpireAfter(commitFailure);
		}
	}

	/**
	 * If the rollback failed, do not release the locks that the current thread works
	 * under, and let their leases run out. The rollback may have followed a commit
	 * without an answer.
	 * @param rollbackFailure why it is unknown whether the transaction was rolled back;
	 * {@code null} if it was rolled back
	 */
	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		letExpireAfter(rollbackFailure);
	}

	private static void letExpireAfter(@Nullable Throwable failure) {
		if (failure != null) {
			LockHandles.ofThread().forEach((lease) -> lease.heldLock().state().letExpire());
		}
	}

}
