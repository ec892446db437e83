package io.mongolock.leader;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.awaitility.Awaitility;
import org.bson.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.opentest4j.TestAbortedException;

import io.mongolock.leader.CandidateJvm.Claim;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.server.MongodBinary;
import io.mongolock.test.server.RealMongo;
import io.mongolock.test.server.TestOutput;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * There are never two leaders: three processes stand for a role, and whichever leads is
 * frozen, or the primary steps down.
 */
@Tag("process")
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "it cannot freeze a process")
@Timeout(300)
class OneLeaderTests {

	private static final Duration WAIT = Duration.ofMinutes(1);

	@Test
	void onTheEmbeddedServer() {
		try (EmbeddedMongo server = EmbeddedMongo.builder().start();
				CandidateJvm one = new CandidateJvm(server.connectionString());
				CandidateJvm two = new CandidateJvm(server.connectionString());
				CandidateJvm three = new CandidateJvm(server.connectionString())) {
			List<CandidateJvm> all = List.of(one, two, three);
			freezeTheLeader(all);
			killTheLeader(all);
			assertOneAtATime(all);
		}
	}

	@Test
	@Tag("real-server")
	void onARealSetOfThree() {
		MongodBinary binary = MongodBinary.find().orElseThrow(() -> {
			String reason = "Skipped onARealSetOfThree, which needs a mongod: set " + MongodBinary.NAME;
			TestOutput.say(reason);
			return new TestAbortedException(reason);
		});
		try (RealMongo servers = RealMongo.builder(binary).replicaSet(3).start();
				CandidateJvm one = new CandidateJvm(servers.connectionString());
				CandidateJvm two = new CandidateJvm(servers.connectionString());
				CandidateJvm three = new CandidateJvm(servers.connectionString())) {
			List<CandidateJvm> all = List.of(one, two, three);
			freezeTheLeader(all);
			stepDown(servers);
			awaitClaimAfter(System.currentTimeMillis(), all);
			freezeTheLeader(all);
			servers.primary().kill();
			killTheLeader(all);
			assertOneAtATime(all);
		}
	}

	private static void freezeTheLeader(List<CandidateJvm> all) {
		Claim last = last(all);
		CandidateJvm leader = of(last, all);
		leader.freeze();
		awaitTermAfter(last.term(), all);
		leader.thaw();
	}

	private static void killTheLeader(List<CandidateJvm> all) {
		Claim last = last(all);
		of(last, all).close();
		awaitTermAfter(last.term(), all);
	}

	private static void stepDown(RealMongo servers) {
		try (MongoClient client = MongoClients.create(servers.connectionString())) {
			client.getDatabase("admin").runCommand(new Document("replSetStepDown", 10).append("force", true));
		}
		catch (MongoException ex) {
			// 4.4 may end the connection that asked
			assertThat(servers.primary()).isNotNull();
		}
	}

	private static void awaitTermAfter(long term, List<CandidateJvm> all) {
		Awaitility.await().atMost(WAIT).until(() -> claims(all).anyMatch((claim) -> claim.term() > term));
	}

	private static void awaitClaimAfter(long time, List<CandidateJvm> all) {
		Awaitility.await().atMost(WAIT).until(() -> claims(all).anyMatch((claim) -> claim.at() > time));
	}

	private static Claim last(List<CandidateJvm> all) {
		awaitTermAfter(0, all);
		return claims(all).max(Comparator.comparingLong(Claim::term)).orElseThrow();
	}

	private static CandidateJvm of(Claim claim, List<CandidateJvm> all) {
		return all.stream()
			.filter((each) -> each.claims().stream().anyMatch((one) -> one.term() == claim.term()))
			.findFirst()
			.orElseThrow();
	}

	private static Stream<Claim> claims(List<CandidateJvm> all) {
		return all.stream().flatMap((each) -> each.claims().stream());
	}

	private static void assertOneAtATime(List<CandidateJvm> all) {
		TreeMap<Long, LongSummaryStatistics> terms = claims(all)
			.collect(Collectors.groupingBy(Claim::term, TreeMap::new, Collectors.summarizingLong(Claim::at)));
		assertThat(terms).hasSizeGreaterThan(2);
		terms.forEach((term, times) -> {
			assertThat(all.stream().filter((each) -> each.claims().stream().anyMatch((one) -> one.term() == term)))
				.hasSize(1);
			if (terms.higherKey(term) != null) {
				assertThat(times.getMax()).isLessThan(terms.higherEntry(term).getValue().getMin());
			}
		});
	}

}
