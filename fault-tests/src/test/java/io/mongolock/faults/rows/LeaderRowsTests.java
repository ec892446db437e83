package io.mongolock.faults.rows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.RealSet;
import io.mongolock.faults.harness.WorkerProcesses;
import io.mongolock.faults.harness.history.HistoryReport;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.worker.Candidate;
import io.mongolock.faults.harness.worker.WorkerJvm;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.proxy.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Rows 92 and 93: three processes stand for a role, and whatever befalls the leader or
 * its servers, the history of who led when is that of a lock.
 */
@Tag("process")
@Timeout(300)
class LeaderRowsTests {

	private static final Duration TTL = Duration.ofSeconds(4);

	private final List<WorkerJvm<Candidate>> all = new ArrayList<>();

	@Test
	@ShowsRow(value = 92, level = Level.SERVER)
	void thereIsOneLeaderAtATimeThoughLeadersFreezeAndDie(RowFigures figures) {
		try (WorkerProcesses processes = new WorkerProcesses()) {
			start(3, processes, processes.connectionString());
			freezeTheLeader(processes);
			killTheLeader(processes);
			assertOneAtATime(processes, figures.server(processes.label()), 3);
		}
	}

	@Test
	@Tag("real-server")
	@ShowsRow(value = 92, level = Level.REPLICA_SET)
	void thereIsOneLeaderAtATimeThoughPrimariesAreReplaced(RowFigures figures) {
		try (RealSet set = new RealSet();
				WorkerProcesses processes = WorkerProcesses.on(set.members().connectionString(), set.label())) {
			start(3, processes, processes.connectionString());
			freezeTheLeader(processes);
			set.stepDown();
			freezeTheLeader(processes);
			set.members().primary().kill();
			killTheLeader(processes);
			assertOneAtATime(processes, figures.server(set.label()), 4);
		}
	}

	@Test
	@ShowsRow(value = 93, level = Level.PROXY)
	void aLeaderThatIsCutOffStepsDownByItselfBeforeTheNextOneLeads(RowFigures figures) {
		try (EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();
				FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
				WorkerProcesses processes = WorkerProcesses.on(server.connectionString(), "embedded")) {
			start(1, processes, proxy.connectionString());
			long term = leader().ask(Candidate::term);
			start(2, processes, processes.connectionString());
			proxy.blackhole();
			awaitTermAfter(term);
			assertThat(this.all.get(0).<Boolean>ask(Candidate::isLeader)).isFalse();
			proxy.heal();
			assertOneAtATime(processes, figures.server(processes.label()), 2);
		}
	}

	private void start(int number, WorkerProcesses processes, String connectionString) {
		for (int i = 0; i < number; i++) {
			this.all.add(processes.start((histories) -> start(connectionString, histories.toString())));
		}
		this.all.forEach(WorkerJvm::awaitReady);
		awaitTermAfter(0);
	}

	private static WorkerJvm<Candidate> start(String connectionString, String histories) {
		return new WorkerJvm<>(List.of("-Xmx128m"), () -> Candidate.standing(connectionString, TTL, histories));
	}

	private void freezeTheLeader(WorkerProcesses processes) {
		WorkerJvm<Candidate> leader = leader();
		long term = leader.ask(Candidate::term);
		this.all.remove(leader);
		processes.suspend(List.of(leader), () -> awaitTermAfter(term));
		this.all.add(leader);
	}

	private void killTheLeader(WorkerProcesses processes) {
		WorkerJvm<Candidate> leader = leader();
		long term = leader.ask(Candidate::term);
		this.all.remove(leader);
		processes.kill(leader);
		awaitTermAfter(term);
	}

	private void assertOneAtATime(WorkerProcesses processes, RowFigures figures, int terms) {
		this.all.forEach((candidate) -> assertThat(candidate.<Boolean>ask(Candidate::finish)).isTrue());
		// A claim that was underway may be executed after its candidate has gone
		await().atMost(Harness.LONG).until(() -> processes.remaining(Candidate.KEY).isZero());
		HistoryReport report = processes.assertClean();
		assertThat(report.sections()).isGreaterThanOrEqualTo(terms);
		figures.add("terms", report.sections()).add("times that a leader said so", report.checks());
	}

	private WorkerJvm<Candidate> leader() {
		await().atMost(Harness.LONG).until(() -> this.all.stream().anyMatch((one) -> one.ask(Candidate::isLeader)));
		return this.all.stream().max(Comparator.comparingLong((one) -> one.ask(Candidate::term))).orElseThrow();
	}

	private void awaitTermAfter(long term) {
		await().atMost(Harness.LONG).until(() -> terms().anyMatch((one) -> one > term));
	}

	private Stream<Long> terms() {
		return this.all.stream().map((one) -> one.ask(Candidate::term));
	}

}
