package io.mongolock.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import io.mongolock.jobs.JobRun;
import io.mongolock.jobs.Jobs;
import io.mongolock.jobs.ScheduledJob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the page asks for jobs, in an application that protects its actuator: by an
 * operator, who may change them, and an auditor, who may not.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "management.endpoints.web.exposure.include=mongojobs,mongolocksdashboard",
				"management.endpoint.mongojobs.access=unrestricted", "management.endpoint.mongojobs.roles=OPERATOR",
				"management.endpoint.mongojobs.show-values=when-authorized", "mongo-lock.jobs.enabled=true" })
@Import({ ActuatorRules.class, JobsPanelTests.Work.class })
class JobsPanelTests {

	private static final String JOBS = "/actuator/mongojobs";

	/** As the page asks. */
	private static final String QUERY = JOBS + "?from=&limit=20&runs=20";

	private static final String MARKUP = "<img src=x onerror=alert(1)>";

	@LocalServerPort
	private int port;

	@Autowired
	private Jobs jobs;

	@Autowired
	private Work work;

	@Test
	void thePageKnowsTheAddressOfTheJobsAlsoWithoutThatOfTheLocks() {
		assertThat(visitor("operator").get("/actuator/mongolocksdashboard", "text/html").body())
			.contains("data-jobs=\"./mongojobs\"", "data-change=\"true\"", "data-locks=\"\"")
			.doesNotContain("{{");
	}

	@ParameterizedTest
	@ValueSource(strings = { "auditor", "operator" })
	void itsAnswerSaysWhetherTheUserMayChangeThem(String user) {
		boolean operator = user.equals("operator");
		await().atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(visitor(user).get(QUERY, "application/json").body())
				.contains("\"name\":\"yearly\"", "\"now\":\"20", "\"runs\":[", "\"mayChange\":" + operator));
		String json = "{\"job\": \"yearly\", \"action\": \"pause\", \"reason\": \"" + MARKUP + "\"}";
		assertThat(visitor(user).post(JOBS, "", json).statusCode()).as("without the token").isEqualTo(403);
		assertThat(visitor(user).post(JOBS, token(), json)).satisfies((answer) -> {
			assertThat(answer.statusCode()).isEqualTo(operator ? 200 : 403);
			assertThat(answer.body()).satisfies((body) -> assertThat(body.contains(MARKUP)).isEqualTo(operator));
		});
		if (operator) {
			assertThat(visitor(user).post(JOBS, token(), "{\"job\": \"yearly\", \"action\": \"resume\"}").statusCode())
				.isEqualTo(200);
			assertThat(visitor(user).post(JOBS, token(), "{\"job\": \"yearly\", \"action\": \"resume\"}").body())
				.as("what the page says")
				.isEqualTo("{\"error\":\"Job 'yearly' is not paused\"}");
		}
	}

	@Test
	void aNoteIsSentAsJsonAndNeverAsHtml() throws InterruptedException {
		Thread running = new Thread(() -> this.jobs.run("import", Instant.EPOCH, (run) -> {
			this.jobs.note(run, MARKUP);
			this.work.noted.countDown();
			this.work.end.join();
		}));
		running.start();
		try {
			assertThat(this.work.noted.await(1, TimeUnit.MINUTES)).isTrue();
			assertThat(visitor("operator").get(QUERY, "*/*")).satisfies((answer) -> {
				assertThat(answer.headers().firstValue("Content-Type"))
					.hasValueSatisfying((type) -> assertThat(type).contains("json"));
				assertThat(answer.body()).contains("\"note\":\"" + MARKUP + "\"");
			});
			assertThat(visitor("auditor").get(QUERY, "*/*").body()).contains("\"runner\":\"******\"");
		}
		finally {
			this.work.end.complete(null);
			running.join();
		}
	}

	private String token() {
		return visitor("operator").get(QUERY, "*/*")
			.headers()
			.firstValue("Set-Cookie")
			.map((cookie) -> cookie.substring("XSRF-TOKEN=".length(), cookie.indexOf(';')))
			.orElseThrow();
	}

	private Visitor visitor(String user) {
		return new Visitor(this.port, user);
	}

	@TestConfiguration
	static class Work {

		private final CountDownLatch noted = new CountDownLatch(1);

		private final CompletableFuture<Void> end = new CompletableFuture<>();

		@Bean
		YearlyJob yearlyJob() {
			return new YearlyJob();
		}

	}

	static class YearlyJob {

		@ScheduledJob(name = "yearly", cron = "0 0 0 1 1 *", zone = "UTC")
		void run(JobRun run) {
		}

	}

}
