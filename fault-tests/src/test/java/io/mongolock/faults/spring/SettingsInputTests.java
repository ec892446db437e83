package io.mongolock.faults.spring;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Settings that cannot work keep the application from starting; the others are data.
 */
@Timeout(120)
@ReadsOutput
class SettingsInputTests {

	@AutoClose
	private static final EmbeddedMongo mongo = EmbeddedMongo.start();

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			mongo-lock.ttl=0s                     | 100ms
			mongo-lock.ttl=-5s                    | 100ms
			mongo-lock.ttl=5 parsecs              | parsecs
			mongo-lock.ttl=P9999999D              | mongo-lock.ttl
			mongo-lock.margin=5s                  | 5000ms
			mongo-lock.renew-interval=4s          | 4000ms
			mongo-lock.wait-timeout=-1s           | wait
			mongo-lock.locks.order.ttl=900ms      | order
			mongo-lock.ttl-index.retention=8s     | retention
			mongo-lock.collection=a$b             | a$b
			mongo-lock.collection=${no.such}      | mongo-lock.collection
			mongo-lock.collection=system.locks    | system.
			""")
	@ShowsRow(value = 41, level = Level.SPRING)
	void aSettingThatCannotWorkIsRefusedAtStart(String property, String said, CapturedOutput output) {
		assertThatException()
			.isThrownBy(() -> SpringApp.start(mongo.connectionString(), Guarded.class, property).close());
		assertThat(output).contains("APPLICATION FAILED TO START").contains(said).doesNotContain("\tat ");
	}

	@Test
	@ShowsRow(value = 41, level = Level.SPRING)
	void aPrefixWithoutRoomForKeysIsRefusedAtStart(CapturedOutput output) {
		assertThatException().isThrownBy(() -> SpringApp
			.start(mongo.connectionString(), Guarded.class, "mongo-lock.key-prefix=" + "p".repeat(1024))
			.close());
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("1024 bytes")
			.contains("at most 1023 bytes")
			.doesNotContain("\tat ");
	}

	@ParameterizedTest
	@CsvSource({ "$where:", "$$ROOT.", "#{T(java.lang.Runtime)}", "T(java.lang.Runtime).getRuntime()", "ä😀" })
	@ShowsRow(value = 40, level = Level.SPRING)
	void aPrefixIsStoredExactly(String prefix) {
		try (ConfigurableApplicationContext context = SpringApp.start(mongo.connectionString(), Guarded.class,
				"mongo-lock.key-prefix=" + prefix); OtherClient other = new OtherClient(mongo.connectionString())) {
			String key = context.getBean(Guarded.class)
				.run("a", () -> assertThat(other.holder(prefix + Guarded.key("a"))).isPresent());
			assertThat(key).isEqualTo(Guarded.key("a"));
		}
	}

}
