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
 * keeps: what is written outside of it after it began to read fails its save, also if
 * that is a renewal. So it renews the locks itself, and first of all, which keeps
 * everybody else's writes away as long as it lasts, and its end decides what becomes of
 * them. Belongs to its thread.
 */
final class DocumentTransaction implements TransactionSynchronization {

	private final Set<Object> factories;

	private final Thread thread = Thread.currentThread();

	private final List<Kept> documents = new ArrayList<>();

	private @Nullable RuntimeException refusal;

	/**
	 * A transaction that has just begun.
	 * @param factories what it is bound to its thread by
	 */
	DocumentTransaction(Set<Object> factories) {
		this.factories = factories;
	}

	/**
	 * The transaction that the statements of a template are part of. This is where any
	 * other kind is refused: nobody says how it ends, or it ends without MongoDB's.
	 * @param template the application's template
	 * @param what what is done only in a transaction of MongoDB's manager, or in none
	 * @return the transaction, if there is one
	 * @throws IllegalStateException if they are part of another kind
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
	 * @return whether it is a transaction of its factory
	 */
	boolean isOf(MongoTemplate template) {
		return this.factories
			.contains(TransactionSynchronizationUtils.unwrapResourceIfNecessary(template.getMongoDatabaseFactory()))
				&& CurrentTransaction.session(template).isPresent();
	}

	/**
	 * Whether it is this thread's, and not suspended.
	 * @return whether what this thread does is part of it
	 */
	boolean isCurrent() {
		return current().filter((transaction) -> transaction == this).isPresent();
	}

	/**
	 * Whether it is this thread's.
	 * @return also if it is suspended
	 */
	boolean isHere() {
		return this.thread == Thread.currentThread();
	}

	/**
	 * Whether it sees documents as of a moment ago.
	 * @param template a template that it is of
	 * @return whether a statement of it was answered
	 */
	boolean hasRead(MongoTemplate template) {
		return session(template).getOperationTime() != null;
	}

	/**
	 * From here on its end decides on a document.
	 * @param held the document
	 */
	void add(Kept held) {
		if (!this.documents.contains(held)) {
			this.documents.add(held);
		}
	}

	/**
	 * Keep locks, as far as no other transaction does.
	 * @param documents the documents
	 */
	void keep(List<? extends Kept> documents) {
		// The renewal of the first one opens the snapshot, which any of the others in
		// the background would fail
		List<? extends Kept> kept = documents.stream().filter((held) -> held.beginKeep(this)).toList();
		// All are paused by now, so that renewals underway end side by side
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
	 * It could not keep a lock. Code that can do something about it begins with the next
	 * statement, or the commit says so.
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
		// Others may lock the documents again when they hear of the end
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
	 * A document whose lock it keeps.
	 */
	interface Kept {

		/**
		 * The template whose statements write it.
		 * @return the template
		 */
		MongoTemplate template();

		/**
		 * From here on the transaction keeps the lock: a renewal beside it would fail its
		 * save.
		 * @param transaction the transaction, which is to renew it
		 * @return whether none did before, and there is something to keep
		 */
		boolean beginKeep(DocumentTransaction transaction);

		/**
		 * Wait for a renewal that was underway when that began.
		 */
		void awaitRenewals();

		/**
		 * Renew the lock in the transaction.
		 * @param session the transaction's
		 */
		void renewIn(ClientSession session);

		/**
		 * The transaction is over.
		 * @param transaction the transaction
		 * @param status how, as {@link TransactionSynchronization} has it
		 */
		void completed(DocumentTransaction transaction, int status);

	}

}
