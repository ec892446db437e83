package io.mongolock.sample.orders;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two applications that have jobs of the same names and one database, as processes of
 * their own, on the server of the suites.
 */
@Tag("process")
class TwoServicesTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int TICKS = 4;

	@TempDir
	private static Path directory;

	private static EmbeddedMongo embedded;

	private static String uri;

	private final String database = "services-" + UUID.randomUUID();

	@BeforeAll
	static void start() {
		embedded = EmbeddedMongo.start();
		uri = SuiteServer.get().uri().orElseGet(embedded::connectionString);
	}

	@AfterAll
	static void stop() {
		embedded.close();
	}

	@AfterEach
	void drop() {
		try (MongoClient client = MongoClients.create(uri)) {
			client.getDatabase(this.database).drop();
		}
	}

	@Test
	void whenKeyPrefixesDifferThenEachServiceRunsEachTick() {
		try (OrderServiceProcess billing = start("billing", "--mongo-lock.key-prefix=billing:");
				OrderServiceProcess shipping = start("shipping", "--mongo-lock.key-prefix=shipping:")) {
			for (OrderServiceProcess service : List.of(billing.awaitReady(), shipping.awaitReady())) {
				String name = (service == billing) ? "billing " : "shipping ";
				await().atMost(PATIENCE).untilAsserted(() -> {
					List<JsonNode> runs = runs(service);
					assertThat(succeeded(runs)).hasSizeGreaterThanOrEqualTo(TICKS)
						.allMatch((run) -> run.get("runner").asString().startsWith(name));
					assertNoHole(runs);
				});
				assertThat(service.output()).doesNotContain("is also scheduled by the application");
			}
		}
	}

	@Test
	void whenTheyShareTheirLocksThenEachTickIsRunByOneAndTheStartSaysSo() {
		try (OrderServiceProcess billing = start("billing").awaitReady()) {
			await().atMost(PATIENCE).until(() -> !succeeded(runs(billing)).isEmpty());
			try (OrderServiceProcess shipping = start("shipping").awaitReady()) {
				await().atMost(PATIENCE)
					.untilAsserted(() -> assertThat(shipping.output())
						.contains("Job 'count-open-orders' is also scheduled by the application 'billing'")
						.contains("Set a different mongo-lock.key-prefix in each"));
				await().atMost(PATIENCE).untilAsserted(() -> {
					List<JsonNode> runs = runs(shipping);
					assertThat(succeeded(runs)).hasSizeGreaterThanOrEqualTo(TICKS)
						.anyMatch((run) -> run.get("runner").asString().startsWith("billing "));
					assertNoHole(runs);
				});
			}
			assertThat(billing.output()).doesNotContain("is also scheduled by the application");
		}
	}

	private OrderServiceProcess start(String name, String... settings) {
		List<String> all = new ArrayList<>(List.of("--spring.mongodb.database=" + this.database,
				"--spring.application.name=" + name, "--spring.profiles.active=jobs", "--orders.count-cron=* * * * * *",
				"--orders.reminder-time=10ms"));
		all.addAll(List.of(settings));
		return OrderServiceProcess.start(directory, uri, all.toArray(String[]::new));
	}

	private static List<JsonNode> runs(OrderServiceProcess service) {
		return service.read("/actuator/mongojobs?job=count-open-orders&runs=50").path("runs").valueStream().toList();
	}

	private static List<JsonNode> succeeded(List<JsonNode> runs) {
		return runs.stream().filter((run) -> run.get("outcome").asString().equals("succeeded")).toList();
	}

	// The newest comes first; a busy machine may leave some out, which share a record
	private static void assertNoHole(List<JsonNode> runs) {
		for (int i = 1; i < runs.size(); i++) {
			JsonNode later = runs.get(i - 1);
			JsonNode first = (later.hasNonNull("firstTick")) ? later.get("firstTick") : later.get("tick");
			assertThat(Instant.parse(first.asString()))
				.isEqualTo(Instant.parse(runs.get(i).get("tick").asString()).plusSeconds(1));
		}
	}

}
