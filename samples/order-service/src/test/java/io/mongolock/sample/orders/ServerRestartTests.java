package io.mongolock.sample.orders;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The server is killed and started again, empty, under an instance that goes on.
 */
@SpringBootTest
@AutoConfigureMockMvc
@DirtiesContext
@ExtendWith(OutputCaptureExtension.class)
class ServerRestartTests {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);

	private static final TestServer server = new TestServer();

	@Autowired
	private MockMvcTester http;

	@DynamicPropertySource
	static void join(DynamicPropertyRegistry properties) {
		properties.add("orders.embedded-port", server::port);
	}

	@Test
	void errorsAreClearWhileItIsAwayAndNothingNeedsARestart(CapturedOutput output) {
		try (server) {
			awaitPayment();
			server.kill();
			awaitAway(true);
			assertThat(pay()).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
				.bodyJson()
				.hasPathSatisfying("$.title", (path) -> path.assertThat().isEqualTo("The database does not answer"))
				.hasPathSatisfying("$.detail",
						(path) -> path.assertThat().asString().startsWith("No answer from the embedded server"));
			assertThat(this.http.get().uri("/locks")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
			assertThat(this.http.post().uri("/settlements")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
			assertThat(this.http.get().uri("/")).hasStatusOk();
			server.restart();
			awaitPayment();
			awaitAway(false);
			assertThat(this.http.get().uri("/orders/10001")).bodyJson()
				.hasPathSatisfying("$.balance", (path) -> path.assertThat().isEqualTo(12390 - 100));
			assertThat(output).contains("MongoDB does not answer, requests are refused until it does")
				.contains("MongoDB answers again")
				.contains("was restarted or emptied. Loading them again")
				.doesNotContain("\tat ");
		}
	}

	private void awaitPayment() {
		await().atMost(LONG_ENOUGH).until(() -> pay().getResponse().getStatus() == HttpStatus.OK.value());
	}

	private void awaitAway(boolean away) {
		await().atMost(LONG_ENOUGH)
			.untilAsserted(() -> assertThat(this.http.get().uri("/instance")).bodyJson()
				.hasPathSatisfying("$.away", (path) -> path.assertThat().isEqualTo(away)));
	}

	private MvcTestResult pay() {
		return this.http.post()
			.uri("/orders/10001/payments")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"amount\":100}")
			.exchange();
	}

}
