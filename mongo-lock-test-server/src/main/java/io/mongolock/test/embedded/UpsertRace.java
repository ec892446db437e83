package io.mongolock.test.embedded;

/**
 * What {@code findAndModify} does when two clients insert the same {@code _id} at the
 * same time.
 */
public enum UpsertRace {

	/**
	 * The server tries again and updates the other one's document, as MongoDB 5.0 and
	 * later do.
	 */
	RETRY,

	/**
	 * The loser gets a duplicate key error (11000), as from MongoDB 4.4.
	 */
	CLIENT_ERROR

}
