package io.mongolock.mongodb;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import com.mongodb.WriteConcern;
import com.mongodb.client.ClientSession;
import org.bson.BsonDocument;
import org.springframework.core.Ordered;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.mongodb.store.DocumentKey;
import io.mongolock.store.StoredLock;
import io.mongolock.store.mongo.StoreFailures;

/**
 * Writes documents, and releases or renews their locks, by the application's template, so
 * that both are part of its transaction, if there is one. Thread-safe.
 */
final class ReleasingWrites {

	private static final long MIN_WAIT_MILLIS = 1000;

	private final MongoTemplate template;

	private final DocumentTickets tickets;

	private final WriteConcern confirmed;

	ReleasingWrites(MongoTemplate template, DocumentTickets tickets, Duration timeout) {
		this.template = template;
		this.tickets = tickets;
		this.confirmed = WriteConcern.MAJORITY.withWTimeout(Math.max(MIN_WAIT_MILLIS, timeout.toMillis()),
				TimeUnit.MILLISECONDS);
	}

	/**
	 * Send a write that releases the lock.
	 * @param held the document
	 * @param write what to send
	 * @param takeBack is run if it was not written, or perhaps not
	 * @throws io.mongolock.LockLostException if the lock is gone; nothing was written
	 * @throws OptimisticLockingFailureException if the document has another version;
	 * nothing was written, and the lock is still held
	 * @throws IllegalStateException if the lock was released or passed on before
	 */
	void write(HeldDocument<?> held, ReleasingWrite write, Runnable takeBack) {
		if (!writeInTransaction(held, write, takeBack)) {
			held.written();
		}
	}

	/**
	 * Send a write that renews the lock and keeps it.
	 * @param held the document
	 * @param write what to send
	 * @param takeBack is run if it was not written, or perhaps not
	 * @throws io.mongolock.LockLostException as {@link #write} does
	 */
	void writeAndKeep(HeldDocument<?> held, ReleasingWrite write, Runnable takeBack) {
		held.writtenAndKept(writeInTransaction(held, write, takeBack));
	}

	/**
	 * Load a document as the transaction of this thread sees it.
	 * @param ticket its lock
	 * @param field the field of the lock
	 * @return the whole document, unless the lock is gone
	 */
	Optional<BsonDocument> load(LockTicket ticket, String field) {
		return Optional.ofNullable(this.template.execute(DocumentKey.parse(ticket.key()).collection(),
				(documents) -> documents.withDocumentClass(BsonDocument.class)
					.find(ReleasingWrite.held(ticket, field))
					.first()));
	}

	private boolean writeInTransaction(HeldDocument<?> held, ReleasingWrite write, Runnable takeBack) {
		try {
			TransactionKeeper.session(this.template)
				.ifPresent(
						(session) -> InheritedSessions.requireOwn(this.template, "The " + held + " cannot be written"));
			send(held, write);
		}
		catch (RuntimeException | Error ex) {
			takeBack.run();
			throw ex;
		}
		Optional<ClientSession> transaction = TransactionKeeper.session(this.template);
		transaction.filter((session) -> held.writtenInTransaction(takeBack)).ifPresent((session) -> {
			Completion completion = new Completion(held, session);
			TransactionSynchronizationManager.registerSynchronization(completion);
			TransactionSynchronizationManager.registerSynchronization(new Commit(completion));
		});
		return transaction.isPresent();
	}

	private void send(HeldDocument<?> held, ReleasingWrite write) {
		Optional<ClientSession> transaction = TransactionKeeper.session(this.template);
		held.beginWrite(write.fields(), transaction.orElse(null));
		transaction.ifPresent((session) -> held.awaitRenewals());
		boolean matched;
		try {
			matched = Boolean.TRUE.equals(this.template.execute(held.type().collection(),
					(documents) -> write.run(documents, this.confirmed)));
		}
		catch (RuntimeException | Error ex) {
			if (StoreFailures.isUnwritten(ex) || StoreFailures.isRolledBack(ex)) {
				held.notWritten();
			}
			else {
				Runnable undone = held.unanswered(write);
				transaction.ifPresent((session) -> TransactionSynchronizationManager
					.registerSynchronization(new Doubt(undone, session)));
			}
			RuntimeException conflict = TransactionConflict.in(ex, held.toString());
			if (conflict != null) {
				throw conflict;
			}
			throw ex;
		}
		if (!matched) {
			throw refused(held);
		}
	}

	private RuntimeException refused(HeldDocument<?> held) {
		LockTicket ticket = held.proof();
		Optional<StoredLock> lock;
		try {
			lock = this.tickets.look(ticket.key());
		}
		catch (RuntimeException ex) {
			held.notWritten();
			return ex;
		}
		if (DocumentTickets.holder(ticket, lock).isEmpty()) {
			return DocumentTickets.gone(ticket, lock, held.refused());
		}
		return new OptimisticLockingFailureException(held.type().describe(ticket.key())
				+ " was not written: it is locked, but has another version than the one to save" + held.outdated()
				+ ((TransactionKeeper.session(this.template).isPresent())
						? ", or this transaction has released it by another claim of the lock, or began to read before the lock was granted: lock first"
						: ""));
	}

	/**
	 * Lasts until the transaction is rolled back.
	 *
	 * @param undone is run then
	 * @param session the transaction's
	 */
	private record Doubt(Runnable undone, ClientSession session) implements TransactionSynchronization {

		@Override
		public void afterCompletion(int status) {
			if (status == STATUS_ROLLED_BACK && !this.session.hasActiveTransaction()) {
				this.undone.run();
			}
		}

	}

	/**
	 * Has the end of the transaction decide on what was written with it.
	 */
	private static final class Completion extends TransactionEnd implements DocumentSynchronization {

		private final HeldDocument<?> held;

		private boolean over;

		private Completion(HeldDocument<?> held, ClientSession session) {
			super(session);
			this.held = held;
		}

		@Override
		public HeldDocument<?> held() {
			return this.held;
		}

		@Override
		public ClientSession session() {
			return transaction();
		}

		@Override
		void ended(int status) {
			if (!this.over) {
				this.over = true;
				this.held.completed(status);
			}
		}

	}

	/**
	 * Ends what was written before others hear of the commit, and perhaps lock the
	 * document again: with a transaction of MongoDB, which is over then. One of another
	 * kind has yet to commit MongoDB's part.
	 *
	 * @param completion ends it
	 */
	private record Commit(Completion completion) implements TransactionSynchronization {

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public void afterCommit() {
			if (!this.completion.isWritten()) {
				this.completion.ended(STATUS_COMMITTED);
			}
		}

	}

}
