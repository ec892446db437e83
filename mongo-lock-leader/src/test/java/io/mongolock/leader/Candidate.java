package io.mongolock.leader;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.springframework.context.ApplicationEventPublisher;

import io.mongolock.LockApplicationEvent;
import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.LockSettings;
import io.mongolock.LossReason;
import io.mongolock.ReleaseRequest;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.LockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An instance of an application that stands for a role, without its context.
 */
final class Candidate implements LockListener, ApplicationEventPublisher {

	static final String ROLE = "reports";

	static final String KEY = "leader:reports";

	final List<String> heard = new CopyOnWriteArrayList<>();

	final LockTemplate client;

	final LeaderElection election;

	volatile Runnable onEvent = () -> {
	};

	Candidate(LockStore store, LockClock clock, LockSettings settings) {
		ConfiguredSettings configured = new ConfiguredSettings(settings, Map.of(), null);
		this.client = new LockTemplate(store,
				new ClientOptions(configured, new LockOwner("app", "1", "host", 42, ""), clock, List.of(this)));
		// It hears of losses, and does not have to look itself
		this.election = new LeaderElection(ROLE, this.client, this, Duration.ofMinutes(2),
				(task) -> new Thread(task).start());
	}

	Candidate start() {
		this.election.start();
		return this;
	}

	void end() {
		this.election.stop();
		this.client.stop(Duration.ofSeconds(5));
	}

	void awaitLeader() {
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(this.election::isLeader);
	}

	void awaitWaiting() {
		Awaitility.await().until(() -> this.client.waiting() > 0);
	}

	void awaitHeard(String... events) {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(this.heard).containsExactly(events));
	}

	@Override
	public void onLost(LockHandle handle, LossReason reason) {
		this.election.onLost(new LockApplicationEvent.Lost(handle, reason));
	}

	@Override
	public void onReleaseRequested(LockHandle handle, ReleaseRequest request) {
		this.election.onReleaseRequested(new LockApplicationEvent.ReleaseRequested(handle, request));
	}

	@Override
	public void publishEvent(Object event) {
		this.heard.add((event instanceof LeaderElectionEvent.Granted) ? "granted" : "revoked");
		this.onEvent.run();
	}

}
