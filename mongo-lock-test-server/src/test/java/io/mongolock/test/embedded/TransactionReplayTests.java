package io.mongolock.test.embedded;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replays transactions of several sessions on embedded replica sets, and on the real one
 * of {@code SuiteServer} if there is one: each statement must be answered, or have to
 * wait, as it was recorded.
 */
class TransactionReplayTests {

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

	@TestFactory
	List<DynamicContainer> answersAsRecorded() {
		return servers.stream()
			.filter((server) -> server.isEmbedded() || server.recording().isReplicaSet())
			.map((server) -> {
				Recording recording = server.isEmbedded() ? RECORDINGS.get(servers.indexOf(server))
						: server.recording();
				return DynamicContainer.dynamicContainer(server.description(), tests(server, byName(recording)));
			})
			.toList();
	}

	private static List<DynamicTest> tests(ServerUnderTest server, Map<String, BsonDocument> recorded) {
		return TransactionScenario.all()
			.stream()
			.map((scenario) -> DynamicTest.dynamicTest(scenario.name(),
					() -> check(scenario, server, recorded.get(scenario.name()))))
			.toList();
	}

	private static void check(TransactionScenario scenario, ServerUnderTest server, BsonDocument recorded) {
		BsonDocument answers = recorded.clone();
		answers.remove("name");
		if (server.isEmbedded()) {
			answers = RealServerReplayTests.asOf50(answers);
		}
		assertThat(RelativeTimes.differences(answers, scenario.run(server, recorded), new RelativeTimes.Span(0, 0)))
			.isEmpty();
	}

	@Test
	void releasesAnswerAlikeButForFieldsThatLaterOnesAdd() {
		Map<String, BsonDocument> expected = byName(Recording.REPLICA_SET_6_0);
		assertThat(expected).hasSameSizeAs(TransactionScenario.all());
		expected.replaceAll((name, answers) -> RealServerReplayTests.withoutAddedFields(answers));
		for (Recording recording : RECORDINGS) {
			Map<String, BsonDocument> actual = byName(recording);
			actual.replaceAll((name, answers) -> RealServerReplayTests.withoutAddedFields(answers));
			assertThat(actual).as(recording.transactionsFile()).isEqualTo(expected);
		}
	}

	private static Map<String, BsonDocument> byName(Recording recording) {
		return recording.transactionAnswers()
			.stream()
			.collect(Collectors.toMap((answers) -> answers.getString("name").getValue(), Function.identity()));
	}

}
