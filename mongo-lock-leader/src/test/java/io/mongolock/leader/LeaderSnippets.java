package io.mongolock.leader;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import io.mongolock.LockContext;
import io.mongolock.LockOperations;

/**
 * The Java of docs/leader-election.md, which the tests run.
 */
@Configuration(proxyBeanMethods = false)
@EnableScheduling
class LeaderSnippets {

	@Bean
	LeaderElection reports(LockOperations locks, ApplicationEventPublisher events) {
		return new LeaderElection("reports", locks, events);
	}

	/** What the leader does. */
	static class Reports {

		private final List<String> done = new CopyOnWriteArrayList<>();

		private final LeaderElection election;

		Reports(LeaderElection election) {
			this.election = election;
		}

		@LeaderOnly("reports")
		@Scheduled(fixedDelay = 10)
		void build() {
			write("built", LockContext.current().fence());
		}

		void buildNow() {
			this.election.ifLeader(() -> write("built now", this.election.term().getAsLong()));
		}

		@EventListener
		void on(LeaderElectionEvent.Granted event) {
			write("granted", event.term());
		}

		@EventListener
		void on(LeaderElectionEvent.Revoked event) {
			write("revoked", event.term());
		}

		List<String> done() {
			return this.done;
		}

		private void write(String what, long term) {
			this.done.add(what + " " + term);
		}

	}

}
