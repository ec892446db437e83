package io.mongolock.leader;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the actuator's view of the elections.
 */
@AutoConfiguration(after = LeaderElectionAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(LeaderElection.class)
@ConditionalOnAvailableEndpoint(LeadersEndpoint.class)
public final class LeaderEndpointAutoConfiguration {

	@Bean
	LeadersEndpoint mongoLeadersEndpoint(LeaderElections elections) {
		return new LeadersEndpoint(elections);
	}

}
