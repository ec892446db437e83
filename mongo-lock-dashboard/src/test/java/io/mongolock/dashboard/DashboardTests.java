package io.mongolock.dashboard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Import;

import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.client.LockTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The page of an application that protects its actuator.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.application.name=shop",
				"management.endpoints.web.exposure.include=mongolocks,mongolocksdashboard",
				"spring.jackson.property-naming-strategy=UPPER_CAMEL_CASE",
				"spring.jackson.default-property-inclusion=non_empty",
				"management.endpoint.mongolocks.access=unrestricted", "management.endpoint.mongolocks.roles=OPERATOR" })
@Tag("application")
@Import(ActuatorRules.class)
class DashboardTests {

	private static final String PAGE = "/actuator/mongolocksdashboard";

	private static final String STREAM = "/actuator/mongolocks/events";

	private static final String KEPT = "/actuator/mongolocks/kept";

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final String EVENTS = "text/event-stream";

	@LocalServerPort
	private int port;

	@Autowired
	private LockOperations locks;

	@Autowired
	private LockTemplate client;

	@Autowired
	private ServletStreams streams;

	private Visitor operator;

	@BeforeEach
	void visit() {
		this.operator = new Visitor(this.port, "operator");
	}

	@Test
	void thePageKnowsTheAddressOfTheLocksAndTheRightsOfTheUser() {
		assertThat(this.operator.get(PAGE, "text/html,*/*;q=0.8")).satisfies((page) -> {
			assertThat(page.statusCode()).isEqualTo(200);
			assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html;charset=UTF-8");
			assertThat(page.body())
				.contains("data-self=\"./mongolocksdashboard\"", "data-locks=\"./mongolocks\"", "data-release=\"true\"",
						"data-instance=\"shop ", "<title>Locks shop</title>")
				.doesNotContain("{{");
		});
	}

	@Test
	void aUserWhoMayNotSeeOwnersSeesNeitherTheApplicationNorAButtonToRelease() {
		assertThat(this.operator.as("auditor").get(PAGE, "text/html").body())
			.contains("data-instance=\"\"", "data-release=\"false\"")
			.doesNotContain("shop");
	}

	@ParameterizedTest
	@CsvSource({ "page.js, text/javascript", "locks.js, text/javascript", "dom.js, text/javascript",
			"lanes.js, text/javascript", "live.js, text/javascript", "ask.js, text/javascript",
			"jobs.js, text/javascript", "style.css, text/css" })
	void theFilesOfThePageAreServedBesideIt(String file, String type) {
		assertThat(this.operator.get(PAGE + "/" + file, type + ",*/*;q=0.1")).satisfies((answer) -> {
			assertThat(answer.statusCode()).isEqualTo(200);
			assertThat(answer.headers().firstValue("Content-Type")).hasValue(type + ";charset=UTF-8");
			assertThat(answer.body()).isNotBlank();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "page.html", "other.js", "DashboardEndpoint.class", "package-info.class" })
	void nothingElseIs(String file) {
		assertThat(this.operator.get(PAGE + "/" + file, "*/*").statusCode()).isEqualTo(404);
	}

	@ParameterizedTest
	@ValueSource(strings = { PAGE, PAGE + "/page.js", "/actuator/mongolocks" })
	void theRulesOfTheActuatorHoldForIt(String path) {
		assertThat(this.operator.as("").get(path, "*/*").statusCode()).isEqualTo(401);
		assertThat(this.operator.as("customer").get(path, "*/*").statusCode()).isEqualTo(403);
		assertThat(this.operator.get(path, "*/*").statusCode()).isEqualTo(200);
	}

	@Test
	void aReleaseNeedsTheTokenThatThePageReadsFromItsCookie() {
		String cookie = this.operator.get(PAGE, "text/html").headers().firstValue("Set-Cookie").orElseThrow();
		assertThat(cookie).startsWith("XSRF-TOKEN=").doesNotContain("HttpOnly");
		String token = cookie.substring("XSRF-TOKEN=".length(), cookie.indexOf(';'));
		assertThat(this.operator.delete("/actuator/mongolocks/nobody", "").statusCode()).isEqualTo(403);
		assertThat(this.operator.delete("/actuator/mongolocks/nobody", token).statusCode()).isEqualTo(204);
	}

	@Test
	void aLeaseThatThisInstanceKeepsIsShownAsIdleAndAReleaseByForceEndsItAtOnce() {
		LockRequest lingers = LockRequest.builder("kept").linger(Duration.ofMinutes(5)).ttl(PATIENCE).build();
		// The first use of a key is released at once, and the first idle lease as the
		// stream opens
		await().atMost(PATIENCE).during(Duration.ofSeconds(1)).until(() -> {
			this.locks.execute(lingers, (held) -> null);
			return !this.client.idle().isEmpty();
		});
		assertThat(this.operator.get(KEPT, "application/json").body()).contains("\"mayBeIdle\":false",
				"\"idleSince\":\"20");
		this.locks.execute(lingers,
				(held) -> assertThat(this.operator.get(KEPT, "application/json").body()).contains("\"mayBeIdle\":false")
					.doesNotContain("idleSince"));
		String cookie = this.operator.get(PAGE, "text/html").headers().firstValue("Set-Cookie").orElseThrow();
		String token = cookie.substring("XSRF-TOKEN=".length(), cookie.indexOf(';'));
		assertThat(this.operator.delete(KEPT, token).body()).contains("\"released\":1");
		assertThat(this.client.idle()).isEmpty();
	}

	@Test
	void theActivityOfThisInstanceIsStreamedToUsersWhoMayLook() throws Exception {
		assertThat(this.operator.as("").get(STREAM, EVENTS).statusCode()).isEqualTo(401);
		assertThat(this.operator.as("customer").get(STREAM, EVENTS).statusCode()).isEqualTo(403);
		this.locks.execute(LockRequest.of("order", 1), (held) -> null);
		try (EventStream events = this.operator.stream(STREAM)) {
			assertThat(events.nextWith("\"key\":\"order:1\"")).contains("\"name\":\"order\"");
			this.locks.execute(LockRequest.of("order", 2), (held) -> null);
			assertThat(events.nextWith("order:2")).as("nothing is sent twice").doesNotContain("order:1");
		}
	}

	@Test
	void moreViewersThanThereAreConnectionsForAreSentAway() {
		List<EventStream> viewers = new ArrayList<>();
		try {
			await().atMost(PATIENCE).untilAsserted(() -> {
				while (viewers.size() < ServletStreams.MAX_VIEWERS) {
					viewers.add(this.operator.stream(STREAM));
				}
				assertThat(this.operator.get(STREAM, EVENTS).statusCode()).isEqualTo(503);
			});
		}
		finally {
			viewers.forEach(EventStream::close);
		}
		await().atMost(PATIENCE).untilAsserted(() -> this.operator.stream(STREAM).close());
	}

	@Test
	void streamsEndBeforeTheWebServerWaitsForItsRequests() throws Exception {
		assertThat(this.streams.getPhase()).isGreaterThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
		try (EventStream events = this.operator.stream(STREAM)) {
			events.next("activity");
			this.streams.stop();
			events.awaitEnd();
			assertThat(this.operator.get(STREAM, EVENTS).statusCode()).isEqualTo(503);
		}
		finally {
			this.streams.start();
		}
	}

}
