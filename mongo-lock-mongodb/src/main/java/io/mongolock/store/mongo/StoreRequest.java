package io.mongolock.store.mongo;

import java.time.Duration;

import io.mongolock.store.KeyText;

/**
 * A request to the server, as far as its failure has to name it.
 *
 * @param operation what is done to the lock, a verb
 * @param key the key of the lock, or of the first one, empty if none is named
 * @param timeout how long it may take, zero if the transaction that it is part of says so
 * @param write whether it changes anything
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
	 * The verb of a request for some locks, to be followed by the key of the first.
	 */
	static String ofLocks(String operation, int count) {
		return operation + ((count != 1) ? " " + count + " locks, the first of them" : " lock");
	}

	/**
	 * The timeout as the driver takes it, to which zero would mean for ever.
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
