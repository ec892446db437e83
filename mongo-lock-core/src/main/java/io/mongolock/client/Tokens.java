package io.mongolock.client;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;

import io.mongolock.core.ClockReading;

/**
 * Makes tokens. The seed is read from the system only once, because a thread that must
 * not block, for example of an event loop, must not wait for the system. Tokens cannot be
 * guessed without the seed, and no two clients make the same token. Thread-safe.
 */
final class Tokens {

	private static final int BYTES = 16;

	private final byte[] seed = new byte[2 * BYTES];

	private final AtomicLong count = new AtomicLong();

	Tokens() {
		new SecureRandom().nextBytes(this.seed);
	}

	/**
	 * Make a token of 128 bits.
	 * @param now the present time, which differs even if a copy of the machine has the
	 * same seed and count
	 */
	String next(ClockReading now) {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			digest.update(this.seed);
			digest.update(ByteBuffer.allocate(3 * Long.BYTES)
				.putLong(this.count.incrementAndGet())
				.putLong(now.nanos())
				.putLong(now.millis())
				.array());
			return HexFormat.of().formatHex(Arrays.copyOf(digest.digest(), BYTES));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("This JVM has no SHA-256, which every JVM must have", ex);
		}
	}

}
