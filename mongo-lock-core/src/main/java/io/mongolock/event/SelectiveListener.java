package io.mongolock.event;

import io.mongolock.LockListener;

/**
 * A listener that has no use for grants and releases, as there may be thousands a second,
 * or not always.
 */
public interface SelectiveListener extends LockListener {

	/**
	 * Whether to call it for the next grant or release. Must neither block nor throw.
	 */
	boolean hearsGrantsAndReleases();

}
