package io.mongolock.documents;

import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.util.Assert;

/**
 * The document was changed after it was locked or shown. Code that does not know the lock
 * changed it, or the same editor did, for example in another window. Nothing was written,
 * and the lock is still held. Show both versions, then go on with {@link #getTicket()} or
 * {@link LockedDocument#reload()}.
 */
public class DocumentChangedException extends OptimisticLockingFailureException {

	private final transient @Nullable Object document;

	private final @Nullable LockTicket ticket;

	/**
	 * Create a new exception.
	 * @param message what happened
	 * @param document the document as it stands now
	 * @param ticket the ticket for an editor who has seen that document, {@code null} if
	 * no ticket keeps the lock
	 */
	public DocumentChangedException(String message, Object document, @Nullable LockTicket ticket) {
		super(message);
		this.document = document;
		this.ticket = ticket;
	}

	static DocumentChangedException of(LeaseProof seen, boolean byTicket, LockedType<?> type, BsonDocument document) {
		long now = type.version(document);
		return new DocumentChangedException(type.describe(seen.key())
				+ " was changed since it was opened, from version " + seen.version() + " to " + now
				+ ", and is still locked"
				+ ((byTicket)
						? " by this ticket. Show the stored document to the user, and go on with the ticket from "
								+ "getTicket() of this exception. If your own saveAndKeep made the change, go on with "
								+ "the ticket that LockedDocument.ticket() returns after that save"
						: ". Nothing was written. To read the stored document, call locked.reload()"),
				type.read(document).entity(), (byTicket) ? seen.at(now).ticket() : null);
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
			throw new IllegalStateException("A serialized exception does not contain the document");
		}
		return type.cast(document);
	}

	/**
	 * The ticket for an editor who has seen the document as it stands now, and chooses to
	 * go on from there.
	 * @return the ticket, of the same lock
	 * @throws IllegalStateException if no ticket keeps the lock; reload the locked
	 * document instead
	 */
	public LockTicket getTicket() {
		LockTicket ticket = this.ticket;
		Assert.state(ticket != null, "This exception has no ticket. Go on with locked.reload()");
		return ticket;
	}

}
