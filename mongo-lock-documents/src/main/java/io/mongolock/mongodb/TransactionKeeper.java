package io.mongolock.mongodb;

import java.util.Optional;
import java.util.function.Predicate;

import com.mongodb.client.ClientSession;
import org.springframework.core.Ordered;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.LockStoreException;
import io.mongolock.mongodb.store.DocumentLockStore;
import io.mongolock.store.mongo.CurrentTransaction;

/**
 * Has the transaction of a thread keep locks: what is written outside of a transaction
 * after it began to read fails its save, also if that is a renewal. So the transaction
 * renews the lock itself, and first of all, which keeps everybody else's writes away as
 * long as it lasts.
 *
 * @param template the application's template, which the transactions are of
 * @param tickets asks for the locks
 */
record TransactionKeeper(MongoTemplate template, DocumentTickets tickets) {

	/**
	 * A transaction begins: from here on no renewal of a document begins beside it.
	 * @param held what its thread has locked
	 * @return what it is to renew, unless it keeps that already or is of another template
	 */
	Optional<Begun> begin(HeldDocument<?> held) {
		return ownSession().filter((session) -> pause(held, session, true))
			.map((session) -> new Begun(held, this.tickets.store(), session));
	}

	/**
	 * A lock is granted, maybe inside a transaction, which has not begun to read then: it
	 * need not be renewed yet.
	 * @param held the document
	 */
	void granted(HeldDocument<?> held) {
		session().filter((session) -> pause(held, session, false)).ifPresent((session) -> held.awaitRenewals());
	}

	/**
	 * A document was loaded, maybe inside a transaction that has written it: what that
	 * saw may be undone.
	 * @param held the document
	 */
	void loaded(HeldDocument<?> held) {
		session().filter(TransactionKeeper::hasRead)
			.ifPresent((session) -> TransactionSynchronizationManager.registerSynchronization(new Seen(held, session)));
	}

	/**
	 * The transaction, if there is one, is about to write a document and to keep its
	 * lock, which is its own renewal.
	 * @param held the document
	 */
	void keeps(HeldDocument<?> held) {
		ownSession().filter((session) -> pause(held, session, true)).ifPresent((session) -> held.awaitRenewals());
	}

	/**
	 * Have the transaction keep a lock, or say why it cannot.
	 * @param held the document
	 */
	void require(HeldDocument<?> held) {
		ClientSession session = session().orElseThrow(() -> new IllegalStateException(
				"The " + held + " can be kept only by a MongoDB transaction of the application's template, and "
						+ CurrentTransaction.describe()));
		InheritedSessions.requireOwn(this.template, "The " + held + " cannot be kept");
		if (held.isKeptBy(session)) {
			return;
		}
		if (held.isKept()) {
			throw keptByAnother(held);
		}
		if (hasRead(session)) {
			throw new IllegalStateException("The " + held + " has to be kept by the first statement of a transaction, "
					+ "and this one has begun to read");
		}
		try {
			if (pause(held, session, true)) {
				held.awaitRenewals();
				renew(held, this.tickets.store(), session);
			}
			else {
				throw keptByAnother(held);
			}
			held.assertMayCommit();
		}
		catch (RuntimeException ex) {
			throw explained(ex, held);
		}
	}

	private static IllegalStateException keptByAnother(HeldDocument<?> held) {
		return new IllegalStateException("The " + held + " is kept by another transaction, whose end decides on what "
				+ "that writes: keep it here after that");
	}

	/**
	 * MongoDB has refused the commit of the transaction that has written a document.
	 * @param held the document, whose lock was left to run out if that released it
	 * @param failure why it was refused
	 */
	void rolledBack(HeldDocument<?> held, Throwable failure) {
		if (held.isUndecided()) {
			try {
				this.tickets.release(held.proof());
				held.decided();
			}
			catch (LockStoreException ex) {
				// It runs out all the same
				failure.addSuppressed(ex);
			}
		}
	}

	private static RuntimeException explained(RuntimeException failure, HeldDocument<?> held) {
		RuntimeException conflict = TransactionConflict.in(failure, held.toString());
		return (conflict != null) ? conflict : failure;
	}

