package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.List;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.connection.ClusterConnectionMode;
import org.awaitility.Awaitility;
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

	@Test
	void aClaimWhoseConnectionBreaksIsAskedAgainWithTheSameGrant() {
		ConnectionString uri = new ConnectionString(SuiteServer.get().uri().orElseThrow());
		assumeThat(uri.getSslEnabled()).as("TLS, which hides commands").isNotEqualTo(true);
		ServerAddress primary = client.getClusterDescription()
			.getServerDescriptions()
			.stream()
			.filter((server) -> server.isPrimary() || server.isStandAlone())
			.findFirst()
			.orElseThrow()
			.getAddress();
		try (FaultProxy proxy = FaultProxy.to(primary.getHost(), primary.getPort());
				MongoClient cut = through(proxy, uri)) {
			MongoLockStore store = new MongoLockStore(TestTemplates.template(cut), "repeated", "");
			for (Claim claim : List.of(Claims.first(Claims.on("first")), Claims.on("general"))) {
				proxy.on("findAndModify").cutBeforeReply().once();
				ClaimAnswer answer = store.acquire(claim, TIMEOUT);
				assertThat(answer.grantTo(claim.id().leaseToken())).get()
					.extracting(StoredHolder::fence)
					.isEqualTo(store.acquire(claim, TIMEOUT).lock().fence());
				assertThat(answer.inDoubt()).isTrue();
			}
			assertThat(proxy.requests("findAndModify")).isEqualTo(6);
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
