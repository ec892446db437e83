package io.mongolock.dashboard;

import org.jspecify.annotations.Nullable;

import io.mongolock.client.LockTemplate;

/**
 * Reports the activity of this instance's locks. Thread-safe.
 */
final class ActivitySource {

	private final LockActivity activity;

	/** {@code null} if a test has replaced it with a mock. */
	private final @Nullable LockTemplate template;

	ActivitySource(LockActivity activity, @Nullable LockTemplate template) {
		this.activity = activity;
		this.template = template;
	}

	/**
	 * The latest events, and the present state.
	 * @param seen the number of the last turn that the page knows already, zero at first
	 */
	Activity since(long seen) {
		return (this.template != null) ? this.activity.since(seen, this.template.held(), this.template.waiting())
				: this.activity.since(seen, 0, 0);
	}

}
