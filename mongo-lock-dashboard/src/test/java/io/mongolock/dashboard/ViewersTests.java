package io.mongolock.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.tomcat.TomcatConnectorCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The right to listen to the events of the page, and the cost of a listener to others. A
 * write to one who does not read lasts longer than a test here.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "management.endpoints.web.exposure.include=mongolocks,mongolocksdashboard",
				"server.tomcat.connection-timeout=30m" })
@Tag("application")
class ViewersTests {

	private static final String EVENTS = "/actuator/mongolocks/events";

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@LocalServerPort
	private int port;

	@Autowired
	private LockOperations locks;

	@Autowired
	private LockActivity activity;

	@Test
	void onlyUsersWhoMayReadTheLocksHearOfThem() {
		Visitor customer = new Visitor(this.port, "customer");
		assertThat(customer.get("/actuator/mongolocksdashboard", "text/html").statusCode()).isEqualTo(200);
		assertThat(customer.get("/actuator/mongolocks", "*/*").statusCode()).isEqualTo(403);
		assertThat(customer.get("/actuator/mongolocksdashboard/events", "*/*").statusCode()).isEqualTo(404);
		assertThat(customer.get(EVENTS, "text/event-stream").statusCode()).isEqualTo(403);
		customer.as("operator").stream(EVENTS).close();
	}

	@Test
	void aLockWhoseKeyIsEventsIsShown() {
		this.locks.execute(LockRequest.of("events"), (held) -> {
			assertThat(new Visitor(this.port, "operator").get(EVENTS, "application/json").body())
				.contains("\"key\":\"events\"");
			return null;
		});
	}

	@Test
	void aStreamIsOpenBeforeItsThreadHasWritten() {
		synchronized (this.activity) {
			// Holds up the thread of the stream
			CompletableFuture<Void> opened = CompletableFuture
				.runAsync(() -> new Visitor(this.port, "operator").stream(EVENTS).close());
			assertThat(opened).succeedsWithin(PATIENCE);
		}
	}

	@Test
	void aViewerThatDoesNotReadKeepsNobodyWaiting() throws Exception {
		String lengthy = "x".repeat(900);
		for (int turn = 0; turn < LockActivity.MAX_TURNS; turn++) {
			this.locks.execute(LockRequest.of("order", lengthy + turn), (held) -> null);
		}
		try (Socket idle = new Socket()) {
			idle.setReceiveBufferSize(1_024);
			idle.connect(new InetSocketAddress("localhost", this.port));
			String credentials = Base64.getEncoder().encodeToString("operator:secret".getBytes(StandardCharsets.UTF_8));
			idle.getOutputStream()
				.write(("GET " + EVENTS + " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
						+ "Authorization: Basic " + credentials + "\r\n\r\n")
					.getBytes(StandardCharsets.UTF_8));
			await().atMost(PATIENCE).until(() -> idle.getInputStream().available() > 0);
			FutureTask<Void> other = new FutureTask<>(this::listen, null);
			new Thread(other, "another viewer").start();
			assertThat(other).succeedsWithin(PATIENCE);
		}
	}

	private void listen() {
		try (EventStream events = new Visitor(this.port, "operator").stream(EVENTS)) {
			for (int turn = 0; turn < 3; turn++) {
				this.locks.execute(LockRequest.of("turn", turn), (held) -> null);
				events.nextWith("turn:" + turn);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@TestConfiguration
	static class Rules {

		// So that a write waits for the one that reads it
		@Bean
		TomcatConnectorCustomizer smallBuffers() {
			return (connector) -> connector.setProperty("socket.txBufSize", "4096");
		}

		@Bean
		@Order(1)
		SecurityFilterChain locks(HttpSecurity http) {
			return http.securityMatcher(EndpointRequest.to("mongolocks"))
				.authorizeHttpRequests((requests) -> requests.anyRequest().hasRole("OPERATOR"))
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		@Order(2)
		SecurityFilterChain page(HttpSecurity http) {
			return http.securityMatcher(EndpointRequest.toAnyEndpoint())
				.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		InMemoryUserDetailsManager users() {
			return new InMemoryUserDetailsManager(
					User.withUsername("operator").password("{noop}secret").roles("OPERATOR").build(),
					User.withUsername("customer").password("{noop}secret").roles("CUSTOMER").build());
		}

	}

}
