package io.mongolock.mongodb;

import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

import io.mongolock.LockLostException;
import io.mongolock.LossReason;

/**
 * The document was changed since the version that the ticket was made for, by code that
 * does not know the lock or by a save of the same editor, for example in another window.
 * The ticket still holds the lock, unlike after any other {@link LockLostException}. Show
 * both, and go on with {@link #getTicket()}.
 */
public class DocumentChangedException extends LockLostException {

	private final transient @Nullable Object document;

	private final LockTicket ticket;

	/**
	 * Create a new exception.
	 * @param message what happened
	 * @param document the document as it stands now
	 * @param ticket for who has seen that
	 */
	public DocumentChangedException(String message, Object document, LockTicket ticket) {
		super(ticket.key(), ticket.fence(), LossReason.REFUSED, message);
		this.document = document;
		this.ticket = ticket;
	}

	static DocumentChangedException of(LockTicket ticket, LockedType<?> type, BsonDocument document) {
		long now = type.version(document);
		return new DocumentChangedException(type.describe(ticket.key())
				+ " was changed since it was opened, from version " + ticket.version() + " to " + now
				+ ", and is still locked by this ticket: show what is stored, and go on with the "
				+ "ticket of this exception. After a saveAndKeep, go on with the ticket that its document then has",
				type.read(document).entity(), ticket.at(now));
	}

	/**
	 * The document as it stands now.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @return its entity
	 * @throws IllegalStateException if this exception was serialized
	 */
	public <T> T getDocument(Class<T> type) {
		Object document = this.document;
		if (document == null) {
			throw new IllegalStateException("The document does not go along with a serialized exception");
		}
		return type.cast(document);
	}

	/**
	 * The ticket for who has seen the document as it stands now, and knowingly goes on
	 * from that.
	 * @return the ticket, of the same lock
	 */
	public LockTicket getTicket() {
		return this.ticket;
	}

}
