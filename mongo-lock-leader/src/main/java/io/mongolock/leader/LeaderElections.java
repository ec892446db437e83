package io.mongolock.leader;

import java.util.List;
import java.util.stream.Collectors;

import org.springframework.beans.factory.ObjectProvider;

import io.mongolock.spi.LockStartupException;

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
	 * @throws LockStartupException if there is not exactly one
	 */
	LeaderElection of(String role) {
		List<LeaderElection> ofRole = all().stream().filter((each) -> each.role().equals(role)).toList();
		if (ofRole.size() != 1) {
			throw new LockStartupException("There are " + ofRole.size() + " LeaderElection beans of the role '" + role
					+ "', which @LeaderOnly names, and there must be one; "
					+ ((all().isEmpty()) ? "there is none of any role." : "those that are there have the roles '"
							+ all().stream().map(LeaderElection::role).collect(Collectors.joining("', '")) + "'."),
					"Declare one bean of it: new LeaderElection(\"" + role
							+ "\", locks, action), or have @LeaderOnly name " + "the role of another.");
		}
		return ofRole.get(0);
	}

}
