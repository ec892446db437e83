package io.mongolock.web;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import io.mongolock.LockAttemptAbortedException;
import io.mongolock.LockHolder;
import io.mongolock.LockOwner;
import io.mongolock.LockStoreException;
import io.mongolock.LockStoreException.Outcome;
import io.mongolock.LockUnavailableException;
import io.mongolock.autoconfigure.LockWebAutoConfiguration;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockProblemDetails}.
 */
class LockProblemDetailsTests {

	private final MockMvcTester mvc = MockMvcTester.create(MockMvcBuilders.standaloneSetup(new Controller())
		.setControllerAdvice(new CatchAll(), new LockProblemDetails())
		.build());

	private final WebTestClient web = WebTestClient.bindToController(new Controller())
		.controllerAdvice(new CatchAll(), new LockProblemDetails())
		.build();

	@Test
	void contentionIsAConflictWithTheTimeToTryAgainAfter() {
		assertThat(this.mvc.get().uri("/held")).hasStatus(HttpStatus.CONFLICT)
			.hasHeader("Retry-After", "4")
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.extractingPath("$.title")
			.isEqualTo("Locked");
	}

	@Test
	void theHolderIsNotNamedToStrangers() {
		assertThat(this.mvc.get().uri("/held")).bodyText().doesNotContain("order:42", "host-7", "4711");
	}

	@ParameterizedTest
	@CsvSource({ "PT0.2S, PT29S, 1", "PT7S, PT29S, 7", "PT7S, PT2.5S, 3", "PT5M, PT10M, 30" })
	void theLongerALockHasBeenHeldTheLaterItIsAskedForAgain(String held, String remaining, String retryAfter) {
		assertThat(this.mvc.get().uri("/held-for?held=" + held + "&remaining=" + remaining)).hasHeader("Retry-After",
				retryAfter);
	}

	@Test
	void anUnknownHolderIsAskedForAgainSoon() {
		assertThat(this.mvc.get().uri("/held-by-nobody-known")).hasHeader("Retry-After", "1");
	}

	@Test
	void troubleWithTheStoreIsUnavailability() {
		assertThat(this.mvc.get().uri("/failed")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
			.hasHeader("Retry-After", "5")
			.bodyText()
			.doesNotContain("mongodb", "order:42");
	}

	@Test
	void anAttemptThatWasAbortedSaysNothingOfOthers() {
		assertThat(this.mvc.get().uri("/aborted")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
			.hasHeader("Retry-After", "5")
			.bodyJson()
			.extractingPath("$.title")
			.isEqualTo("Lock not acquired");
	}

	@Test
	void theSameIsAnsweredOnReactiveServers() {
		this.web.get()
			.uri("/held")
			.exchange()
			.expectStatus()
			.isEqualTo(HttpStatus.CONFLICT)
			.expectHeader()
			.valueEquals("Retry-After", "4")
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON);
		this.web.get().uri("/failed").exchange().expectStatus().isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
		this.web.get().uri("/aborted").exchange().expectStatus().isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
	}

	@Test
	void theyAreAnsweredOnlyIfTheApplicationWantsIt() {
		AutoConfigurations ours = AutoConfigurations.of(MongoLockAutoConfiguration.class,
				LockWebAutoConfiguration.class);
		String off = "mongo-lock.enabled=false";
		String on = "mongo-lock.web.problem-details=true";
		new WebApplicationContextRunner().withConfiguration(ours)
			.withPropertyValues(off)
			.run((context) -> assertThat(context).doesNotHaveBean(LockProblemDetails.class));
		new WebApplicationContextRunner().withConfiguration(ours)
			.withPropertyValues(off, on)
			.run((context) -> assertThat(context).hasSingleBean(LockProblemDetails.class));
		new ReactiveWebApplicationContextRunner().withConfiguration(ours)
			.withPropertyValues(off, on)
			.run((context) -> assertThat(context).hasSingleBean(LockProblemDetails.class));
	}

	@RestController
	static class Controller {

		@GetMapping("/held")
		String held() {
			throw held(Duration.ofSeconds(20), Duration.ofMillis(3_100));
		}

		@GetMapping("/held-for")
		String heldFor(@RequestParam("held") String held, @RequestParam("remaining") String remaining) {
			throw held(Duration.parse(held), Duration.parse(remaining));
		}

		@GetMapping("/held-by-nobody-known")
		String unknown() {
			throw new LockUnavailableException("order:42", List.of(), Duration.ZERO, 1, "held");
		}

		@GetMapping("/aborted")
		String aborted() {
			throw new LockAttemptAbortedException("order:42", List.of(), Duration.ZERO, 0, "shutting down");
		}

		@GetMapping("/failed")
		String failed() {
			throw new LockStoreException("order:42", Outcome.UNKNOWN, "mongodb://host-7 did not answer", null);
		}

		private static LockUnavailableException held(Duration heldFor, Duration remaining) {
			LockOwner owner = new LockOwner("shop", "a", "host-7", 4711, "main");
			LockHolder holder = new LockHolder(owner, 1, Instant.EPOCH, heldFor, remaining);
			return new LockUnavailableException("order:42", List.of(holder), Duration.ZERO, 1, "held by " + owner);
		}

	}

	@RestControllerAdvice
	static class CatchAll {

		@ExceptionHandler
		String all(Exception ex) {
			return "caught";
		}

	}

}
