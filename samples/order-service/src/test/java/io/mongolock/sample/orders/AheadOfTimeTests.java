package io.mongolock.sample.orders;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The application as it was processed ahead of time, on a JVM: what a native image starts
 * with.
 */
@Tag("process")
class AheadOfTimeTests {

	private static final String INITIALIZER = OrderServiceApplication.class.getName()
			+ "__ApplicationContextInitializer";

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@TempDir
	private static Path directory;

	@Test
	void paymentsRunUnderTheirLocks() {
		assertThat(ClassUtils.isPresent(INITIALIZER, null))
			.as("the build processes the application when it packages it: ./mvnw verify")
			.isTrue();
		// Ahead of time it was decided that there is no other server than the embedded
		// one
		try (OrderServiceProcess instance = OrderServiceProcess.start(directory, "embedded",
				"-Dspring.aot.enabled=true", "--orders.embedded-port=0")) {
			instance.awaitReady();
			assertThat(instance.output()).contains("Starting AOT-processed OrderServiceApplication",
					"4 methods are guarded");
			await().atMost(PATIENCE).until(() -> instance.get("/orders/10001").statusCode() == 200);
			long balance = instance.balance("10001");
			List<CompletableFuture<HttpResponse<String>>> payments = Stream
				.generate(() -> instance.pay("10001", "{\"amount\": 7}"))
				.limit(20)
				.toList();
			List<Long> fences = payments.stream().map((payment) -> fence(payment.join())).toList();
			assertThat(fences).doesNotHaveDuplicates();
			assertThat(instance.balance("10001")).isEqualTo(balance - 7 * payments.size());
		}
	}

	private static long fence(HttpResponse<String> response) {
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		JsonNode receipt = new JsonMapper().readTree(response.body());
		return receipt.get("fence").asLong();
	}

}
