package io.mongolock.test.embedded;

/**
 * The behaviour of {@code findAndModify} if two clients insert the same {@code _id} at
 * the same time.
 */
public enum UpsertRace {

	/**
	 * The server tries again and updates the document of the other client, as in MongoDB
	 * 5.0 and later.
	 */
	RETRY,

	/**
	 * The second client gets a duplicate key error (11000), as in MongoDB 4.4.
	 */
	CLIENT_ERROR

}
