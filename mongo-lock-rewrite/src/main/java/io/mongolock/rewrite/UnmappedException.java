package io.mongolock.rewrite;

/**
 * An annotation cannot be turned.
 */
final class UnmappedException extends RuntimeException {

	UnmappedException(String reason) {
		super(reason);
	}

}
