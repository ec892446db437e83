package io.mongolock.client;

import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import io.mongolock.LockLostException;

/**
 * Refuses the commit of a transaction that works under a lock which was lost, and so has
 * it rolled back. Does not let the lock of a transaction be released whose end is
 * unknown. Thread-safe.
 */
public final class LockCommitListener implements TransactionExecutionListener {

	private final Predicate<Throwable> rolledBack;

	/**
	 * Create a listener.
	 * @param rolledBack whether the failure of a commit says that it will not land
	 */
	public LockCommitListener(Predicate<Throwable> rolledBack) {
		this.rolledBack = rolledBack;
	}

	/**
	 * Check the locks that the current thread works under.
	 * @throws LockLostException if one was lost whose request does not say to ignore that
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		LockHandles.ofThread().forEach(LeaseHandle::assertMayCommit);
	}

	/**
	 * Leave the locks that the current thread works under to their leases if the commit
	 * may still land.
	 * @param commitFailure why it was not committed, or why that is unknown, if so
	 */
	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		if (commitFailure == null || !this.rolledBack.test(commitFailure)) {
			letExpireAfter(commitFailure);
		}
	}

	/**
	 * Leave the locks that the current thread works under to their leases if the rollback
	 * failed: it may have followed a commit without an answer.
	 * @param rollbackFailure why it is unknown whether it was rolled back, if so
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
