package io.mongolock.client;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

import io.mongolock.LockContext;
import io.mongolock.LockLostException;

/**
 * Refuses the commit of a transaction that works under a lock which was lost, and so has
 * it rolled back. If nobody knows how a transaction has ended, leaves the locks that it
 * works under to their leases. Safe for use by several threads.
 */
public final class LockCommitListener implements TransactionExecutionListener {

	/**
	 * Check the locks that the current thread works under.
	 * @param transaction the transaction about to be committed
	 * @throws LockLostException if one was lost whose request does not say to ignore that
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		forEachLock(LeaseHandle::assertMayCommit);
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		ended(commitFailure);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		ended(rollbackFailure);
	}

	private static void ended(@Nullable Throwable failure) {
		if (failure != null) {
			// The commit may still land: until the leases have run out nobody else may
			// start
			forEachLock(LeaseHandle::letLapse);
		}
	}

	private static void forEachLock(Consumer<LeaseHandle> action) {
		LockContext.find((handle) -> {
			if (handle instanceof LeaseHandle lease) {
				action.accept(lease);
			}
			return false;
		});
	}

}
