package io.mongolock.documents;

import java.io.Serializable;
import java.util.Base64;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * Stands for a lock on a document, and for the version of the document that was shown,
 * across requests and instances. A ticket is a short text to put into a form or a
 * session. Nothing can be read from the text without the document. The owner of the
 * ticket holds the lock, and the text cannot be guessed: give it to the editor, and never
 * log it. {@link #toString()} hides the text; in JSON a ticket is its {@link #text()}.
 * Tickets are equal if they stand for the same lock, version and draft. Immutable.
 */
public final class LockTicket implements Serializable {

	private static final long serialVersionUID = 1L;

	/** The number of characters in a ticket, six bits each. */
	private static final int CHARACTERS = (LeaseProof.SEALED_BYTES * Byte.SIZE + 5) / 6;

	private final String text;

	/** The number of the next draft, zero for none. */
	private final long draft;

	private LockTicket(String text, long draft) {
		this.text = text;
		this.draft = draft;
	}

	/**
	 * Create a ticket from its bytes.
	 * @param sealed the bytes
	 * @return the ticket
	 */
	static LockTicket of(byte[] sealed) {
		return new LockTicket(Base64.getUrlEncoder().withoutPadding().encodeToString(sealed), 0);
	}

	/**
	 * Create a ticket from its text. Does not check whether the ticket still holds a
	 * lock.
	 * @param text the text that {@link #text()} gave
	 * @return the ticket
	 * @throws IllegalArgumentException if it is no such text
	 */
	@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
	public static LockTicket of(String text) {
		// A missing value of a request is null, whatever the declared type
		if (text == null || !text.matches("[\\w-]{" + CHARACTERS + "}")) {
			throw new IllegalArgumentException(
					"This text is no ticket of a document lock, because such a ticket has " + CHARACTERS
							+ " characters (letters, digits, - and _). Pass on the text that LockTicket.text() gave");
		}
		return new LockTicket(text, 0);
	}

	/**
	 * The ticket as text, of letters, digits, {@code -} and {@code _}.
	 * @return the text, a secret of the editor
	 */
	@JsonValue
	public String text() {
		return this.text;
	}

	/**
	 * The same ticket, for a draft that may be sent again because its answer was lost. It
	 * is then recognised as the same draft, and not taken for a change by another.
	 * @param number a random number other than zero; the page gives it to the draft, and
	 * keeps it until there is an answer
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
	 * Hides the text, which proves possession of the lock.
	 * @return nothing of the text
	 */
	@Override
	public String toString() {
		return "ticket of a document lock";
	}

}