	/**
	 * Refuse a lock that would end before the transaction that writes under it.
	 * @param what what would be locked
	 */
	void requireOwn(String what) {
		session().ifPresent((session) -> InheritedSessions.requireOwn(this.template, what + " cannot be locked"));
	}

	/**
	 * Whether this thread is inside a transaction that sees documents as of a moment ago.
	 * @return whether a statement of it was answered
	 */
	boolean hasSnapshot() {
		return hasSnapshot((session) -> true);
	}

	/**
	 * Whether this thread is inside such a transaction of some kind.
	 * @param kind which, by its session
	 * @return whether it is
	 */
	boolean hasSnapshot(Predicate<ClientSession> kind) {
		return session().filter(TransactionKeeper::hasRead).filter(kind).isPresent();
	}

	private static boolean hasRead(ClientSession session) {
		return session.getOperationTime() != null;
	}

	private Optional<ClientSession> ownSession() {
		return session().filter((session) -> InheritedSessions.isOwn(this.template));
	}

	private Optional<ClientSession> session() {
		return session(this.template);
	}

	/**
	 * The transaction that the statements of a template are part of, or will be: one that
	 * is to join transactions of another kind does so with its first statement.
	 * @param template the template
	 * @return its session, if there is one
	 */
	static Optional<ClientSession> session(MongoTemplate template) {
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			return Optional.empty();
		}
		template.getDb();
		return CurrentTransaction.session(template);
	}

	/**
	 * Refuse the commit of the transaction that begins.
	 * @param failure why it could not keep a lock
	 */
	static void refuse(RuntimeException failure) {
		TransactionSynchronizationManager.registerSynchronization(new Refusal(failure));
	}

	private static void renew(HeldDocument<?> held, DocumentLockStore store, ClientSession session) {
		if (!store.renew(held.proof().lease(), session)) {
			held.lost();
		}
	}

	private static boolean pause(HeldDocument<?> held, ClientSession session, boolean renewing) {
		boolean pauses = held.beginKeep(session, renewing);
		if (pauses) {
			TransactionSynchronizationManager.registerSynchronization(new Keep(held, session, renewing));
		}
		return pauses;
	}

	/**
	 * A document that a transaction keeps which begins.
	 *
	 * @param held the document
	 * @param store its lock
	 * @param session the transaction's
	 */
	record Begun(HeldDocument<?> held, DocumentLockStore store, ClientSession session) {

		void awaitRenewals() {
			this.held.awaitRenewals();
		}

		void renew() {
			try {
				TransactionKeeper.renew(this.held, this.store, this.session);
			}
			catch (RuntimeException ex) {
				// Code that can do something about it begins with the next statement
				refuse(explained(ex, this.held));
			}
		}

	}

	/**
	 * What a document was loaded as is stored if the transaction is committed.
	 */
	private static final class Seen extends TransactionEnd {

		private final HeldDocument<?> held;

		private Seen(HeldDocument<?> held, ClientSession session) {
			super(session);
			this.held = held;
		}

		@Override
		void ended(int status) {
			if (status != STATUS_COMMITTED) {
				this.held.loadedInVain();
			}
		}

	}

	/**
	 * Refuses the commit of a transaction that could not keep a lock.
	 *
	 * @param failure why not
	 */
	private record Refusal(RuntimeException failure) implements TransactionSynchronization {

		@Override
		public void beforeCommit(boolean readOnly) {
			throw this.failure;
		}

	}

	/**
	 * Ends with the transaction.
	 *
	 * @param held what it keeps
	 * @param session the transaction's
	 * @param renews whether it renews the lock, and so has written the document
	 */
	private record Keep(HeldDocument<?> held, ClientSession session,
			boolean renews) implements DocumentSynchronization {

		@Override
		public boolean isWritten() {
			return this.renews && DocumentSynchronization.super.isWritten();
		}

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		// A transaction of another kind has yet to commit MongoDB's part
		@Override
		public void afterCommit() {
			if (!this.session.hasActiveTransaction()) {
				this.held.endKeep(this.session);
			}
		}

		@Override
		public void afterCompletion(int status) {
			this.held.endKeep(this.session);
		}

	}

}
