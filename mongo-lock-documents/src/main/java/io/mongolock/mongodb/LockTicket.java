package io.mongolock.mongodb;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Random;
import java.util.zip.CRC32;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

import io.mongolock.mongodb.store.LeaseSecrets;
import io.mongolock.store.KeyText;
import io.mongolock.store.LeaseId;

/**
 * Stands for a lock on a document, and for the version of it that was shown, across
 * requests and instances: a short text without any meaning to others, to put into a form
 * or a session. Its owner holds the lock, and it cannot be guessed: give it to the one
 * who edits, and never log it. Its {@link #toString()} hides it; as JSON it is its
 * {@link #text()}. Immutable.
 */
public final class LockTicket implements Serializable {

	private static final long serialVersionUID = 1L;

	private static final int HEAD_BYTES = Integer.BYTES + 2 * LeaseSecrets.BYTES + 2 * Long.BYTES;

	/** What a form, a header or a cookie can take. */
	private static final int MAX_TEXT = 4096;

	private final String key;

	private final String token;

	private final byte[] secret;

	private final long fence;

	private final long version;

	/** What the next draft is called, zero for nothing. */
	private final long draft;

	LockTicket(LeaseId lease, byte[] secret, long fence, long version) {
		this(lease, secret, fence, version, 0);
	}

	private LockTicket(LeaseId lease, byte[] secret, long fence, long version, long draft) {
		this.key = lease.key();
		this.token = lease.leaseToken();
		this.secret = secret;
		this.fence = fence;
		this.version = version;
		this.draft = draft;
	}

	/**
	 * The ticket that a text stands for. Asks nobody whether it is still good.
	 * @param text what {@link #text()} gave
	 * @return the ticket
	 * @throws IllegalArgumentException if it is no such text
	 */
	@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
	public static LockTicket of(String text) {
		byte[] bytes = decoded(text);
		if (bytes.length <= HEAD_BYTES) {
			throw malformed("it is too short");
		}
		ByteBuffer ticket = ByteBuffer.wrap(bytes);
		if (ticket.getInt() != checksum(bytes)) {
			throw malformed("it is incomplete or changed");
		}
		mask(bytes);
		byte[] random = new byte[LeaseSecrets.BYTES];
		byte[] secret = new byte[LeaseSecrets.BYTES];
		long fence = ticket.get(random).get(secret).getLong();
		long version = ticket.getLong();
		String key = StandardCharsets.UTF_8.decode(ticket).toString();
		return new LockTicket(new LeaseId(key, LeaseSecrets.token(random, secret)), secret, fence, version);
	}

	/**
	 * The ticket as text: of letters, digits, {@code -} and {@code _}.
	 * @return the text, a secret of the one who edits
	 * @throws IllegalStateException if the id of the document is too long
	 */
	@JsonValue
	public String text() {
		byte[] key = this.key.getBytes(StandardCharsets.UTF_8);
		byte[] bytes = ByteBuffer.allocate(HEAD_BYTES + key.length)
			.putInt(0)
			.put(LeaseSecrets.randomOf(this.token))
			.put(this.secret)
			.putLong(this.fence)
			.putLong(this.version)
			.put(key)
			.array();
		mask(bytes);
		ByteBuffer.wrap(bytes).putInt(checksum(bytes));
		String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
		Assert.state(text.length() <= MAX_TEXT,
				() -> "The id in '" + KeyText.printable(key()) + "' is too long for a ticket: its text would have "
						+ text.length() + " characters, of at most " + MAX_TEXT);
		return text;
	}

	/**
	 * The key of the lock.
	 * @return the collection and the id of the document
	 */
	public String key() {
		return this.key;
	}

	/**
	 * The number of the grant.
	 * @return the fence
	 */
	public long fence() {
		return this.fence;
	}

	/**
	 * The version of the document that the one who edits has seen: a document that has
	 * another one was changed since.
	 * @return the version
	 */
	public long version() {
		return this.version;
	}

	/**
	 * The same lock, for who has seen another version of the document.
	 * @param version the version
	 * @return the ticket
	 */
	LockTicket at(long version) {
		return new LockTicket(lease(), this.secret, this.fence, version);
	}

	/**
	 * The same ticket, for a draft that may be sent again because its answer was lost: it
	 * is then taken for the same draft, and not for a change of others.
	 * @param number the number that the page gave the draft, at random and not zero, and
	 * kept for it until there was an answer
	 * @return the ticket
	 */
	public LockTicket draft(long number) {
		return new LockTicket(lease(), this.secret, this.fence, this.version, number);
	}

	long draft() {
		return this.draft;
	}

	LeaseId lease() {
		return new LeaseId(this.key, this.token);
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof LockTicket ticket && ticket.lease().equals(lease()) && ticket.fence == this.fence
				&& ticket.version == this.version && ticket.draft == this.draft;
	}

	@Override
	public int hashCode() {
		return lease().hashCode();
	}

	/**
	 * Names the lock and hides what proves possession of it.
	 * @return the key and the fence
	 */
	@Override
	public String toString() {
		return "ticket for lock '" + KeyText.printable(key()) + "' (fence " + this.fence + ")";
	}

	// What it is for is not to be read from it, in a log of a proxy for example
	private static void mask(byte[] bytes) {
		int clear = Integer.BYTES + 2 * LeaseSecrets.BYTES;
		long seed = ByteBuffer.wrap(bytes, Integer.BYTES, 2 * LeaseSecrets.BYTES).getLong();
		byte[] mask = new byte[bytes.length - clear];
		new Random(seed).nextBytes(mask);
		for (int i = 0; i < mask.length; i++) {
			bytes[clear + i] ^= mask[i];
		}
	}

	// Tells a text that was damaged from one that was outlived
	private static int checksum(byte[] bytes) {
		CRC32 checksum = new CRC32();
		checksum.update(bytes, Integer.BYTES, bytes.length - Integer.BYTES);
		return (int) checksum.getValue();
	}

	private static byte[] decoded(String text) {
		// What a request leaves out is null, whatever was declared
		if (!StringUtils.hasText(text)) {
			throw malformed("it is empty");
		}
		if (text.length() > MAX_TEXT) {
			throw malformed("it is longer than " + MAX_TEXT + " characters");
		}
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
