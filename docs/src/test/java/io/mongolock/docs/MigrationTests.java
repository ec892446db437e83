package io.mongolock.docs;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.mongolock.docs.Migration.Step;
import io.mongolock.test.embedded.EmbeddedMongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The migration of which-one.md in applications that start together.
 */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class MigrationTests {

	private final EmbeddedMongo mongo = EmbeddedMongo.start();

	private final List<Integer> migrated = new CopyOnWriteArrayList<>();

	private final CompletableFuture<Void> free = new CompletableFuture<>();

	private final List<ConfigurableApplicationContext> all = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() {
		this.free.complete(null);
		this.all.forEach(ConfigurableApplicationContext::close);
		this.mongo.close();
	}

	@Test
	void oneInstanceMigratesAndTheOtherIsNotReadyUntilItHas(CapturedOutput output) {
		CompletableFuture<ConfigurableApplicationContext> one = start("10m");
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> this.migrated.contains(2));
		CompletableFuture<ConfigurableApplicationContext> other = start("10m");
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(output)
				.containsPattern("Waiting for the migration by shop .*pid .*: part 2 of 3"));
		assertThat(this.all).hasSize(2)
			.allSatisfy((context) -> assertThat(context.getBean(ApplicationAvailability.class).getReadinessState())
				.isEqualTo(ReadinessState.REFUSING_TRAFFIC));
		assertThatIllegalStateException().isThrownBy(() -> application("0s"))
			.withMessageMatching("Not migrated after PT0S by shop .*: part 2 of 3");
		this.free.complete(null);
		for (CompletableFuture<ConfigurableApplicationContext> instance : List.of(one, other)) {
			try (ConfigurableApplicationContext context = instance.join()) {
				assertThat(context.getBean(ApplicationAvailability.class).getReadinessState())
					.isEqualTo(ReadinessState.ACCEPTING_TRAFFIC);
			}
		}
		application("0s").close();
		assertThat(this.migrated).containsExactly(1, 2, 3);
	}

	@Test
	void aMigrationThatFailedIsTriedByTheNextInstance() {
		this.free.completeExceptionally(new IllegalStateException("no index"));
		assertThat(catchThrowable(() -> application("0s"))).hasRootCauseMessage("no index");
		this.migrated.clear();
		this.free.obtrudeValue(null);
		application("0s").close();
		assertThat(this.migrated).containsExactly(1, 2, 3);
	}

	private CompletableFuture<ConfigurableApplicationContext> start(String waitTimeout) {
		return CompletableFuture.supplyAsync(() -> application(waitTimeout), (task) -> new Thread(task).start());
	}

	private ConfigurableApplicationContext application(String waitTimeout) {
		Step step = (part) -> {
			this.migrated.add(part);
			if (part == 2) {
				this.free.join();
			}
		};
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE).initializers((context) -> {
			context.getBeanFactory().registerSingleton("step", step);
			this.all.add(context);
		})
			.properties(Map.of("spring.mongodb.uri", this.mongo.connectionString() + "/shop", "spring.application.name",
					"shop", "migration.wait-timeout", waitTimeout, "logging.level.io.mongolock.docs.Migration", "info"))
			.run();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Migration.class)
	static class Application {

	}

}
