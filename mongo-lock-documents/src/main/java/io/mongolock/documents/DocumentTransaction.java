package io.mongolock.documents;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import com.mongodb.client.ClientSession;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import io.mongolock.store.mongo.CurrentTransaction;
import io.mongolock.store.mongo.TemplateFailures;

/**
 * A transaction of a {@code MongoTransactionManager}, and the documents whose locks it
 * keeps. Once the transaction has read, any write to a document from outside, even a
 * renewal, makes the transaction's save of this document fail. So the transaction renews
 * the locks itself, in its first statements. These renewals keep all other writes away
 * until the transaction ends. Its end decides what becomes of the locks. Belongs to its
 * thread.
 */
final class DocumentTransaction implements TransactionSynchronization {

	private final Set<Object> factories;

	private final Thread thread = Thread.currentThread();

	private final List<Kept> documents = new ArrayList<>();

	private @Nullable RuntimeException refusal;

	/**
	 * A transaction that has just begun.
	 * @param factories the factories that bind it to its thread
	 */
	DocumentTransaction(Set<Object> factories) {
		this.factories = factories;
	}

	/**
	 * The transaction that the statements of a template are part of. Refuses any other
	 * kind of transaction, because it does not tell how it ends, or it ends without
	 * MongoDB's transaction.
	 * @param template the application's template
	 * @param what the beginning of the message: what cannot be done
	 * @return the transaction, if there is one
	 * @throws IllegalStateException if they are part of another kind of transaction
	 */
	static Optional<DocumentTransaction> around(MongoTemplate template, String what) {
		if (!TransactionSynchronizationManager.isSynchronizationActive()
				|| CurrentTransaction.session(template).isEmpty()) {
			return Optional.empty();
		}
		Optional<DocumentTransaction> current = current().filter((transaction) -> transaction.isOf(template));
		if (current.isEmpty()) {
			throw new IllegalStateException(what + " here, because the template's statements are part of a transaction "
					+ "that document locks cannot follow. Either the manager of this transaction is no "
					+ "MongoTransactionManager or no bean, or the transaction began around another manager's "
					+ "transaction. Do this outside of the transaction, or in a transaction of a "
					+ "MongoTransactionManager bean, for example with REQUIRES_NEW. If the manager is no bean, call "
					+ "its addListener(documentTransactions)");
		}
		return current;
	}

	private static Optional<DocumentTransaction> current() {
		return (TransactionSynchronizationManager.isSynchronizationActive())
				? TransactionSynchronizationManager.getSynchronizations()
					.stream()
					.filter(DocumentTransaction.class::isInstance)
					.map(DocumentTransaction.class::cast)
					.findFirst()
				: Optional.empty();
	}

	/**
	 * Whether the statements of a template are part of it.
	 * @param template the template
	 * @return whether it is a transaction of the template's factory
	 */
	boolean isOf(MongoTemplate template) {
		return this.factories
			.contains(TransactionSynchronizationUtils.unwrapResourceIfNecessary(template.getMongoDatabaseFactory()))
				&& CurrentTransaction.session(template).isPresent();
	}

	/**
	 * Whether it is the current thread's transaction, and not suspended.
	 * @return whether the current thread's statements are part of it
	 */
	boolean isCurrent() {
		return current().filter((transaction) -> transaction == this).isPresent();
	}

	/**
	 * Whether it is a transaction of the current thread.
	 * @return whether it is, suspended or not
	 */
	boolean isHere() {
		return this.thread == Thread.currentThread();
	}

	/**
	 * Whether it has read, and so sees documents as they were then.
	 * @param template a template that is part of it
	 * @return whether one of its statements was answered
	 */
	boolean hasRead(MongoTemplate template) {
		return session(template).getOperationTime() != null;
	}

	/**
	 * Have its end decide on a document.
	 * @param held the document
	 */
	void add(Kept held) {
		if (!this.documents.contains(held)) {
			this.documents.add(held);
		}
	}

	/**
	 * Keep those locks that no other transaction keeps.
	 * @param documents the documents
	 */
	void keep(List<? extends Kept> documents) {
		// The first renewal opens the snapshot. A renewal of another document in the
		// background would then fail the transaction
		List<? extends Kept> kept = documents.stream().filter((held) -> held.beginKeep(this)).toList();
		// All are paused by now, so their renewals under way end in parallel
		kept.forEach(Kept::awaitRenewals);
		kept.forEach((held) -> {
			try {
				held.renewIn(session(held.template()));
			}
			catch (RuntimeException ex) {
				throw TemplateFailures.conflict(ex, held.toString());
			}
		});
	}

	/**
	 * Note that it could not keep a lock. The transaction's next statement reports this
	 * to code that can handle it, or else the commit does.
	 * @param failure why not
	 */
	void refuse(RuntimeException failure) {
		this.refusal = failure;
	}

	private static ClientSession session(MongoTemplate template) {
		return CurrentTransaction.session(template).orElseThrow();
	}

	@Override
	public int getOrder() {
		// First, because others may lock the documents again when they hear of the end
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (this.refusal != null) {
			throw this.refusal;
		}
	}

	@Override
	public void afterCommit() {
		end(STATUS_COMMITTED);
	}

	@Override
	public void afterCompletion(int status) {
		end(status);
	}

	private void end(int status) {
		List<Kept> ended = List.copyOf(this.documents);
		this.documents.clear();
		RuntimeException failure = null;
		for (Kept held : ended) {
			try {
				held.completed(this, status);
			}
			catch (RuntimeException ex) {
				failure = Objects.requireNonNullElse(failure, ex);
			}
		}
		if (failure != null) {
			throw failure;
		}
	}

	/**
	 * A document whose lock the transaction keeps.
	 */
	interface Kept {

		/**
		 * The template whose statements write the document.
		 * @return the template
		 */
		MongoTemplate template();

		/**
		 * Have the transaction keep the lock: a renewal outside of it would make its save
		 * fail.
		 * @param transaction the transaction, which must renew the lock
		 * @return whether there is a lock to keep, and no transaction kept it before
		 */
		boolean beginKeep(DocumentTransaction transaction);

		/**
		 * Wait for a renewal that was under way at {@link #beginKeep}.
		 */
		void awaitRenewals();

		/**
		 * Renew the lock in the transaction.
		 * @param session the session of the transaction
		 */
		void renewIn(ClientSession session);

		/**
		 * Note that the transaction is over.
		 * @param transaction the transaction
		 * @param status how it ended, a constant of {@link TransactionSynchronization}
		 */
		void completed(DocumentTransaction transaction, int status);

	}

}
