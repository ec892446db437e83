package io.mongolock.store.mongo;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.connection.ClusterConnectionMode;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ClusterId;
import com.mongodb.connection.ClusterType;
import com.mongodb.connection.ConnectionId;
import com.mongodb.connection.ServerConnectionState;
import com.mongodb.connection.ServerDescription;
import com.mongodb.connection.ServerId;
import com.mongodb.connection.ServerType;
import com.mongodb.event.ClusterDescriptionChangedEvent;
import com.mongodb.event.ServerClosedEvent;
import com.mongodb.event.ServerHeartbeatFailedEvent;
import com.mongodb.event.ServerHeartbeatSucceededEvent;
import org.awaitility.Awaitility;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.mongolock.LockClock;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ServerClockWatch}.
 */
@ExtendWith(OutputCaptureExtension.class)
class ServerClockWatchTests {

	private static final long NOW = 1_800_000_000_000L;

	private static final Duration HOUR = Duration.ofHours(1);

	private final ServerClockWatch watch = new ServerClockWatch(new LockClock() {

		@Override
		public long nanoTime() {
			throw new AssertionError("Only the wall clock is compared");
		}

		@Override
		public long currentTimeMillis() {
			return NOW;
		}

	}, Duration.ofSeconds(6));

	private final List<String> reported = new ArrayList<>();

	@Test
	void aSecondaryWhoseClockIsOffIsReportedWithItsName(CapturedOutput output) {
		this.watch.onClockOff((server, offset) -> this.reported.add(server + " " + offset));
		for (int round = 0; round < 3; round++) {
			hear("db1", 0, "isWritablePrimary", true);
			hear("db2", 4200, "secondary", true);
			hear("db3", 0, "secondary", true);
		}
		assertThat(this.reported).containsExactly("db2:27017 PT4.2S");
		assertThat(output)
			.containsOnlyOnce("The clock of MongoDB server db2:27017 is 4200 ms ahead of the clock of db3:27017");
	}

	@Test
	void aLaterListenerHearsEarlierFindings() {
		for (int round = 0; round < 2; round++) {
			hear("db1", 0, "isWritablePrimary", true);
			hear("db2", -4200, "secondary", true);
		}
		this.watch.onClockOff((server, offset) -> this.reported.add(server + " " + offset));
		assertThat(this.reported).containsExactly("db2:27017 PT-4.2S");
	}

	@Test
	void aClockThatIsSetRightIsReported(CapturedOutput output) {
		for (long offset : new long[] { 4200, 4200, 0, 0 }) {
			hear("db1", 0, "ismaster", true);
			hear("db2", offset, "secondary", true);
			hear("db3", 0, "secondary", true);
		}
		assertThat(output).containsOnlyOnce("WARN")
			.containsOnlyOnce("The clock of MongoDB server db2:27017 agrees with the other servers' clocks again");
	}

	@Test
	void whenAServerWhoseClockIsOffIsRemovedFromTheSetThenItsClockIsNotOffAnyMore() {
		reportTheSecondary();
		changed(List.of("db1", "db2"), List.of("db1"));
		changed(List.of("db1"), List.of("db1"));
		assertThat(this.reported).containsExactly("db2:27017 PT0S");
	}

	/** As one of two beside each other, such as Spring Boot's reactive one. */
	@Test
	void whenAClientOpensOrClosesThenNoClockIsSaidToBeRight() {
		reportTheSecondary();
		changed(List.of(), List.of("db1"));
		changed(List.of("db1", "db2"), List.of());
		assertThat(this.reported).isEmpty();
	}

	private void reportTheSecondary() {
		for (int round = 0; round < 2; round++) {
			hear("db1", 0, "isWritablePrimary", true);
			hear("db2", 4200, "secondary", true);
		}
		this.watch.onClockOff((server, offset) -> this.reported.add(server + " " + offset));
		this.reported.clear();
	}

	private void changed(List<String> before, List<String> after) {
		this.watch.clusterDescriptionChanged(
				new ClusterDescriptionChangedEvent(new ClusterId(), cluster(after), cluster(before)));
	}

	private static ClusterDescription cluster(List<String> servers) {
		return new ClusterDescription(ClusterConnectionMode.MULTIPLE, ClusterType.REPLICA_SET,
				servers.stream()
					.map((server) -> ServerDescription.builder()
						.address(new ServerAddress(server))
						.state(ServerConnectionState.CONNECTING)
						.build())
					.toList());
	}

	@Test
	void theClockOfThisMachineIsNotReported(CapturedOutput output) {
		this.watch.onClockOff((server, offset) -> this.reported.add(server));
		for (int round = 0; round < 2; round++) {
			hear("db1", 5000, "isWritablePrimary", true);
			hear("db2", 5000, "secondary", true);
		}
		assertThat(output).doesNotContain("The clock of");
		assertThat(this.reported).as("no server's fault").isEmpty();
	}

