package io.mongolock.store;

/**
 * The places of a queue that an answer to a waiter leaves out: all places that count,
 * except the waiter's own place and the places at the head.
 *
 * @param ahead how many of them are ahead of the waiter; all of them if it has no place
 * @param limit the smallest limit among the places ahead
 * @param behind how many of them are behind the waiter
 */
public record HiddenPlaces(int ahead, int limit, int behind) {

	/** The answer shows the whole queue. */
	public static final HiddenPlaces NONE = new HiddenPlaces(0, Integer.MAX_VALUE, 0);

	/** The queue was not read, and is shown as empty. */
	public static final HiddenPlaces UNSEEN = new HiddenPlaces(0, Integer.MAX_VALUE, Integer.MAX_VALUE);

	/** How many places at the head are shown to every waiter. */
	public static final int SHOWN = 4;

}
