package io.mongolock.leader.elsewhere;

import io.mongolock.leader.LeaderOnly;

/**
 * Whose guarded method a class of another package cannot override.
 */
public class OfAnotherPackage {

	@LeaderOnly("reports")
	void work() {
	}

}
