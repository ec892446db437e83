package io.mongolock.store.mongo;

import java.time.Duration;

import io.mongolock.store.KeyText;

/**
 * A request to the server, with all that a message on its failure needs.
 *
 * @param operation the verb for messages
 * @param key the key of the lock, or of the first of several; empty if no key is named
 * @param timeout how long the request may take; zero if its transaction has the limit
 * @param write whether the request writes
 */
record StoreRequest(String operation, String key, Duration timeout, boolean write) {

	/** The operation that looks at an index and creates it. */
	static final String INDEX = "check the index";

	static StoreRequest write(String operation, String key, Duration timeout) {
		return new StoreRequest(operation, key, timeout, true);
	}

	static StoreRequest read(String operation, String key, Duration timeout) {
		return new StoreRequest(operation, key, timeout, false);
	}

	/**
	 * The verb of a request for several locks. The key of the first lock must follow it.
	 */
	static String ofLocks(String operation, int count) {
		return operation + ((count != 1) ? " " + count + " locks, the first of them" : " lock");
	}

	/**
	 * The timeout for the driver, which would wait forever at zero.
	 * @return milliseconds, at least 1
	 */
	long timeoutMillis() {
		return Math.max(1, this.timeout.toMillis());
	}

	/**
	 * The privileges that the user of the connection needs for this request.
	 */
	String privileges() {
		return (this.operation.equals(INDEX)) ? "listIndexes and createIndex" : "find, insert and update";
	}

	@Override
	public String toString() {
		return this.operation + ((this.key.isEmpty()) ? "" : " '" + KeyText.printable(this.key) + "'");
	}

}
