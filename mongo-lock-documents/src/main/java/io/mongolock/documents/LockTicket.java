package io.mongolock.documents;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.CRC32;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import org.springframework.util.StringUtils;

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

	/** Three bytes are four characters. */
	private static final int CHARACTERS = (Integer.BYTES + LeaseProof.SEALED_BYTES) / 3 * 4;

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
		byte[] bytes = ByteBuffer.allocate(Integer.BYTES + sealed.length).putInt(checksum(sealed)).put(sealed).array();
		return new LockTicket(Base64.getUrlEncoder().encodeToString(bytes), 0);
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
		if (!StringUtils.hasText(text)) {
			throw malformed("it is empty");
		}
		if (text.length() != CHARACTERS) {
			throw malformed("it has " + text.length() + " characters, and each ticket has " + CHARACTERS);
		}
		byte[] bytes = decoded(text);
		// Characters that only fill up stand for none
		if (bytes.length != Integer.BYTES + LeaseProof.SEALED_BYTES) {
			throw malformed("it has characters that no ticket has");
		}
		// Tells a text that was damaged from one that was outlived
		if (ByteBuffer.wrap(bytes).getInt() != checksum(sealed(bytes))) {
			throw malformed("it was changed");
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
		return sealed(decoded(this.text));
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

	private static byte[] sealed(byte[] bytes) {
		return Arrays.copyOfRange(bytes, Integer.BYTES, bytes.length);
	}

	private static int checksum(byte[] sealed) {
		CRC32 checksum = new CRC32();
		checksum.update(sealed);
		return (int) checksum.getValue();
	}

	private static byte[] decoded(String text) {
		try {
			return Base64.getUrlDecoder().decode(text);
		}
		catch (IllegalArgumentException ex) {
			// Its message would quote the text
			throw malformed("it has characters that no ticket has");
		}
	}

	private static IllegalArgumentException malformed(String how) {
		return new IllegalArgumentException(
				"This is no ticket of a document lock: " + how + "; pass on what LockTicket.text() gave");
	}

}
