package io.mongolock.documents;

import java.io.Serializable;
import java.util.Base64;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * Stands for a lock on a document, and for the version of it that was shown, across
 * requests and instances: a short text to put into a form or a session. Nothing can be
 * read from it without the document. Its owner holds the lock, and it cannot be guessed:
 * give it to the one who edits, and never log it. Its {@link #toString()} hides it; as
 * JSON it is its {@link #text()}. Two are equal that stand for the same lock, version and
 * draft. Immutable.
 */
public final class LockTicket implements Serializable {

	private static final long serialVersionUID = 1L;

	/** How many a ticket has, six bits each. */
	private static final int CHARACTERS = (LeaseProof.SEALED_BYTES * Byte.SIZE + 5) / 6;

	private final String text;

	/** What the next draft is called, zero for nothing. */
	private final long draft;

	private LockTicket(String text, long draft) {
		this.text = text;
		this.draft = draft;
	}

	/**
	 * The ticket of what proves a lock.
	 * @param sealed what its owner has of it
	 * @return the ticket
	 */
	static LockTicket of(byte[] sealed) {
		return new LockTicket(Base64.getUrlEncoder().withoutPadding().encodeToString(sealed), 0);
	}

	/**
	 * The ticket that a text stands for. Asks nobody whether it is still good.
	 * @param text what {@link #text()} gave
	 * @return the ticket
	 * @throws IllegalArgumentException if it is no such text
	 */
	@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
	public static LockTicket of(String text) {
		// What a request leaves out is null, whatever was declared
		if (text == null || !text.matches("[\\w-]{" + CHARACTERS + "}")) {
			throw new IllegalArgumentException(
					"This text is no ticket of a document lock, because such a ticket has " + CHARACTERS
							+ " characters (letters, digits, - and _). Pass on the text that LockTicket.text() gave");
		}
		return new LockTicket(text, 0);
	}

	/**
	 * The ticket as text: of letters, digits, {@code -} and {@code _}.
	 * @return the text, a secret of the one who edits
	 */
	@JsonValue
	public String text() {
		return this.text;
	}

	/**
	 * The same ticket, for a draft that may be sent again because its answer was lost: it
	 * is then taken for the same draft, and not for a change of others.
	 * @param number the number that the page gave the draft, at random and not zero, and
	 * kept for it until there was an answer
	 * @return the ticket
	 */
	public LockTicket draft(long number) {
		return new LockTicket(this.text, number);
	}

	long draft() {
		return this.draft;
	}

	byte[] sealed() {
		return Base64.getUrlDecoder().decode(this.text);
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof LockTicket ticket && ticket.text.equals(this.text) && ticket.draft == this.draft;
	}

	@Override
	public int hashCode() {
		return this.text.hashCode();
	}

	/**
	 * Hides what proves possession of the lock.
	 * @return nothing of the text
	 */
	@Override
	public String toString() {
		return "ticket of a document lock";
	}

}
