package io.mongolock.event;

import io.mongolock.LockListener;

/**
 * A listener that wants grants and releases never, or not always, because there may be
 * thousands of them a second.
 */
public interface SelectiveListener extends LockListener {

	/**
	 * Whether the listener wants the next grant or release. Must neither block nor throw.
	 */
	boolean hearsGrantsAndReleases();

}
