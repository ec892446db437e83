package io.mongolock.documents.store;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proves possession of a lease by a secret that is not stored in the document. Many may
 * read the document, because applications answer with whole documents. A token consists
 * of random bits and of a digest of these bits and the secret. Only the store that made
 * the token knows the secret, and the owners to whom the store gives it. Thread-safe.
 */
public final class LeaseSecrets {

	/**
	 * The number of bytes in a secret, and of random bytes in a token.
	 */
	public static final int BYTES = 16;

	private static final HexFormat HEX = HexFormat.of();

	private final byte[] key = new byte[2 * BYTES];

	LeaseSecrets() {
		new SecureRandom().nextBytes(this.key);
	}

	/**
	 * The token of an attempt.
	 */
	String token(String random) {
		byte[] bits = HEX.parseHex(random);
		return token(bits, digest(this.key, bits));
	}

	/**
	 * The secret of a token that this object has made.
	 */
	byte[] secretOf(String token) {
		return digest(this.key, randomOf(token));
	}

	/**
	 * Whether a secret belongs to a token.
	 */
	public static boolean isOf(String token, byte[] secret) {
		// The token in a document may be any text
		return token.matches("[0-9a-f]{" + 4 * BYTES + "}")
				&& MessageDigest.isEqual(token(randomOf(token), secret).getBytes(StandardCharsets.US_ASCII),
						token.getBytes(StandardCharsets.US_ASCII));
	}

	/**
	 * Encrypt a block of {@link #BYTES} bytes, so that only readers of the token's
	 * document can read it.
	 */
	public static byte[] seal(byte[] block, String token) {
		return cipher(Cipher.ENCRYPT_MODE, block, token);
	}

	/**
	 * Decrypt a block.
	 */
	public static byte[] open(byte[] block, String token) {
		return cipher(Cipher.DECRYPT_MODE, block, token);
	}

	// Each token encrypts single blocks only, so there is nothing to chain
	private static byte[] cipher(int mode, byte[] block, String token) {
		try {
			Cipher cipher = Cipher.getInstance("AES/ECB/NoPadding");
			cipher.init(mode, new SecretKeySpec(randomOf(token), "AES"));
			return cipher.doFinal(block);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("This JVM has no AES, which every JVM must have", ex);
		}
	}

	private static byte[] randomOf(String token) {
		return HEX.parseHex(token.substring(0, 2 * BYTES));
	}

	/**
	 * Make a token from random bits and a secret.
	 */
	public static String token(byte[] random, byte[] secret) {
		return HEX.formatHex(random) + HEX.formatHex(digest(random, secret));
	}

	// Half of the hash is enough. The parts need no separator, because their lengths are
	// always the same
	private static byte[] digest(byte[] first, byte[] second) {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			digest.update(first);
			return Arrays.copyOf(digest.digest(second), BYTES);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("This JVM has no SHA-256, which every JVM must have", ex);
		}
	}

}
