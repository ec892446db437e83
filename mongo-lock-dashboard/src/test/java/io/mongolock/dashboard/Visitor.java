package io.mongolock.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Visits the page as a browser does.
 */
final class Visitor {

	private final HttpClient http = HttpClient.newHttpClient();

	private final String base;

	private final String user;

	Visitor(int port, String user) {
		this("http://localhost:" + port, user);
	}

	private Visitor(String base, String user) {
		this.base = base;
		this.user = user;
	}

	Visitor as(String user) {
		return new Visitor(this.base, user);
	}

	HttpResponse<String> get(String path, String accept) {
		return send(request(path).header("Accept", accept), BodyHandlers.ofString());
	}

	EventStream stream(String path) {
		HttpResponse<InputStream> answer = send(request(path).header("Accept", "text/event-stream"),
				BodyHandlers.ofInputStream());
		assertThat(answer.statusCode()).isEqualTo(200);
		return new EventStream(answer.body());
	}

	/**
	 * Delete as the page does.
	 */
	HttpResponse<String> delete(String path, String token) {
		return send(request(path).header("Cookie", "XSRF-TOKEN=" + token).header("X-XSRF-TOKEN", token).DELETE(),
				BodyHandlers.ofString());
	}

	/**
	 * Post as the page would.
	 */
	HttpResponse<String> post(String path, String token, String json) {
		return send(request(path).header("Cookie", "XSRF-TOKEN=" + token)
			.header("X-XSRF-TOKEN", token)
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(json)), BodyHandlers.ofString());
	}

	private HttpRequest.Builder request(String path) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(this.base + path));
		if (this.user.isEmpty()) {
			return request;
		}
		String credentials = this.user + ":secret";
		return request.header("Authorization",
				"Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)));
	}

	private <T> HttpResponse<T> send(HttpRequest.Builder request, BodyHandler<T> body) {
		try {
			return this.http.send(request.build(), body);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
