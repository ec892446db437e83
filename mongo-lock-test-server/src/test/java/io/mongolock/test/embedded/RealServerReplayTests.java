package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Replays what was recorded on a real server: the same statement on the same documents
 * must get the same answer and leave the same documents. Runs on embedded servers of each
 * kind, and on the real one of {@code SuiteServer} if there is one.
 */
class RealServerReplayTests {

	/**
	 * What the embedded server answers differently, by recording and case, and why that
	 * is no harm. A case that matches after all must leave this list.
	 */
	private static final Map<Recording, Map<String, String>> NOT_MATCHED = Map.of(Recording.SHARDED_4_4,
			Map.of("TTL index", "only a mongos answers with one reply per shard", //
					"TTL index again, same", "only a mongos answers with one reply per shard", //
					"collMod of the TTL", "only a mongos answers with one reply per shard"));

	/** What 6.0 adds to answers; nobody reads it, and the embedded server is as 5.0. */
	private static final Set<String> SINCE_6_0 = Set.of("wallTime", "retriedStmtId", "retriedStmtIds", "invalidated");

	private static final Set<String> ADDED = Set.of("wallTime", "retriedStmtId", "retriedStmtIds", "invalidated",
			"truncatedArrays");

	private static List<ServerUnderTest> servers;

	/** One for each server, as all of them wait for what a stream does not show. */
	private static final List<ExecutorService> THREADS = new ArrayList<>();

	@BeforeAll
	static void startServers() {
		servers = ServerUnderTest.start(Recording.values());
	}

	@AfterAll
	static void stopServers() {
		THREADS.forEach(ExecutorService::shutdownNow);
		servers.forEach(ServerUnderTest::close);
	}

	@TestFactory
	List<DynamicContainer> answersAsRecorded() {
		return servers.stream().map((server) -> {
			ExecutorService thread = Executors.newSingleThreadExecutor();
			THREADS.add(thread);
			System.out.println("Replaying the recorded statements on " + server.description());
			// What an embedded server is compared with is not left to what it says of
			// itself
			Recording recording = server.isEmbedded() ? Recording.values()[servers.indexOf(server)]
					: server.recording();
			return DynamicContainer.dynamicContainer(recording.file(), recording.cases().stream().map((recorded) -> {
				Future<Replay> replay = thread.submit(() -> Replay.of(recorded, server));
				return DynamicTest.dynamicTest(recorded.name(), () -> check(server, recording, recorded, replay.get()));
			}).toList());
		}).toList();
	}

	@Test
	void eachKindOfServerHasAllStatementsRecorded() {
		List<String> statements = Recording.statements()
			.stream()
			.map((statement) -> statement.getString("name").getValue())
			.toList();
		assertThat(statements).doesNotHaveDuplicates();
		for (Recording recording : Recording.values()) {
			List<String> recorded = recording.cases().stream().map(RecordedCase::name).toList();
			// There is no mongos any more to record the others with
			assertThat(recorded).as(recording.file())
				.hasSize((recording != Recording.SHARDED_4_4) ? statements.size() : 119)
				.isSubsetOf(statements);
		}
	}

	/**
	 * As docs/compatibility.md says.
	 */
	@Test
	void releasesAnswerAlikeButForFieldsThatLaterOnesAdd() {
		List<BsonValue> answers = answersOf(Recording.REPLICA_SET_5_0);
		assertThat(answersOf(Recording.REPLICA_SET_4_4)).isEqualTo(answers);
		assertThat(answersOf(Recording.REPLICA_SET_6_0)).isEqualTo(answers);
	}

	private static List<BsonValue> answersOf(Recording recording) {
		return recording.cases().stream().map((recorded) -> without(ADDED, recorded.answer())).toList();
	}

	private void check(ServerUnderTest server, Recording recording, RecordedCase recorded, Replay replay) {
		BsonDocument answer = recorded.answer().clone();
		answer.remove("name");
		List<String> differences = replay.differences((server.isEmbedded()) ? asOf50(answer) : answer);
		if (server.isEmbedded() && NOT_MATCHED.getOrDefault(recording, Map.of()).containsKey(recorded.name())) {
			assertThat(differences).as("matches now: remove it from NOT_MATCHED").isNotEmpty();
		}
		else {
			assertThat(differences).isEmpty();
		}
	}

	static BsonDocument withoutAddedFields(BsonDocument answers) {
		return without(ADDED, answers).asDocument();
	}

	static BsonDocument asOf50(BsonDocument answers) {
		return without(SINCE_6_0, answers).asDocument();
	}

	private static BsonValue without(Set<String> fields, BsonValue value) {
		if (value instanceof BsonDocument document) {
			BsonDocument without = new BsonDocument();
			document.forEach((name, field) -> {
				if (!fields.contains(name)) {
					without.append(name, without(fields, field));
				}
			});
			return without;
		}
		return (value instanceof BsonArray array)
				? new BsonArray(array.stream().map((each) -> without(fields, each)).toList()) : value;
	}

}
