package io.mongolock.everyday;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;

/**
 * Somebody who is logged in, and speaks a language of their own.
 */
record Visitor(HttpClient client, String name) {

	private static final List<String> NAMES = List.of("annaa", "benno", "carla", "david", "emily");

	static List<Visitor> all(HttpClient client) {
		return NAMES.stream().map((name) -> new Visitor(client, name)).toList();
	}

	static List<UserDetails> users() {
		return Stream.concat(Stream.of("nobody"), NAMES.stream())
			.map((name) -> User.withUsername(name).password("{noop}secret").roles("USER").build())
			.toList();
	}

	CompletableFuture<HttpResponse<String>> get(int port, String way) {
		String credentials = Base64.getEncoder().encodeToString((this.name + ":secret").getBytes());
		return this.client
			.sendAsync(HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/" + way + "/" + this.name))
				.header("Authorization", "Basic " + credentials)
				.header("Accept-Language", "de-DE-" + this.name)
				.header("X-User", this.name)
				.build(), BodyHandlers.ofString());
	}

}
