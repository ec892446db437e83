package io.mongolock.faults.spring;

import java.time.Duration;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.mongolock.faults.matrix.Level;
import io.mongolock.faults.matrix.RowFigures;
import io.mongolock.faults.matrix.ShowsRow;
import io.mongolock.faults.worker.WorkerJvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application under load is asked to end.
 */
class SigtermTests {

	private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

	private static final Duration OPERATION_BUDGET = Duration.ofSeconds(3);

	@Test
	@ShowsRow(value = 36, level = Level.S)
	void everyLockIsFreeWhenTheApplicationHasEnded(RowFigures figures) {
		try (TestServer server = TestServer.start();
				OtherClient other = server.otherClient();
				WorkerJvm application = WorkerJvm.start(LoadedApplication.class, "--spring.mongodb.uri=" + server.uri(),
						"--spring.mongodb.database=" + server.database())) {
			application.awaitReady();
			await().atMost(LONG_ENOUGH).until(() -> Integer.parseInt(application.ask("sections")) > 100);
			long start = System.nanoTime();
			application.terminate();
			int status = application.awaitExit(LONG_ENOUGH);
			long ended = System.nanoTime();
			assertThat(IntStream.range(0, LoadedApplication.KEYS)).allMatch((key) -> other.isFree("busy:" + key));
			Duration looked = Duration.ofNanos(System.nanoTime() - ended);
			figures.server(server.label())
				.add("end took", Duration.ofNanos(ended - start).toMillis() + "ms")
				.add("all seen free after", looked.toMillis() + "ms");
			assertThat(status).isIn(0, 143);
			assertThat(looked).isLessThan(OPERATION_BUDGET);
			assertThat(application.output()).contains("Ended: ")
				.doesNotContain("ERROR")
				.doesNotContain("\tat ")
				.doesNotContain("Exception");
		}
	}

}
