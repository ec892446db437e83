package io.mongolock.dashboard;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page of a reactive application.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.main.web-application-type=reactive",
				"spring.jackson.property-naming-strategy=UPPER_CAMEL_CASE",
				"management.endpoints.web.exposure.include=mongolocks,mongolocksdashboard" })
@Tag("application")
class ReactiveDashboardTests {

	private static final String PAGE = "/actuator/mongolocksdashboard";

	private static final String EVENTS = "/actuator/mongolocks/events";

	@LocalServerPort
	private int port;

	@Autowired
	private LockOperations locks;

	@Autowired
	private ReactiveStreams streams;

	@Test
	void thePageAndItsFilesAreServed() {
		Visitor visitor = new Visitor(this.port, "");
		assertThat(visitor.get(PAGE, "text/html,*/*;q=0.8").body()).contains("data-locks=\"./mongolocks\"");
		assertThat(visitor.get(PAGE + "/page.js", "*/*").headers().firstValue("Content-Type"))
			.hasValue("text/javascript;charset=UTF-8");
		assertThat(visitor.get(PAGE + "/page.html", "*/*").statusCode()).isEqualTo(404);
	}

	@Test
	void theActivityOfThisInstanceIsStreamed() throws Exception {
		this.locks.execute(LockRequest.of("order", 1), (held) -> null);
		try (EventStream events = new Visitor(this.port, "").stream(EVENTS)) {
			events.nextWith("\"key\":\"order:1\"");
			this.locks.execute(LockRequest.of("order", 2), (held) -> null);
			assertThat(events.nextWith("order:2")).doesNotContain("order:1");
		}
	}

	@Test
	void streamsEndBeforeTheWebServerWaitsForItsRequestsAndBeginAgainAfterAStart() throws Exception {
		assertThat(this.streams.getPhase()).isGreaterThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
		Visitor visitor = new Visitor(this.port, "");
		try (EventStream events = visitor.stream(EVENTS)) {
			events.next("activity");
			this.streams.stop();
			events.awaitEnd();
		}
		finally {
			this.streams.start();
		}
		try (EventStream events = visitor.stream(EVENTS)) {
			events.next("activity");
		}
	}

	@TestConfiguration
	static class Rules {

		@Bean
		SecurityWebFilterChain everybody(ServerHttpSecurity http) {
			return http.authorizeExchange((exchanges) -> exchanges.anyExchange().permitAll()).build();
		}

	}

}
