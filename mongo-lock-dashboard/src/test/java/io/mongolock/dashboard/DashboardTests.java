package io.mongolock.dashboard;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page of an application that protects its actuator.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.application.name=shop",
				"management.endpoints.web.exposure.include=mongolocks,mongolocksdashboard",
				"management.endpoint.mongolocks.access=unrestricted", "management.endpoint.mongolocks.roles=OPERATOR" })
@Import(ActuatorRules.class)
class DashboardTests {

	private static final String PAGE = "/actuator/mongolocksdashboard";

	@LocalServerPort
	private int port;

	private Visitor operator;

	@BeforeEach
	void visit() {
		this.operator = new Visitor(this.port, "operator");
	}

	@Test
	void thePageKnowsWhereTheLocksAreAndWhatMayBeDone() {
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
	void whoMayNotSeeOwnersIsNotToldWhoTheApplicationIs() {
		assertThat(this.operator.as("auditor").get(PAGE, "text/html").body()).contains("data-instance=\"\"")
			.doesNotContain("shop");
	}

	@ParameterizedTest
	@CsvSource({ "page.js, text/javascript", "locks.js, text/javascript", "dom.js, text/javascript",
			"style.css, text/css" })
	void whatThePageConsistsOfIsServedBesideIt(String file, String type) {
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

}
