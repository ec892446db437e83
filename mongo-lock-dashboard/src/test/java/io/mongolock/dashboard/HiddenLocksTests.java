package io.mongolock.dashboard;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page where the locks are not exposed, as their keys are not for all who see it.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = "management.endpoints.web.exposure.include=mongolocksdashboard")
class HiddenLocksTests {

	@LocalServerPort
	private int port;

	@Test
	void noStreamNamesTheirKeys() {
		Visitor visitor = new Visitor(this.port, "");
		assertThat(visitor.get("/actuator/mongolocksdashboard", "text/html").statusCode()).isEqualTo(200);
		for (String path : new String[] { "mongolocksdashboard", "mongolocks", "null" }) {
			assertThat(visitor.get("/actuator/" + path + "/events", "text/event-stream").statusCode()).as(path)
				.isIn(404, 406);
		}
		assertThat(visitor.get("/null/events", "text/event-stream").statusCode()).isEqualTo(404);
	}

	@Test
	void thereIsNoPanelOfJobsThatAreNotExposed() {
		assertThat(new Visitor(this.port, "").get("/actuator/mongolocksdashboard", "text/html").body())
			.contains("data-jobs=\"\"", "data-change=\"false\"");
	}

	@TestConfiguration
	static class Rules {

		@Bean
		SecurityFilterChain everybody(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll()).build();
		}

	}

}