	@Test
	void anotherElectionIsReported() {
		this.watch.onPrimaryChange(() -> this.reported.add("elected"));
		hearPrimary("db1", 1);
		hearPrimary("db1", 1);
		assertThat(this.reported).as("there may have been one before that is unknown").containsExactly("elected");
		hearPrimary("db2", 2);
		assertThat(this.reported).hasSize(2);
		hearPrimary("db1", 1);
		hearPrimary("db2", 2);
		assertThat(this.reported).as("an old primary that came back and does not know").hasSize(2);
		hearPrimary("db1", 3);
		assertThat(this.reported).hasSize(3);
	}

	private void hearPrimary(String server, int term) {
		ServerDescription primary = ServerDescription.builder()
			.address(new ServerAddress(server))
			.state(ServerConnectionState.CONNECTED)
			.ok(true)
			.type(ServerType.REPLICA_SET_PRIMARY)
			.electionId(new ObjectId("7fffffff%016x".formatted(term)))
			.build();
		ClusterDescription cluster = new ClusterDescription(ClusterConnectionMode.MULTIPLE, ClusterType.REPLICA_SET,
				List.of(primary));
		this.watch.clusterDescriptionChanged(new ClusterDescriptionChangedEvent(new ClusterId(), cluster, cluster));
	}

	@Test
	void anArbiterJudgesNoLease(CapturedOutput output) {
		for (int round = 0; round < 3; round++) {
			hear("db1", 0, "isWritablePrimary", true);
			hear("arbiter", 4200, "arbiterOnly", true);
		}
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void theServerThatTakesWritesIsTheJudge() {
		assertThat(this.watch.primaryAddress()).isEmpty();
		hear("db1", 0, "isWritablePrimary", true);
		hear("db2", 0, "secondary", true);
		assertThat(this.watch.primaryAddress()).contains("db1:27017");
		hear("db2", 0, "isWritablePrimary", true);
		assertThat(this.watch.primaryAddress()).as("two mongos, or two that believe they are the primary").isEmpty();
		this.watch.serverHeartbeatFailed(
				new ServerHeartbeatFailedEvent(connection("db1"), 1, false, new IllegalStateException()));
		assertThat(this.watch.primaryAddress()).contains("db2:27017");
		this.watch.serverClosed(new ServerClosedEvent(connection("db2").getServerId()));
		assertThat(this.watch.primaryAddress()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "mongodb://h/?maxPoolSize=2, 2", "mongodb://h/, 100", "mongodb://h/?maxPoolSize=0, 2147483647" })
	void whenItIsAttachedThenItKnowsTheSizeOfThePool(String uri, int connections) {
		ServerClockWatch watch = new ServerClockWatch(LockClock.system(), Duration.ofSeconds(6));
		assertThat(watch.connections()).isEqualTo(Integer.MAX_VALUE);
		watch.attachTo(MongoClientSettings.builder().applyConnectionString(new ConnectionString(uri)));
		assertThat(watch.connections()).isEqualTo(connections);
	}

	@Test
	void theDriversOwnHeartbeatsAreHeard() {
		InstantSource behind = InstantSource.offset(InstantSource.system(), HOUR.negated());
		ServerClockWatch heard = new ServerClockWatch(LockClock.system(), Duration.ofSeconds(6));
		Map<String, Duration> off = new ConcurrentHashMap<>();
		heard.onClockOff(off::put);
		try (EmbeddedMongo server = EmbeddedMongo.builder().clock(behind).start()) {
			MongoClientSettings.Builder settings = MongoClientSettings.builder()
				.applyConnectionString(new ConnectionString(server.connectionString() + "/?heartbeatFrequencyMS=500"));
			heard.attachTo(settings);
			try (MongoClient client = MongoClients.create(settings.build())) {
				Awaitility.await().until(() -> {
					heard.serverHeartbeatSucceeded(heartbeat("right", System.currentTimeMillis(), "secondary", true));
					return !off.isEmpty();
				});
				assertThat(off).containsOnlyKeys("right:27017");
				assertThat(off.get("right:27017")).as("ahead of the server")
					.isBetween(HOUR.minusSeconds(30), HOUR.plusSeconds(30));
				assertThat(client.getClusterDescription().getServerDescriptions()).singleElement()
					.satisfies((one) -> assertThat(heard.primaryAddress()).contains(one.getAddress().toString()));
			}
		}
		assertThat(heard.primaryAddress()).as("closed").isEmpty();
	}

	private void hear(String host, long offset, String field, boolean value) {
		this.watch.serverHeartbeatSucceeded(heartbeat(host, NOW + offset, field, value));
	}

	private static ServerHeartbeatSucceededEvent heartbeat(String host, long time, String field, boolean value) {
		BsonDocument reply = new BsonDocument("localTime", new BsonDateTime(time)).append(field,
				BsonBoolean.valueOf(value));
		return new ServerHeartbeatSucceededEvent(connection(host), reply, TimeUnit.MILLISECONDS.toNanos(1), false);
	}

	private static ConnectionId connection(String host) {
		return new ConnectionId(new ServerId(new ClusterId(), new ServerAddress(host)));
	}

}
