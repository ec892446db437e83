package io.mongolock.mongodb.store;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

import javax.crypto.Mac;
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

	private final SecretKeySpec key;

	LeaseSecrets() {
		byte[] bits = new byte[2 * BYTES];
		new SecureRandom().nextBytes(bits);
		this.key = new SecretKeySpec(bits, "HmacSHA256");
	}

	/**
	 * The token of an attempt.
	 */
	String token(String random) {
		byte[] bits = HEX.parseHex(random);
		return token(bits, secret(bits));
	}

	/**
	 * The secret of a token that this store has made.
	 */
	byte[] secretOf(String token) {
		return secret(randomOf(token));
	}

	/**
	 * The random bits of a token.
	 */
	public static byte[] randomOf(String token) {
		return HEX.parseHex(token.substring(0, 2 * BYTES));
	}

	/**
	 * The token that random bits and a secret make.
	 */
	public static String token(byte[] random, byte[] secret) {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			digest.update(random);
			return HEX.formatHex(random) + HEX.formatHex(Arrays.copyOf(digest.digest(secret), BYTES));
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("This JVM has no SHA-256, which every one has to have", ex);
		}
	}

	private byte[] secret(byte[] random) {
		try {
			Mac mac = Mac.getInstance(this.key.getAlgorithm());
			mac.init(this.key);
			return Arrays.copyOf(mac.doFinal(random), BYTES);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("This JVM has no HmacSHA256, which every one has to have", ex);
		}
	}

}
