package io.mongolock.faults.harness;

import org.junit.jupiter.api.Test;

import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.proxy.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
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
			assertThat(target.label()).matches("mongod \\d+\\.\\d+\\.\\d+, standalone");
		}
	}

	@Test
	void aServerThatCannotBeReachedDirectlyIsRefusedWithoutItsPassword() {
		assertThatIllegalArgumentException().isThrownBy(() -> Target.of("mongodb+srv://me:secret@cluster.example.com/"))
			.withMessageContaining("mongodb://[user:password@]host:port")
			.withMessageContaining("cluster.example.com")
			.withMessageNotContaining("secret");
	}

}
