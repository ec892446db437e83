package io.mongolock.leader;

import java.util.List;
import java.util.stream.Collectors;

import org.springframework.beans.factory.ObjectProvider;

/**
 * The elections of this application. Thread-safe.
 */
final class LeaderElections {

	private final ObjectProvider<LeaderElection> elections;

	LeaderElections(ObjectProvider<LeaderElection> elections) {
		this.elections = elections;
	}

	List<LeaderElection> all() {
		return this.elections.orderedStream().toList();
	}

	/**
	 * The election of a role.
	 * @throws IllegalStateException if there is not exactly one
	 */
	LeaderElection of(String role) {
		List<LeaderElection> ofRole = all().stream().filter((each) -> each.role().equals(role)).toList();
		if (ofRole.size() != 1) {
			throw new IllegalStateException("There are " + ofRole.size() + " LeaderElection beans of the role '" + role
					+ "' that @LeaderOnly names, and there must be one; the roles of all: "
					+ all().stream().map(LeaderElection::role).collect(Collectors.joining(", ")));
		}
		return ofRole.get(0);
	}

}
