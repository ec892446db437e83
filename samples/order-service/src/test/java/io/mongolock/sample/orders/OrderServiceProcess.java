package io.mongolock.sample.orders;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An instance of the application in a JVM of its own.
 */
final class OrderServiceProcess implements AutoCloseable {

	private static final JsonMapper JSON = new JsonMapper();

	private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final JavaProcess process;

	private String url = "";

	private OrderServiceProcess(JavaProcess process) {
		this.process = process;
	}

	static OrderServiceProcess start(Path directory, String mongoUri, String... settings) {
		List<String> args = new ArrayList<>(List.of("--server.port=0", "--spring.mongodb.uri=" + mongoUri));
		args.addAll(List.of(settings));
		return new OrderServiceProcess(
				JavaProcess.start(directory, OrderServiceApplication.class, args.toArray(String[]::new)));
	}

	OrderServiceProcess awaitReady() {
		this.url = this.process.awaitOutput("ready at (http\\S+)");
		return this;
	}

	String url() {
		return this.url;
	}

	/**
	 * How the page calls it.
	 * @return a colon and its port
	 */
	String port() {
		return ":" + URI.create(this.url).getPort();
	}

	HttpResponse<String> get(String path) {
		try {
			return this.http.send(request(path).build(), BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	JsonNode read(String path) {
		return JSON.readTree(get(path).body());
	}

	long balance(String order) {
		return read("/orders/" + order).get("balance").asLong();
	}

	CompletableFuture<HttpResponse<String>> pay(String order, String payment) {
		HttpRequest request = request("/orders/" + order + "/payments").header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(payment))
			.build();
		return this.http.sendAsync(request, BodyHandlers.ofString());
	}

	String output() {
		return this.process.output();
	}

	int terminate() {
		return this.process.terminate();
	}

	@Override
	public void close() {
		this.process.close();
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create(this.url + path));
	}

}
