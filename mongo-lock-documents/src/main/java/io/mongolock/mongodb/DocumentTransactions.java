package io.mongolock.mongodb;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;

import com.mongodb.client.ClientSession;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.mongodb.TransactionKeeper.Begun;
import io.mongolock.store.LeaseId;
import io.mongolock.store.mongo.StoreFailures;

/**
 * Has each transaction keep the documents that its thread has locked before, and refuses
 * the commit of one that works under a lock which is gone. To be added to the
 * application's transaction managers, and given to {@link DocumentLockOperations}.
 * Thread-safe: what a thread has locked belongs to that thread, what the claims of a
 * lease share is found under the monitor.
 */
public final class DocumentTransactions implements TransactionExecutionListener {

	/** Weak, because a handle that nobody closes has to be noticed. */
	private final ThreadLocal<@Nullable Map<HeldDocument<?>, TransactionKeeper>> locked = new ThreadLocal<>();

	private final Map<LeaseId, WeakReference<Keeping>> keepings = new ConcurrentHashMap<>();

	/** For the time between the two events of a begin. */
	private final ThreadLocal<@Nullable Set<Object>> inherited = new ThreadLocal<>();

	void locked(HeldDocument<?> document, TransactionKeeper keeper) {
		Map<HeldDocument<?>, TransactionKeeper> documents = this.locked.get();
		if (documents == null) {
			documents = new WeakHashMap<>();
			this.locked.set(documents);
		}
		documents.keySet().removeIf(HeldDocument::isOver);
		documents.put(document, keeper);
	}

	/**
	 * What the claims of a lease share.
	 * @param lease the lease
	 * @return the same for all, as long as one of them is there
	 */
	synchronized Keeping keeping(LeaseId lease) {
		this.keepings.values().removeIf((keeping) -> keeping.get() == null);
		WeakReference<Keeping> known = this.keepings.get(lease);
		Keeping shared = (known != null) ? known.get() : null;
		if (shared == null) {
			shared = new Keeping();
			this.keepings.put(lease, new WeakReference<>(shared));
		}
		return shared;
	}

	/**
	 * Whether a transaction keeps the lock of a key.
	 * @param key the key
	 * @param transaction the transaction
	 * @return whether it does
	 */
	boolean isKept(String key, ClientSession transaction) {
		return this.keepings.entrySet()
			.stream()
			.filter((one) -> one.getKey().key().equals(key))
			.map((one) -> one.getValue().get())
			.anyMatch((keeping) -> keeping != null && keeping.isKeptBy(transaction));
	}

	/**
	 * Look which transactions of MongoDB the one that begins is to be part of.
	 * @param transaction the transaction
	 */
	@Override
	public void beforeBegin(TransactionExecution transaction) {
		this.inherited.set(InheritedSessions.bound());
	}

	/**
	 * Refuse the commit of what was done under a lock that is gone, unless the
	 * transaction only reads.
	 * @param transaction the transaction
	 * @throws io.mongolock.LockLostException which rolls the transaction back
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		Map<HeldDocument<?>, TransactionKeeper> documents = this.locked.get();
		if (documents == null) {
			return;
		}
		// Also because this commit, if it fails, says nothing of one before
		documents.keySet().removeIf((document) -> document.isOver() || document.isUndecided());
		if (!transaction.isReadOnly()) {
			List.copyOf(documents.keySet()).forEach(HeldDocument::assertMayCommit);
		}
	}

	/**
	 * Release what was left to run out because the commit failed, if MongoDB itself has
	 * refused that.
	 * @param transaction the transaction
	 * @param commitFailure why it was not committed, or why that is unknown, if so
	 */
	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		Map<HeldDocument<?>, TransactionKeeper> documents = this.locked.get();
		if (documents != null && commitFailure != null && StoreFailures.isRolledBack(commitFailure)) {
			documents.forEach((document, keeper) -> keeper.rolledBack(document, commitFailure));
		}
	}

	/**
	 * Have the transaction keep what its thread has locked, unless it only reads. If that
	 * fails, the transaction's next statement says so, or its commit.
	 * @param transaction the transaction
	 * @param beginFailure why it could not begin, if so
	 */
	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		Set<Object> inherited = this.inherited.get();
		this.inherited.remove();
		if (beginFailure == null && inherited != null && !inherited.isEmpty()
				&& TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(new InheritedSessions(inherited));
		}
		Map<HeldDocument<?>, TransactionKeeper> documents = this.locked.get();
		if (documents == null) {
			return;
		}
		documents.keySet().removeIf(HeldDocument::isOver);
		if (documents.isEmpty()) {
			this.locked.remove();
		}
		else if (beginFailure == null && !transaction.isReadOnly()) {
			try {
				keep(documents);
			}
			catch (RuntimeException ex) {
				// Spring would leave the transaction open on the thread
				TransactionKeeper.refuse(ex);
			}
		}
	}

	private static void keep(Map<HeldDocument<?>, TransactionKeeper> documents) {
		// The renewal of the first one opens the snapshot, which any of the others in
		// the background would fail
		List<Begun> begun = List.copyOf(documents.entrySet())
			.stream()
			.flatMap((one) -> one.getValue().begin(one.getKey()).stream())
			.toList();
		begun.forEach(Begun::awaitRenewals);
		begun.forEach(Begun::renew);
	}

}
