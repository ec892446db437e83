package io.mongolock.mongodb;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import com.mongodb.WriteConcern;
import org.bson.BsonDocument;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.mongodb.core.MongoTemplate;

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
	 * Send a write that releases or renews the lock.
	 * @param held the document
	 * @param write what to send
	 * @param takeBack is run if it was not written, or perhaps not
	 * @throws io.mongolock.LockLostException if the lock is gone; nothing was written
	 * @throws OptimisticLockingFailureException if the document has another version;
	 * nothing was written, and the lock is still held
	 * @throws IllegalStateException if the lock was released or passed on before
	 */
	void write(HeldDocument<?> held, ReleasingWrite write, Runnable takeBack) {
		Runnable renewal;
		try {
			renewal = held.beginWrite(
					DocumentTransaction.around(this.template, "The " + held + " cannot be written").orElse(null));
			send(held, write);
		}
		catch (RuntimeException | Error ex) {
			takeBack.run();
			throw ex;
		}
		held.written(write.releases(), renewal, takeBack);
	}

	private void send(HeldDocument<?> held, ReleasingWrite write) {
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
				held.unanswered();
			}
			if (ex instanceof RuntimeException failure) {
				throw TransactionConflict.explained(failure, held.toString());
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
			held.refused();
			return DocumentTickets.gone(ticket, lock, "; nothing was written");
		}
		held.notWritten();
		return changed(held).<RuntimeException>map(
				(document) -> DocumentChangedException.of(ticket.at(held.loaded().version()), held.type(), document))
			.orElseGet(() -> new OptimisticLockingFailureException(held.type().describe(ticket.key())
					+ " was not written: it is locked, but has another version than the one to save, or the transaction "
					+ "around this code began to read before the lock was granted: lock first"));
	}

	// A holder that went on by a ticket has not seen it
	private Optional<BsonDocument> changed(HeldDocument<?> held) {
		return (held.isResumed()) ? this.tickets.load(held.proof().lease())
			.filter((document) -> held.type().version(document) != held.loaded().version()) : Optional.empty();
	}

}
