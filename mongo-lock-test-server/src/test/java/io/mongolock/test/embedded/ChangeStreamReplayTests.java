package io.mongolock.test.embedded;

import java.util.Iterator;
import java.util.List;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replays which events of a change stream each statement of the locks caused on a real
 * replica set, on an embedded one of each version, and on the real one of
 * {@code SuiteServer} if there is one. What else a stream answers is among the statements
 * of {@link RealServerReplayTests}.
 */
class ChangeStreamReplayTests {

	private static final List<Recording> RECORDINGS = List.of(Recording.REPLICA_SET_4_4, Recording.REPLICA_SET_5_0,
			Recording.REPLICA_SET_6_0);

	private static List<ServerUnderTest> servers;

	@BeforeAll
	static void startServers() {
		servers = ServerUnderTest.start(RECORDINGS.toArray(Recording[]::new));
	}

	@AfterAll
	static void stopServers() {
		servers.forEach(ServerUnderTest::close);
	}

	static List<ServerUnderTest> servers() {
		return servers;
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("servers")
	void eachStatementCausesTheRecordedEvents(ServerUnderTest server) {
		assumeReplicaSet(server);
		Iterator<ChangeStreamStep> steps = ChangeStreamStep.all().iterator();
		ChangeStreamStep.Events stream = ChangeStreamStep.Events.open(server);
		for (BsonDocument recorded : recording(server).changeStream()) {
			ChangeStreamStep step = steps.next();
			assertThat(recorded.getString("step").getValue()).isEqualTo(step.name());
			BsonArray events = recorded.getArray("events");
			step.run(server);
			assertThat(RelativeTimes.differences(events, stream.read(events.size()), new RelativeTimes.Span(0, 0)))
				.as(step.name())
				.isEmpty();
		}
		assertThat(steps).isExhausted();
		assertThat(stream.isOpen()).as("after an invalidate").isFalse();
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("servers")
	void aStreamOnWhichNothingHappensAnswersEmptyInTime(ServerUnderTest server) {
		assumeReplicaSet(server);
		ChangeStreamStep.Events stream = ChangeStreamStep.Events.open(server);
		long start = System.nanoTime();
		assertThat(stream.more(200)).isEmpty();
		assertThat(System.nanoTime() - start).isGreaterThan(150_000_000L);
	}

	/**
	 * It is how often the store looks whether somebody still waits.
	 */
	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("servers")
	void withoutATimeItAnswersEmptyAfterASecond(ServerUnderTest server) {
		assumeReplicaSet(server);
		ChangeStreamStep.Events stream = ChangeStreamStep.Events.open(server);
		long start = System.nanoTime();
		assertThat(stream.more()).isEmpty();
		assertThat(System.nanoTime() - start).isGreaterThan(950_000_000L);
	}

	private static void assumeReplicaSet(ServerUnderTest server) {
		Assumptions.assumeTrue(server.isEmbedded() || server.recording().isReplicaSet(),
				"a standalone server has no change streams, and the events were recorded on replica sets");
	}

	/**
	 * What an embedded server is compared with is not left to what it says of itself.
	 */
	private static Recording recording(ServerUnderTest server) {
		return server.isEmbedded() ? RECORDINGS.get(servers.indexOf(server)) : server.recording();
	}

}
