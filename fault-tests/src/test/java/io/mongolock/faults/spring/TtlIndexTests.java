package io.mongolock.faults.spring;

import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.faults.harness.ReadsOutput;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The TTL index is there with other options: the application starts and says how to
 * repair it.
 */
@Timeout(120)
@ReadsOutput
class TtlIndexTests {

	static final List<Arguments> indexes = List.of(
			Arguments.of("another retention", new IndexOptions().expireAfter(60L, TimeUnit.SECONDS),
					"db.runCommand({collMod: \"locks\", index: {name: \"touchedAt_1\", expireAfterSeconds: 604800}})"),
			Arguments.of("no retention", new IndexOptions().name("mine"),
					"db.getCollection(\"locks\").dropIndex(\"mine\"); "
							+ "db.getCollection(\"locks\").createIndex({touchedAt: 1}, {expireAfterSeconds: 604800})"));

	@ParameterizedTest(name = "{0}")
	@FieldSource("indexes")
	@ShowsRow(value = 31, level = Level.SPRING)
	void theApplicationStartsWithTheCommandAndLocksWork(String what, IndexOptions options, String command,
			CapturedOutput output) {
		try (EmbeddedMongo mongo = EmbeddedMongo.start();
				OtherClient other = new OtherClient(mongo.connectionString())) {
			other.template().getCollection(OtherClient.COLLECTION).createIndex(Indexes.ascending("touchedAt"), options);
			try (ConfigurableApplicationContext context = SpringApp.start(mongo.connectionString(), Guarded.class)) {
				assertThat(output).containsOnlyOnce(command).doesNotContain("\tat ");
				context.getBean(Guarded.class).run("a", () -> assertThat(other.seesHeld(Guarded.key("a"))).isTrue());
				assertThat(other.seesHeld(Guarded.key("a"))).isFalse();
			}
		}
	}

}
