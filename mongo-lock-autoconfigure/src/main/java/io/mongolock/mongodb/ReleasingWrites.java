package io.mongolock.mongodb;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import com.mongodb.WriteConcern;
import com.mongodb.client.result.UpdateResult;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.mongolock.store.StoredLock;

/**
 * Writes documents and releases their locks by the application's template, so that both
 * are part of its transaction, if there is one. Thread-safe.
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
	 * Send a write.
	 * @param held the document
	 * @param write what to send
	 * @param takeBack is run if it was not written, or perhaps not
	 * @throws io.mongolock.LockLostException if the lock is gone; nothing was written
	 * @throws OptimisticLockingFailureException if the document has another version;
	 * nothing was written, and the lock is still held
	 * @throws IllegalStateException if the lock was released or passed on before
	 */
	void write(HeldDocument<?> held, ReleasingWrite write, Runnable takeBack) {
		try {
			write(held, write);
		}
		catch (RuntimeException | Error ex) {
			takeBack.run();
			throw ex;
		}
		if (CurrentTransaction.session(this.template).isPresent()) {
			TransactionSynchronizationManager.registerSynchronization(new ReleaseByCommit(held, takeBack));
		}
		else {
			held.written();
		}
	}

	private void write(HeldDocument<?> held, ReleasingWrite write) {
		held.beginWrite();
		boolean matched;
		try {
			UpdateResult result = Objects.requireNonNull(this.template.execute(held.type().collection(),
					(documents) -> write.run(documents, this.confirmed)));
			matched = result.getMatchedCount() != 0;
		}
		catch (RuntimeException | Error ex) {
			RuntimeException conflict = TransactionConflict.in(ex, held.toString());
			held.notWritten(conflict == null);
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
			held.notWritten(false);
			return ex;
		}
		if (DocumentTickets.holder(ticket, lock).isEmpty()) {
			return DocumentTickets.gone(ticket, lock, held.refused());
		}
		held.notWritten(false);
		return new OptimisticLockingFailureException(held.type().describe(ticket.key())
				+ " was not written: it is locked, but has another version than the one to save"
				+ ((CurrentTransaction.session(this.template).isPresent())
						? ", or this transaction began to read before the lock was granted: lock first" : ""));
	}

	/**
	 * Has the commit release what was written with the transaction.
	 *
	 * @param held the document
	 * @param takeBack is run unless it is committed for certain
	 */
	private record ReleaseByCommit(HeldDocument<?> held, Runnable takeBack) implements TransactionSynchronization {

		@Override
		public void afterCompletion(int status) {
			if (status != STATUS_COMMITTED) {
				this.takeBack.run();
			}
			switch (status) {
				case STATUS_COMMITTED -> this.held.written();
				case STATUS_ROLLED_BACK -> this.held.notWritten(false);
				default -> this.held.maybeWritten();
			}
		}

	}

}
