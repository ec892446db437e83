package io.mongolock.sample.orders;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An instance of the application as a process of its own, on a free port.
 */
final class TestInstance implements AutoCloseable {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);

	private static final Pattern READY = Pattern.compile("Tomcat started on port (\\d+)");

	private static final JsonMapper json = JsonMapper.shared();

	private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final TestJvm jvm;

	private final String address;

	TestInstance(TestServer server, String... args) {
		this.jvm = TestJvm.start(OrderServiceApplication.class,
				Stream.concat(Stream.of("--server.port=0", "--orders.embedded-port=" + server.port()), Stream.of(args))
					.toArray(String[]::new));
		this.address = "http://127.0.0.1:" + this.jvm.awaitLine(READY);
	}

	TestJvm jvm() {
		return this.jvm;
	}

	Order order(String id) throws IOException, InterruptedException {
		return json.readValue(get("/orders/" + id), Order.class);
	}

	List<HeldLock> locks() throws IOException, InterruptedException {
		return List.of(json.readValue(get("/locks"), HeldLock[].class));
	}

	String id() throws IOException, InterruptedException {
		return json.readTree(get("/instance")).get("id").asString();
	}

	/**
	 * Pay an order.
	 * @param id the order
	 * @param amount in cents
	 * @param takes how long it takes
	 * @return the answer
	 */
	CompletableFuture<HttpResponse<String>> pay(String id, long amount, String takes) {
		HttpRequest payment = HttpRequest.newBuilder(URI.create(this.address + "/orders/" + id + "/payments"))
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("{\"amount\":%d,\"takes\":\"%s\"}".formatted(amount, takes)))
			.build();
		return this.http.sendAsync(payment, BodyHandlers.ofString());
	}

	static Receipt receipt(HttpResponse<String> answer) {
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
		return json.readValue(answer.body(), Receipt.class);
	}

	/**
	 * Wait until the orders are loaded.
	 */
	void awaitOrders() {
		await().atMost(LONG_ENOUGH).until(() -> fetch("/orders/10001").statusCode() == 200);
	}

	/**
	 * Wait until somebody holds the lock.
	 * @param key its key
	 */
	void awaitHeld(String key) {
		await().atMost(LONG_ENOUGH).until(() -> locks().stream().anyMatch((lock) -> lock.key().equals(key)));
	}

	private String get(String path) throws IOException, InterruptedException {
		HttpResponse<String> answer = fetch(path);
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
		return answer.body();
	}

	private HttpResponse<String> fetch(String path) throws IOException, InterruptedException {
		return this.http.send(HttpRequest.newBuilder(URI.create(this.address + path)).build(), BodyHandlers.ofString());
	}

	@Override
	public void close() {
		this.jvm.close();
	}

}
