package io.mongolock.sample.orders;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The jobs of the application, over the actuator.
 */
@Tag("application")
@SpringBootTest(properties = { "mongo-lock.jobs.enabled=true", "orders.embedded-port=0", "orders.reminder-time=10ms",
		"orders.count-cron=* * * * * *" })
@ActiveProfiles("jobs")
@AutoConfigureMockMvc
class OrderJobsTests {

	@Autowired
	private MockMvcTester mvc;

	@Test
	void bothRunAndAreShown() {
		for (String job : new String[] { "count-open-orders", "remind-debtors" }) {
			Awaitility.await()
				.atMost(Duration.ofMinutes(1))
				.ignoreExceptions()
				.untilAsserted(() -> assertThat(this.mvc.get().uri("/actuator/mongojobs?job=" + job)).hasStatusOk()
					.bodyJson()
					.extractingPath("$.runs[*].outcome")
					.asArray()
					.contains("succeeded"));
		}
		assertThat(this.mvc.get().uri("/actuator/mongojobs")).hasStatusOk()
			.bodyJson()
			.satisfies((json) -> json.assertThat()
				.extractingPath("$.jobs[*].name")
				.asArray()
				.containsExactly("count-open-orders", "remind-debtors"))
			.extractingPath("$.jobs[1].next")
			.asString()
			.endsWith("Z");
	}

	@Test
	void anOperatorPausesAndResumesOne() {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(change("pause")).hasStatusOk()
				.bodyJson()
				.extractingPath("$.paused.reason")
				.isEqualTo("heavy"));
		assertThat(this.mvc.get().uri("/actuator/mongojobs?job=remind-debtors")).hasStatusOk()
			.bodyJson()
			.extractingPath("$.state")
			.isEqualTo("paused");
		assertThat(change("resume")).hasStatusOk();
		assertThat(change("resume")).hasStatus(HttpStatus.CONFLICT);
		assertThat(change("stop")).hasStatus(HttpStatus.BAD_REQUEST)
			.bodyJson()
			.extractingPath("$.error")
			.asString()
			.contains("it is stop");
	}

	private MvcTestResult change(String action) {
		return this.mvc.post()
			.uri("/actuator/mongojobs")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{ \"job\": \"remind-debtors\", \"action\": \"" + action + "\", \"reason\": \"heavy\" }")
			.exchange();
	}

}
