package io.mongolock.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.LockLostException;
import io.mongolock.core.HeldLock;
import io.mongolock.store.KeyText;

/**
 * The locks of one client that a transaction relies on. Each lock is kept until the
 * transaction has ended, even if its handles are closed before, so that the next holder
 * sees the writes under the lock. Each client binds one such resource to the transaction.
 * Belongs to the thread of the transaction.
 */
final class TransactionLocks implements TransactionSynchronization {

	private static final Log logger = LogFactory.getLog(TransactionLocks.class);

	private final HoldRegistry holds;

	private final Set<HeldLock> shared = Collections.synchronizedSet(new LinkedHashSet<>());

	private volatile boolean over;

	private TransactionLocks(HoldRegistry holds) {
		this.holds = holds;
	}

	/**
	 * Let the current transaction rely on a lock, if the thread works inside a
	 * transaction.
	 */
	static void keep(HoldRegistry holds, HeldLock heldLock) {
		if (TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionLocks current = current(holds);
			((current != null) ? current : begin(holds)).add(heldLock);
		}
	}

	/**
	 * The lock of a key that the current transaction relies on.
	 * @return the lock, or {@code null} if there is none
	 */
	static @Nullable HeldLock find(HoldRegistry holds, String key) {
		return all(holds).stream().filter((heldLock) -> heldLock.key().equals(key)).findFirst().orElse(null);
	}

	/**
	 * All locks that the current transaction relies on, the latest first.
	 */
	static List<HeldLock> all(HoldRegistry holds) {
		TransactionLocks current = current(holds);
		List<HeldLock> all = new ArrayList<>((current != null) ? current.shared : List.of());
		all.removeIf((heldLock) -> heldLock.state().isEndedByOthers());
		Collections.reverse(all);
		return all;
	}

	private static @Nullable TransactionLocks current(HoldRegistry holds) {
		TransactionLocks bound = (TransactionLocks) TransactionSynchronizationManager.getResource(holds);
		if (bound != null && bound.over) {
			// The transaction ended on another thread, as a JTA transaction may
			TransactionSynchronizationManager.unbindResource(holds);
			return null;
		}
		return bound;
	}

	private static TransactionLocks begin(HoldRegistry holds) {
		TransactionLocks locks = new TransactionLocks(holds);
		TransactionSynchronizationManager.registerSynchronization(locks);
		TransactionSynchronizationManager.bindResource(holds, locks);
		return locks;
	}

	private void add(HeldLock heldLock) {
		if (!this.shared.contains(heldLock) && heldLock.state().add()) {
			this.shared.add(heldLock);
			if (this.over && this.shared.remove(heldLock)) {
				// The transaction ended meanwhile, on another thread
				letGo(heldLock);
			}
		}
	}

	@Override
	public void suspend() {
		TransactionSynchronizationManager.unbindResourceIfPossible(this.holds);
	}

	@Override
	public void resume() {
		suspend();
		TransactionSynchronizationManager.bindResource(this.holds, this);
	}

	/**
	 * Refuse the commit of work whose lock was lost, even if its handle was closed.
	 * @param readOnly whether the transaction only reads
	 * @throws LockLostException if a lock was lost; the exception rolls the transaction
	 * back
	 */
	@Override
	public void beforeCommit(boolean readOnly) {
		this.shared.forEach((heldLock) -> heldLock.state().assertMayCommit(this.holds.now()));
	}

	@Override
	public void afterCompletion(int status) {
		this.over = true;
		TransactionSynchronizationManager.unbindResourceIfPossible(this.holds);
		List<HeldLock> kept = List.copyOf(this.shared);
		if (status == STATUS_UNKNOWN) {
			// The commit may still take effect, so no other holder may begin before the
			// lease has run out
			kept.forEach((heldLock) -> heldLock.state().letExpire());
		}
		kept.stream().filter(this.shared::remove).forEach(this::letGo);
	}

	private void letGo(HeldLock heldLock) {
		try {
			this.holds.unshare(heldLock);
		}
		catch (LockLostException ex) {
			// No caller can act on this any more, and the loss was published when it
			// happened
			logger.warn("A lost lock was noticed only after the end of the transaction: " + ex.getMessage());
		}
		catch (RuntimeException | Error ex) {
			// No caller can act on this, either, and other locks must still be released
			logger.error("Lock '" + KeyText.printable(heldLock.key())
					+ "' could not be released after the end of the transaction, so it stays taken until its lease "
					+ "runs out", ex);
		}
	}

}
