package io.mongolock.faults.harness;

import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.proxy.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Target}.
 */
class TargetTests {

	@Test
	void aNamedServerIsReachedDirectlyAndThroughAProxyWithItsOptions() {
		try (EmbeddedMongo server = EmbeddedMongo.start();
				FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port())) {
			Target target = Target.of("mongodb://127.0.0.1:" + server.port() + "/any?directConnection=true&appName=x");
			assertThat(target.connectionString())
				.isEqualTo("mongodb://127.0.0.1:" + server.port() + "/?directConnection=true&appName=x");
			assertThat(target.through(proxy))
				.isEqualTo("mongodb://127.0.0.1:" + proxy.port() + "/?directConnection=true&appName=x");
			assertThat(target.label()).matches("mongod \\d+\\.\\d+\\.\\d+, standalone server");
		}
	}

	@Test
	void aPrimaryThatIsReachedUnderAnotherNameThanItsOwnStaysThere() {
		try (EmbeddedMongo server = EmbeddedMongo.builder().replicaSet().start();
				FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port())) {
			Target target = Target.of("mongodb://127.0.0.1:" + proxy.port() + "/?directConnection=true");
			assertThat(target.port()).isEqualTo(proxy.port());
			assertThat(target.label()).endsWith("replica set of 1 member");
		}
	}

	@Test
	void theKindOfAServerIsWhatItSaysOfItself() {
		assertThat(RealServer.kind(new Document("ok", 1))).isEqualTo("standalone server");
		assertThat(RealServer.kind(new Document("setName", "rs0"))).isEqualTo("replica set");
		assertThat(RealServer.kind(new Document("msg", "isdbgrid"))).isEqualTo("sharded cluster through a mongos");
	}

	@Test
	void aTestThatNeedsAnotherKindSaysWhichAndWhatThereIs() {
		assertThatExceptionOfType(TestAbortedException.class)
			.isThrownBy(() -> RealServer.assertKind("replica set", "sharded cluster through a mongos"))
			.withMessage("needs a replica set: MONGO_LOCK_TEST_URI names a sharded cluster through a mongos");
		RealServer.assertKind("replica set", "replica set");
	}

	@Test
	void aServerThatCannotBeReachedDirectlyIsRefusedWithoutItsPassword() {
		assertThatIllegalArgumentException().isThrownBy(() -> Target.of("mongodb+srv://me:secret@cluster.example.com/"))
			.withMessageContaining("mongodb://[user:password@]host:port")
			.withMessageContaining("cluster.example.com")
			.withMessageNotContaining("secret");
	}

}
