package io.mongolock.client;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.LockLostException;

/**
 * Keeps a lock that was taken inside a transaction until that has ended, so that the next
 * holder sees what it wrote. Belongs to the transaction's thread.
 */
final class ReleaseAfterTransaction implements TransactionSynchronization {

	private final LeaseHandle handle;

	private ReleaseAfterTransaction(LeaseHandle handle) {
		this.handle = handle;
	}

	/**
	 * Whether the current thread works inside a transaction.
	 * @return whether {@link #register} may be called
	 */
	static boolean isInTransaction() {
		return TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive();
	}

	/**
	 * Leave the release to the end of the current transaction.
	 * @param handle the lock, not closed by anyone else
	 */
	static void register(LeaseHandle handle) {
		TransactionSynchronizationManager.registerSynchronization(new ReleaseAfterTransaction(handle));
	}

	/**
	 * The lock that an earlier call inside the same transaction took.
	 * @param heldLocks what the client holds
	 * @param key the key
	 * @return its handle, or {@code null} if there is none
	 */
	static @Nullable LeaseHandle find(HeldLocks heldLocks, String key) {
		List<TransactionSynchronization> all = (TransactionSynchronizationManager.isSynchronizationActive())
				? TransactionSynchronizationManager.getSynchronizations() : List.of();
		for (TransactionSynchronization one : all) {
			if (one instanceof ReleaseAfterTransaction release && release.handle.isFor(heldLocks, key)) {
				return release.handle;
			}
		}
		return null;
	}

	/**
	 * Refuse the commit of work whose lock is gone.
	 * @param readOnly whether the transaction only reads
	 * @throws LockLostException which rolls the transaction back
	 */
	@Override
	public void beforeCommit(boolean readOnly) {
		this.handle.assertMayCommit();
	}

	@Override
	public void afterCompletion(int status) {
		if (status == STATUS_UNKNOWN) {
			// The commit may still land: until the lease has run out nobody else may
			// start
			this.handle.letExpire();
		}
		this.handle.closeQuietly();
	}

}
