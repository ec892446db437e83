package io.mongolock.sample.orders;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

import io.mongolock.test.embedded.EmbeddedMongoMain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Instances of the application as processes of their own, at an embedded server that is
 * one, too.
 */
@Tag("process")
class TwoInstancesTests {

	private static final Duration TTL = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int PAYMENTS = 500;

	private static final List<String> ORDERS = IntStream.range(10101, 10111).mapToObj(String::valueOf).toList();

	@TempDir
	private static Path directory;

	private static JavaProcess mongo;

	private static int port;

	private static OrderServiceProcess one;

	private static OrderServiceProcess two;

	@BeforeAll
	static void start() {
		mongo = startMongo(0);
		port = Integer.parseInt(mongo.awaitOutput("ready at mongodb://127.0.0.1:(\\d+)"));
		// All payments at once are much for a busy machine
		String patient = "--mongo-lock.locks.order.operation-timeout=8s";
		one = startInstance(patient);
		two = startInstance(patient);
		for (OrderServiceProcess instance : List.of(one, two)) {
			instance.awaitReady();
			awaitOrders(instance);
		}
		// They started together, and only one of them loaded the orders
		assertThat(one.output() + two.output()).containsOnlyOnce("Loaded 320 orders");
		assertThat(one.read("/orders").get("total").asLong()).isEqualTo(320);
	}

	@AfterAll
	static void stop() {
		List.of(one, two).forEach(OrderServiceProcess::close);
		mongo.close();
	}

	@Test
	void noPaymentIsLost() {
		List<Long> before = ORDERS.stream().map(one::balance).toList();
		List<CompletableFuture<HttpResponse<String>>> payments = IntStream.range(0, PAYMENTS)
			.mapToObj((i) -> ((i % 2 != 0) ? one : two).pay(ORDERS.get(i / 2 % ORDERS.size()), "{\"amount\": 7}"))
			.toList();
		assertThat(payments).allSatisfy((payment) -> {
			HttpResponse<String> response = payment.join();
			assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		});
		assertThat(ORDERS.stream().map(two::balance))
			.isEqualTo(before.stream().map((balance) -> balance - 7 * PAYMENTS / ORDERS.size()).toList());
	}

	@Test
	void anotherInstanceGoesOnWithinOneTtlOfTheDeathOfTheHolder() {
		long balance = one.balance("10001");
		OrderServiceProcess victim = startInstance("--mongo-lock.ttl=" + TTL.toSeconds() + "s").awaitReady();
		String instance = victim.read("/instance").get("id").asString();
		victim.pay("10001", "{\"amount\": 7, \"takes\": 60}");
		await().atMost(PATIENCE).untilAsserted(() -> {
			JsonNode locks = one.read("/locks");
			assertThat(locks.findValuesAsString("key")).contains("order:10001");
			assertThat(locks.findValuesAsString("instance")).contains(instance);
		});
		victim.close();
		long killed = System.nanoTime();
		HttpResponse<String> response = two.pay("10001", "{\"amount\": 5, \"takes\": 0}").join();
		Duration took = Duration.ofNanos(System.nanoTime() - killed);
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		// The rest is for two looks at the lock and a busy machine
		assertThat(took).isLessThan(TTL.plusSeconds(10));
		assertThat(one.balance("10001")).isEqualTo(balance - 5);
	}

	@Test
	void anInstanceStoppedUnderLoadLeavesNoLockBehind() {
		OrderServiceProcess stopped = startInstance().awaitReady();
		String instance = stopped.read("/instance").get("id").asString();
		for (int i = 0; i < 60; i++) {
			stopped.pay("1002" + i % 3, "{\"amount\": 1, \"takes\": 0.1}");
		}
		await().atMost(PATIENCE).until(() -> one.read("/locks").findValuesAsString("instance").contains(instance));
		assertThat(stopped.terminate()).isEqualTo(143);
		assertThat(one.read("/locks").findValuesAsString("instance")).doesNotContain(instance);
		assertThat(stopped.output()).doesNotContain(" ERROR ").doesNotContain("\tat ");
	}

	@Test
	void recoversWithoutRestartFromTheDeathOfTheServer() {
		mongo.close();
		long start = System.nanoTime();
		HttpResponse<String> refused = two.pay("10002", "{\"amount\": 5}").join();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
		assertThat(refused.statusCode()).isEqualTo(503);
		assertThat(refused.headers().firstValue("content-type")).hasValue("application/problem+json");
		assertThat(refused.body()).contains("The database does not answer").doesNotContain("\\tat ");
		for (OrderServiceProcess instance : List.of(one, two)) {
			await().atMost(PATIENCE).until(() -> instance.read("/instance").get("away").asBoolean());
		}

		mongo = startMongo(port);
		for (OrderServiceProcess instance : List.of(one, two)) {
			awaitOrders(instance);
			assertThat(instance.pay("10002", "{\"amount\": 5}").join().statusCode()).isEqualTo(200);
			await().atMost(PATIENCE).until(() -> instance.output().contains("answers again"));
			assertThat(instance.output()).contains("does not answer;").doesNotContain("\tat ");
		}
		assertThat((one.output() + two.output()).split("Loaded 320 orders")).as("loaded at the start and again")
			.hasSizeGreaterThan(2);
	}

	private static JavaProcess startMongo(int port) {
		return JavaProcess.start(directory, EmbeddedMongoMain.class, "--port=" + port);
	}

	private static OrderServiceProcess startInstance(String... settings) {
		List<String> all = new ArrayList<>(
				List.of("--mongo-lock.locks.order.wait-timeout=45s", "--orders.payment-time=2ms"));
		all.addAll(List.of(settings));
		return OrderServiceProcess.start(directory, "mongodb://127.0.0.1:" + port + "/orders",
				all.toArray(String[]::new));
	}

	private static void awaitOrders(OrderServiceProcess instance) {
		await().atMost(PATIENCE).until(() -> instance.get("/orders/10001").statusCode() == 200);
	}

}
