package io.mongolock.faults.spring;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.LockException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.faults.harness.Daemon;
import io.mongolock.faults.harness.Harness;
import io.mongolock.faults.harness.matrix.Level;
import io.mongolock.faults.harness.matrix.RowFigures;
import io.mongolock.faults.harness.matrix.ShowsRow;
import io.mongolock.faults.harness.worker.WorkerJvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Row 36: the system asks an application to end, under load.
 */
@Tag("process")
@Timeout(180)
class TerminationTests {

	private static final List<String> KEYS = IntStream.range(0, 5).mapToObj((i) -> "load-" + i).toList();

	/** Held beyond the end of the application; the first of those that the log names. */
	private static final String KEPT = "kept";

	@Test
	@ShowsRow(value = 36, level = Level.SPRING)
	void terminatedUnderLoadEveryLockIsFreeRightAfterTheExitAndWhatWasCutOffAfterItsMargin(RowFigures figures) {
		try (Harness harness = Harness.embedded();
				OtherClient other = new OtherClient(harness.observer());
				WorkerJvm<ConfigurableApplicationContext> app = start(harness.proxied())) {
			await().atMost(Harness.LONG).until(() -> other.holder(KEPT).isPresent());
			await().atMost(Harness.LONG).until(() -> KEYS.stream().anyMatch((key) -> other.holder(key).isPresent()));
			app.process().terminate();
			long asked = System.nanoTime();
			assertThat(app.process().awaitExit(Harness.LONG)).isEqualTo(128 + 15);
			figures.server(harness.label()).add("ended after", Harness.millis(System.nanoTime() - asked));
			assertThat(KEYS).allSatisfy((key) -> assertThat(other.holder(key)).isEmpty());
			await().atMost(Harness.LONG).until(() -> other.claim(KEPT).isPresent());
			figures.add("cut off, and granted to another after", Harness.millis(System.nanoTime() - asked));
			await().atMost(Harness.LONG).until(() -> app.process().output().contains("'kept'"));
			assertThat(app.process().output()).doesNotContain("\tat ").doesNotContain("ERROR");
		}
	}

	private static WorkerJvm<ConfigurableApplicationContext> start(String uri) {
		return new WorkerJvm<>(List.of("-Xmx128m"), () -> LoadedApp.run("--spring.mongodb.uri=" + uri,
				"--spring.mongodb.database=" + Harness.DATABASE, "--spring.main.banner-mode=off"))
			.awaitReady();
	}

	/**
	 * An application whose threads take a few locks all the time.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class LoadedApp {

		static ConfigurableApplicationContext run(String... args) {
			ConfigurableApplicationContext context = SpringApplication.run(LoadedApp.class, args);
			LockOperations locks = context.getBean(LockOperations.class);
			IntStream.range(0, 20).forEach((i) -> Daemon.start("load", () -> work(locks, KEYS.get(i % KEYS.size()))));
			Daemon.start("load", () -> locks.acquire(LockRequest.of(KEPT)));
			return context;
		}

		private static void work(LockOperations locks, String key) {
			LockRequest request = LockRequest.builder(key).waitTimeout(Harness.LONG).build();
			try {
				while (true) {
					locks.execute(request, (handle) -> {
						Thread.sleep(5);
						return null;
					});
				}
			}
			catch (LockException | InterruptedException ex) {
				System.out.println("load ended by " + ex.getClass().getSimpleName());
			}
		}

	}

}
