package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.connection.ClusterConnectionMode;
import com.mongodb.connection.ServerDescription;
import org.awaitility.Awaitility;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.Claims;
import io.mongolock.store.StoredHolder;
import io.mongolock.test.proxy.FaultProxy;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Tests for {@link MongoLockStore} on a real server.
 */
@Tag("real-server")
@ExtendWith(RealServerCondition.class)
class RealServerLockStoreTests extends AbstractMongoLockStoreContractTests {

	private static MongoClient client;

	@BeforeAll
	static void connect() {
		client = MongoClients.create(SuiteServer.get().uri().orElseThrow());
	}

	@AfterAll
	static void disconnect() {
		client.close();
	}

	@AfterEach
	void drop() {
		documents().drop();
	}

	@Override
	MongoClient client() {
		return client;
	}

	@Override
	public Duration shortTtl() {
		// Several writes that a majority has to confirm take part of it
		return Duration.ofSeconds(1);
	}

	@Override
	public void elapse(Duration duration) {
		long end = System.nanoTime() + duration.toNanos();
		Awaitility.await()
			.atMost(duration.plusSeconds(5))
			.pollInterval(Duration.ofMillis(5))
			.until(() -> System.nanoTime() - end >= 0);
	}

	// A replica set has kept the document for the driver's second attempt, and no
	// projection of it
	@Test
	void aClaimThatTheDriverRepeatedByItselfIsGrantedAtTheServersTime() {
		Document hello = client.getDatabase(TestTemplates.DATABASE).runCommand(new Document("hello", 1));
		assumeThat(hello.getString("setName")).as("the replica set, because no other kind repeats").isNotNull();
		ConnectionString uri = new ConnectionString(SuiteServer.get().uri().orElseThrow());
		assumeThat(uri.getSslEnabled()).as("TLS, which hides commands").isNotEqualTo(true);
		ServerAddress primary = client.getClusterDescription()
			.getServerDescriptions()
			.stream()
			.filter(ServerDescription::isPrimary)
			.findFirst()
			.orElseThrow()
			.getAddress();
		try (FaultProxy proxy = FaultProxy.to(primary.getHost(), primary.getPort());
				MongoClient retrying = through(proxy, uri)) {
			MongoLockStore store = new MongoLockStore(TestTemplates.template(retrying), "repeated", "");
			for (Claim claim : List.of(Claims.first(Claims.on("first")), Claims.on("general"))) {
				proxy.on("findAndModify").cutBeforeReply().once();
				ClaimAnswer answer = store.acquire(claim, TIMEOUT);
				assertThat(answer.grantTo(claim.id().leaseToken())).get()
					.extracting(StoredHolder::renewedAt)
					.isEqualTo(answer.now());
			}
			assertThat(proxy.requests("findAndModify")).isEqualTo(4);
		}
		finally {
			client.getDatabase(TestTemplates.DATABASE).getCollection("repeated").drop();
		}
	}

	private static MongoClient through(FaultProxy proxy, ConnectionString uri) {
		ServerAddress address = new ServerAddress("127.0.0.1", proxy.port());
		return MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(uri)
			.applyToClusterSettings((cluster) -> cluster.hosts(List.of(address)).mode(ClusterConnectionMode.SINGLE))
			.build());
	}

}
