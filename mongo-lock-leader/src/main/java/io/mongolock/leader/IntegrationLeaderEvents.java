package io.mongolock.leader;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;

/**
 * Publishes elections as events of Spring Integration, which start and stop its endpoints
 * of the role. It comes before other listeners, because a failing listener ends the
 * publication of an event.
 */
final class IntegrationLeaderEvents {

	private final ApplicationEventPublisher events;

	IntegrationLeaderEvents(ApplicationEventPublisher events) {
		this.events = events;
	}

	@EventListener
	@Order(Ordered.HIGHEST_PRECEDENCE)
	void on(LeaderElectionEvent.Granted event) {
		this.events.publishEvent(
				new OnGrantedEvent(event.election(), new ElectionContext(event.election()), event.election().role()));
	}

	@EventListener
	@Order(Ordered.HIGHEST_PRECEDENCE)
	void on(LeaderElectionEvent.Revoked event) {
		this.events.publishEvent(
				new OnRevokedEvent(event.election(), new ElectionContext(event.election()), event.election().role()));
	}

	/**
	 * An election as Spring Integration sees it.
	 *
	 * @param election the election
	 */
	private record ElectionContext(LeaderElection election) implements Context {

		@Override
		public boolean isLeader() {
			return this.election.isLeader();
		}

		@Override
		public void yield() {
			this.election.stepDown();
		}

		@Override
		public String getRole() {
			return this.election.role();
		}

	}

}
