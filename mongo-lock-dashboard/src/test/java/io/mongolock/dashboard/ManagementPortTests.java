package io.mongolock.dashboard;

import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page where the actuator has a port and paths of its own.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "management.endpoints.web.exposure.include=*", "management.server.port=0",
				"management.server.base-path=/ops", "management.endpoints.web.base-path=/manage",
				"management.endpoints.web.path-mapping.mongolocksdashboard=locks/page" })
class ManagementPortTests {

	private static final String PAGE = "/ops/manage/locks/page";

	private static final String EVENTS = "/ops/manage/mongolocks/events";

	@LocalServerPort
	private int port;

	@LocalManagementPort
	private int managementPort;

	@Test
	void thePageIsWhereTheOtherEndpointsAre() {
		Visitor visitor = new Visitor(this.managementPort, "");
		assertThat(visitor.get(PAGE, "text/html").body()).contains("data-self=\"./page\"",
				"data-locks=\"./../mongolocks\"", "data-release=\"false\"", "data-jobs=\"./../mongojobs\"",
				"data-change=\"false\"");
		assertThat(visitor.get(PAGE + "/page.js", "*/*").statusCode()).isEqualTo(200);
		assertThat(visitor.get("/ops/manage/mongolocks", "*/*").statusCode()).isEqualTo(200);
	}

	@Test
	void soIsTheStream() throws Exception {
		try (EventStream events = new Visitor(this.managementPort, "").stream(EVENTS)) {
			assertThat(events.next("activity")).contains("\"held\":0");
		}
	}

	@Test
	void itIsNotOnThePortOfTheApplication() {
		assertThat(new Visitor(this.port, "").get(PAGE, "text/html").statusCode()).isEqualTo(404);
		assertThat(new Visitor(this.port, "").get(EVENTS, "text/event-stream").statusCode()).isEqualTo(404);
		assertThat(new Visitor(this.port, "").get("/manage/locks/page", "text/html").statusCode()).isEqualTo(404);
	}

	@TestConfiguration
	static class Rules {

		@Bean
		SecurityFilterChain everybody(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll()).build();
		}

	}

}
