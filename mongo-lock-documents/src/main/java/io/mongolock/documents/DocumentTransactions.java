package io.mongolock.documents;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.spi.TransactionListenerRegistrar;
import io.mongolock.store.mongo.StoreFailures;

/**
 * Knows the documents that each thread has locked, and decides which of them a
 * transaction keeps. A nested call thus gets the same {@link LockedDocument}. Each
 * transaction of a {@code MongoTransactionManager} keeps the locks that its thread took
 * before. A transaction that works under a lost lock cannot commit. As a bean, this class
 * hears of the transactions of all transaction managers, which call it on the
 * transaction's thread. {@link DocumentLockOperations} get it as well. Thread-safe.
 */
public final class DocumentTransactions implements TransactionExecutionListener, BeanPostProcessor {

	/** Weak references, so that a handle that is never closed can be noticed. */
	private final ThreadLocal<Set<HeldDocument<?>>> documents = ThreadLocal
		.withInitial(() -> Collections.newSetFromMap(new WeakHashMap<>()));

	/** The factories before a begin, kept between the two events of the begin. */
	private final ThreadLocal<@Nullable Set<Object>> around = new ThreadLocal<>();

	/**
	 * Adds this listener only once to each manager. If it heard of a begin twice, it
	 * would take the surrounding transaction for the new one.
	 */
	private final TransactionListenerRegistrar registrar = new TransactionListenerRegistrar(this);

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return this.registrar.postProcessAfterInitialization(bean, beanName);
	}

	/**
	 * Note that this thread works on a document from now on.
	 * @param held the document
	 */
	void add(HeldDocument<?> held) {
		Set<HeldDocument<?>> here = this.documents.get();
		here.removeIf(HeldDocument::isDone);
		here.add(held);
	}

	private List<HeldDocument<?>> here() {
		Set<HeldDocument<?>> here = this.documents.get();
		here.removeIf(HeldDocument::isDone);
		if (here.isEmpty()) {
			this.documents.remove();
		}
		return List.copyOf(here);
	}

	private Stream<HeldDocument<?>> here(String key, LockedType<?> type) {
		return here().stream().filter((held) -> held.key().equals(key) && held.type().isBeside(type));
	}

	/**
	 * Find a document that this thread has locked and not closed, if it is still locked.
	 * @param key the key of the lock
	 * @param type a type whose documents are in the same database
	 * @return the document, for nested code
	 */
	Optional<HeldDocument<?>> find(String key, LockedType<?> type) {
		return here(key, type).filter((held) -> held.isOfThread() && held.isOpen() && held.isTaken()).findFirst();
	}

	/**
	 * Whether a transaction of this thread, suspended or not, has written a document.
	 * @param key the key of its lock
	 * @param type a type whose documents are in the same database
	 * @return whether a write of this thread outside of the transaction would wait for
	 * its end
	 */
	boolean isWritten(String key, LockedType<?> type) {
		return here(key, type).anyMatch(HeldDocument::isWrittenByThread);
	}

	/**
	 * Note the factories of surrounding transactions, to which the new transaction does
	 * not belong.
	 * @param transaction the transaction
	 */
	@Override
	public void beforeBegin(TransactionExecution transaction) {
		this.around.set(factories());
	}

	/**
	 * Have the new transaction keep the locks of its thread, unless it is read-only or
	 * not one of MongoDB's. If that fails, the transaction's next statement or its commit
	 * reports this.
	 * @param transaction the transaction
	 * @param beginFailure why it could not begin, {@code null} if it has begun
	 */
	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		Set<Object> around = Objects.requireNonNullElse(this.around.get(), Set.of());
		this.around.remove();
		if (beginFailure != null || !TransactionSynchronizationManager.isSynchronizationActive()) {
			return;
		}
		Set<Object> begun = new HashSet<>(factories());
		begun.removeAll(around);
		if (begun.isEmpty()) {
			return;
		}
		DocumentTransaction own = new DocumentTransaction(begun);
		TransactionSynchronizationManager.registerSynchronization(own);
		if (!transaction.isReadOnly()) {
			try {
				own.keep(here().stream().filter((held) -> isKeptUnasked(held) && own.isOf(held.template())).toList());
			}
			catch (RuntimeException ex) {
				// Not thrown, because Spring would leave the transaction open on the
				// thread
				own.refuse(ex);
			}
		}
	}

	// Requests by ticket run on any thread, so a transaction does not keep their locks
	// unasked
	private static boolean isKeptUnasked(HeldDocument<?> held) {
		return held.isOfThread() && !held.isResumed();
	}

	private static Set<Object> factories() {
		return TransactionSynchronizationManager.getResourceMap()
			.keySet()
			.stream()
			.filter(MongoDatabaseFactory.class::isInstance)
			.collect(Collectors.toSet());
	}

	/**
	 * Refuse to commit work that was done under a lost lock, unless the transaction is
	 * read-only.
	 * @param transaction the transaction
	 * @throws io.mongolock.LockLostException if a lock is lost; this rolls the
	 * transaction back
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		// A failure of this commit says nothing of the outcome of an earlier commit
		this.documents.get().removeIf(HeldDocument::isUnknown);
		List<HeldDocument<?>> here = here();
		if (!transaction.isReadOnly()) {
			here.stream().filter(DocumentTransactions::isKeptUnasked).forEach(HeldDocument::assertMayCommit);
		}
	}

	/**
	 * Release locks that were left to run out because the commit failed, if MongoDB
	 * itself has refused the commit.
	 * @param transaction the transaction
	 * @param commitFailure why it was not committed, or why that is unknown; {@code null}
	 * if it was committed
	 */
	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		if (commitFailure != null && StoreFailures.isRolledBack(commitFailure)) {
			here().forEach((held) -> held.rolledBack(commitFailure));
		}
	}

}
