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
 * transaction keeps. By that a call within another gets the same {@link LockedDocument},
 * each transaction of a {@code MongoTransactionManager} keeps what its thread has locked
 * before, and the commit of one that works under a lock which is gone is refused. As a
 * bean it hears of the transactions of all transaction managers, which call it on the
 * thread of the transaction; it is given to {@link DocumentLockOperations}. Thread-safe.
 */
public final class DocumentTransactions implements TransactionExecutionListener, BeanPostProcessor {

	/** Weak, because a handle that nobody closes has to be noticed. */
	private final ThreadLocal<Set<HeldDocument<?>>> documents = ThreadLocal
		.withInitial(() -> Collections.newSetFromMap(new WeakHashMap<>()));

	/** For the time between the two events of a begin. */
	private final ThreadLocal<@Nullable Set<Object>> around = new ThreadLocal<>();

	/**
	 * Adds this once: if it heard of a begin twice, it would take the transaction around
	 * for the one that begins.
	 */
	private final TransactionListenerRegistrar registrar = new TransactionListenerRegistrar(this);

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return this.registrar.postProcessAfterInitialization(bean, beanName);
	}

	/**
	 * This thread works on a document from here on.
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
	 * What this thread has of a document that is still locked.
	 * @param key the key of the lock
	 * @param type whose documents are in the same database
	 * @return the document, to be passed on
	 */
	Optional<HeldDocument<?>> find(String key, LockedType<?> type) {
		return here(key, type).filter((held) -> held.isOfThread() && held.isOpen() && held.isTaken()).findFirst();
	}

	/**
	 * Whether a transaction of this thread, suspended or not, has written a document.
	 * @param key the key of its lock
	 * @param type whose documents are in the same database
	 * @return whether what this thread writes beside it would wait for it
	 */
	boolean isWritten(String key, LockedType<?> type) {
		return here(key, type).anyMatch(HeldDocument::isWrittenByThread);
	}

	/**
	 * Look what the one that begins is not the transaction of.
	 * @param transaction the transaction
	 */
	@Override
	public void beforeBegin(TransactionExecution transaction) {
		this.around.set(factories());
	}

	/**
	 * Have the transaction keep what its thread has locked, unless it only reads or is
	 * none of MongoDB's. If that fails, the transaction's next statement says so, or its
	 * commit.
	 * @param transaction the transaction
	 * @param beginFailure why it could not begin, if so
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
				// Spring would leave the transaction open on the thread
				own.refuse(ex);
			}
		}
	}

	// Requests by a ticket run on any thread, so
	// none of them has its transactions keep it
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
	 * Refuse the commit of what was done under a lock that is gone, unless the
	 * transaction only reads.
	 * @param transaction the transaction
	 * @throws io.mongolock.LockLostException which rolls the transaction back
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		// Because this commit, if it fails, says nothing of one before
		this.documents.get().removeIf(HeldDocument::isUnknown);
		List<HeldDocument<?>> here = here();
		if (!transaction.isReadOnly()) {
			here.stream().filter(DocumentTransactions::isKeptUnasked).forEach(HeldDocument::assertMayCommit);
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
		if (commitFailure != null && StoreFailures.isRolledBack(commitFailure)) {
			here().forEach((held) -> held.rolledBack(commitFailure));
		}
	}

}
