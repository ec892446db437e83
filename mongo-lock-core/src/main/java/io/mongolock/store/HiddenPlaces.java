package io.mongolock.store;

/**
 * The places in the queue of a lock that an answer to one who waits leaves out: all that
 * count but those at the head, and its own.
 *
 * @param ahead how many of them are ahead of it; of all, if it has no place itself
 * @param limit the smallest limit among those
 * @param behind how many are behind it
 */
public record HiddenPlaces(int ahead, int limit, int behind) {

	/** The answer shows the whole queue. */
	public static final HiddenPlaces NONE = new HiddenPlaces(0, Integer.MAX_VALUE, 0);

	/** Nobody looked at the queue, which is shown as empty. */
	public static final HiddenPlaces UNSEEN = new HiddenPlaces(0, Integer.MAX_VALUE, Integer.MAX_VALUE);

	/** So many at the head are shown to everybody. */
	public static final int SHOWN = 4;

}
