package io.mongolock.everyday;

import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.server.SuiteServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances, a servlet application and a reactive one, with what a Spring application
 * has around a lock: users, tenants, the MDC, traces, transactions, {@code @Async},
 * {@code @Scheduled}, {@code @Retryable}, and virtual threads where the JDK has them.
 */
@Tag("application")
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(300)
class EverydayApplicationTests {

	private static final List<String> SERVLET = List.of("sync", "stage", "several", "mono", "flux", "fallback", "async",
			"retry", "transaction");

	private static final List<String> REACTIVE = List.of("reactive-mono", "reactive-flux");

	private static final int ROUNDS = 10;

	private final Ledger ledger = new Ledger();

	private final List<AutoCloseable> running = new ArrayList<>();

	private ConfigurableApplicationContext servlet;

	private ConfigurableApplicationContext reactive;

	@BeforeAll
	void start() {
		String uri = SuiteServer.get().uri().orElseGet(() -> {
			EmbeddedMongo server = EmbeddedMongo.start();
			this.running.add(server);
			return server.connectionString();
		});
		this.servlet = run(ServletShop.class, WebApplicationType.SERVLET, uri);
		this.reactive = run(ReactiveShop.class, WebApplicationType.REACTIVE, uri);
	}

	@AfterAll
	void stop() throws Exception {
		if (this.servlet != null) {
			this.servlet.getBean(MongoClient.class).getDatabase("everyday").drop();
		}
		for (int i = this.running.size() - 1; i >= 0; i--) {
			this.running.get(i).close();
		}
	}

	@Test
	void noContextIsLostNoTraceIsTornAndNoCallIsUnlocked() {
		HttpClient client = HttpClient.newHttpClient();
		List<Visitor> visitors = Visitor.all(client);
		for (int round = 0; round < ROUNDS; round++) {
			List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
			for (Visitor visitor : visitors) {
				SERVLET.forEach((way) -> answers.add(visitor.get(port(this.servlet), way)));
				REACTIVE.forEach((way) -> answers.add(visitor.get(port(this.reactive), way)));
			}
			answers
				.forEach((answer) -> assertThat(answer).succeedsWithin(Duration.ofMinutes(2)).satisfies((response) -> {
					assertThat(response.statusCode()).as(response.uri() + ": " + response.body()).isEqualTo(200);
					assertThat(response.uri().getPath()).endsWith("/" + response.body());
				}));
		}
		Awaitility.await().until(() -> this.ledger.calls.getOrDefault("scheduled", 0) > 0);
		assertThat(this.ledger.lost).as("lost context").isEmpty();
		assertThat(this.ledger.torn).as("torn traces").isEmpty();
		assertThat(this.ledger.unlocked).as("unlocked calls").isEmpty();
		int each = visitors.size() * ROUNDS;
		assertThat(this.ledger.calls).containsEntry("sync", each)
			.containsEntry("stage", each)
			.containsEntry("several", each)
			.containsEntry("mono", 2 * each)
			.containsEntry("flux", each)
			.containsEntry("async", each)
			.containsEntry("retry", 3 * each)
			.containsEntry("transaction", each)
			.containsEntry("reactive-mono", 2 * each)
			.containsEntry("reactive-flux", each);
	}

	private static int port(ConfigurableApplicationContext context) {
		return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
	}

	private ConfigurableApplicationContext run(Class<?> shop, WebApplicationType type, String uri) {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(shop).web(type)
			.initializers((starting) -> starting.getBeanFactory().registerSingleton("ledger", this.ledger))
			.run(Stream
				.of("server.port=0", "spring.mongodb.uri=" + uri, "spring.mongodb.database=everyday",
						"spring.threads.virtual.enabled=true", "spring.task.execution.propagate-context=true",
						"mongo-lock.wait-timeout=2m", "spring.main.banner-mode=off",
						// For a busy machine
						"mongo-lock.ttl=5m", "mongo-lock.operation-timeout=30s", "spring.mvc.async.request-timeout=2m")
				.map((property) -> "--" + property)
				.toArray(String[]::new));
		this.running.add(context);
		return context;
	}

}
