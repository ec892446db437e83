package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.worker.WorkerJvm;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application is told to end by the system, under load.
 */
@Tag("process")
@Timeout(180)
class TerminationTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	@Test
	@ShowsRow(value = 36, level = Level.SPRING)
	void terminatedUnderLoadEveryLockIsFreeRightAfterTheExit(RowFigures figures) {
		try (EmbeddedMongo mongo = EmbeddedMongo.start();
				OtherClient other = new OtherClient(mongo.connectionString());
				WorkerJvm<ConfigurableApplicationContext> app = start(mongo)) {
			await().atMost(LONG).until(() -> other.holder(LoadedApp.KEPT).isPresent());
			await().atMost(LONG).until(() -> keys().stream().anyMatch((key) -> other.holder(key).isPresent()));
			app.process().terminate();
			long told = System.nanoTime();
			assertThat(app.process().awaitExit(LONG)).isEqualTo(128 + 15);
			figures.server(RowFigures.EMBEDDED)
				.add("ended after", Duration.ofNanos(System.nanoTime() - told).toMillis() + " ms");
			assertThat(keys()).allSatisfy((key) -> assertThat(other.holder(key)).isEmpty());
			assertThat(other.holder(LoadedApp.KEPT)).as("held to the end, and released by the shutdown").isEmpty();
			await().atMost(LONG).until(() -> app.process().output().contains("'load-kept'"));
			assertThat(app.process().output()).doesNotContain("\tat ").doesNotContain("ERROR");
		}
	}

	private static WorkerJvm<ConfigurableApplicationContext> start(EmbeddedMongo mongo) {
		String uri = mongo.connectionString();
		return WorkerJvm.start(List.of("-Xmx128m"), () -> LoadedApp.run("--spring.mongodb.uri=" + uri,
				"--spring.mongodb.database=" + OtherClient.DATABASE, "--spring.main.banner-mode=off"));
	}

	private static List<String> keys() {
		return IntStream.range(0, LoadedApp.KEYS).mapToObj(LoadedApp::key).toList();
	}

}
