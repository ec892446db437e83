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
 * Proves possession of a lease by something that does not stand in the document: what
 * stands there may be read by many, since applications answer with whole documents. A
 * token is random bits and a digest of them and of the secret, which only the store that
 * made it, and those it gives the secret to, know. Thread-safe.
 */
public final class LeaseSecrets {

	/**
	 * How many random bits a token has, and a secret.
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
	 * The secret of a token that this store has made.
	 */
	byte[] secretOf(String token) {
		return digest(this.key, randomOf(token));
	}

	/**
	 * Whether a secret is a token's.
	 */
	public static boolean isOf(String token, byte[] secret) {
		// Anything may stand in a document
		return token.matches("[0-9a-f]{" + 4 * BYTES + "}")
				&& MessageDigest.isEqual(token(randomOf(token), secret).getBytes(StandardCharsets.US_ASCII),
						token.getBytes(StandardCharsets.US_ASCII));
	}

	/**
	 * Hide a block of {@link #BYTES} bytes from all who do not see the document of a
	 * token.
	 */
	public static byte[] seal(byte[] block, String token) {
		return cipher(Cipher.ENCRYPT_MODE, block, token);
	}

	/**
	 * Show it.
	 */
	public static byte[] open(byte[] block, String token) {
		return cipher(Cipher.DECRYPT_MODE, block, token);
	}

	// Each token is a key for single blocks alone, so there is nothing to chain
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
	 * The token that random bits and a secret make.
	 */
	public static String token(byte[] random, byte[] secret) {
		return HEX.formatHex(random) + HEX.formatHex(digest(random, secret));
	}

	// Half of it, of parts whose lengths are always the same
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
