package io.mongolock.mongodb;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.OptimisticLockingFailureException;

/**
 * The ticket holds the lock, and the document was changed since the version that the
 * ticket was made for: by code that does not know the lock, or by a save of the same
 * editor in another window. Show both, and go on with {@link #getTicket()}.
 */
public class DocumentChangedException extends OptimisticLockingFailureException {

	private final transient @Nullable Object document;

	private final LockTicket ticket;

	/**
	 * Create a new exception.
	 * @param message what happened
	 * @param document the document as it stands now
	 * @param ticket for who has seen that
	 */
	public DocumentChangedException(String message, Object document, LockTicket ticket) {
		super(message);
		this.document = document;
		this.ticket = ticket;
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
