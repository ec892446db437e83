package io.mongolock.leader;

import java.util.List;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * Endpoint {@code mongoleaders}: shows for which roles this instance leads. The endpoint
 * {@code mongolocks} shows who leads elsewhere, and asks a leader to step down.
 */
@Endpoint(id = "mongoleaders")
class LeadersEndpoint {

	private final LeaderElections elections;

	LeadersEndpoint(LeaderElections elections) {
		this.elections = elections;
	}

	@ReadOperation
	LeadersDescriptor leaders() {
		return new LeadersDescriptor(this.elections.all().stream().map((each) -> {
			OptionalLong term = each.term();
			return new LeaderDescriptor(each.role(), term.isPresent(), term.isPresent() ? term.getAsLong() : null);
		}).toList());
	}

	/**
	 * All elections.
	 *
	 * @param roles one entry for each election
	 */
	record LeadersDescriptor(List<LeaderDescriptor> roles) {

	}

	/**
	 * An election.
	 *
	 * @param role its role
	 * @param leader whether this instance leads
	 * @param term the number of the term, {@code null} if it does not lead
	 */
	record LeaderDescriptor(String role, boolean leader, @Nullable Long term) {

	}

}
