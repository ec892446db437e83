package io.mongolock.dashboard;

import io.mongolock.client.LockTemplate;

/**
 * Says what this instance did and does with its locks. Thread-safe.
 */
final class ActivitySource {

	private final LockActivity activity;

	private final LockTemplate template;

	ActivitySource(LockActivity activity, LockTemplate template) {
		this.activity = activity;
		this.template = template;
	}

	/**
	 * The latest events, and the present state.
	 * @param seen the number of the last turn that is known already, zero at first
	 */
	Activity since(long seen) {
		return this.activity.since(seen, this.template.held(), this.template.waiting());
	}

}
