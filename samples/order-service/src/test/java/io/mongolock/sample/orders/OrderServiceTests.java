package io.mongolock.sample.orders;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * The application over HTTP, with the embedded server in this process.
 */
@SpringBootTest(properties = { "orders.embedded-port=0", "orders.settlement-time=0s" })
@AutoConfigureMockMvc
class OrderServiceTests {

	private final MockMvcTester http;

	private final LockOperations locks;

	OrderServiceTests(@Autowired MockMvcTester http, @Autowired LockOperations locks,
			@Autowired OrderRepository orders) {
		this.http = http;
		this.locks = locks;
		await().until(() -> orders.count() > 0);
	}

	@Test
	void thereIsAPage() {
		assertThat(this.http.get().uri("/")).hasStatusOk().hasForwardedUrl("index.html");
		assertThat(this.http.get().uri("/index.html")).hasStatusOk().bodyText().contains("50 payments at once");
	}

	@Test
	void thePageSaysThatTheDataLivesInMemory() {
		assertThat(this.http.get().uri("/instance")).hasStatusOk()
			.bodyJson()
			.hasPathSatisfying("$.inMemory", (path) -> path.assertThat().isEqualTo(true))
			.hasPathSatisfying("$.away", (path) -> path.assertThat().isEqualTo(false));
	}

	@Test
	void ordersAreFoundByNumberAndCustomer() {
		assertThat(this.http.get().uri("/orders")).bodyJson()
			.hasPathSatisfying("$.total", (path) -> path.assertThat().isEqualTo(320))
			.hasPathSatisfying("$.orders.length()", (path) -> path.assertThat().isEqualTo(10));
		assertThat(this.http.get().uri("/orders?search=10002")).bodyJson()
			.hasPathSatisfying("$.orders[0].customer", (path) -> path.assertThat().isEqualTo("Elena Albers"));
		assertThat(this.http.get().uri("/orders?search=no such customer")).bodyJson()
			.hasPathSatisfying("$.total", (path) -> path.assertThat().isEqualTo(0));
	}

	@Test
	void aPaymentIsTakenUnderTheLock() {
		assertThat(pay("10003", "{\"amount\":100}")).hasStatusOk()
			.bodyJson()
			.hasPathSatisfying("$.balance", (path) -> path.assertThat().isEqualTo(16290))
			.hasPathSatisfying("$.fence", (path) -> path.assertThat().isNotNull());
		assertThat(this.http.get().uri("/orders/10003")).bodyJson()
			.hasPathSatisfying("$.balance", (path) -> path.assertThat().isEqualTo(16290));
	}

	@Test
	void whatDoesNotExistIsNotFound() {
		assertThat(pay("1", "{\"amount\":100}")).hasStatus(HttpStatus.NOT_FOUND)
			.bodyText()
			.contains("There is no order '1'");
		assertThat(this.http.get().uri("/orders/1")).hasStatus(HttpStatus.NOT_FOUND);
		assertThat(this.http.post()
			.uri("/orders/1/unguarded-payments")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"amount\":100}")).hasStatus(HttpStatus.NOT_FOUND);
		assertThat(this.http.post().uri("/orders/1/comparison")).hasStatus(HttpStatus.NOT_FOUND);
		assertThat(this.http.get().uri("/nothing")).hasStatus(HttpStatus.NOT_FOUND);
	}

	@Test
	void whatMakesNoSenseIsABadRequest() {
		for (String payment : List.of("{\"amount\":0}", "{\"amount\":-1}", "{\"amount\":100,\"takes\":\"PT3M\"}",
				"{\"amount\":100,\"takes\":\"-PT1S\"}", "{\"amount\":\"much\"}", "{", "")) {
			assertThat(pay("10003", payment)).as(payment).hasStatus(HttpStatus.BAD_REQUEST);
		}
		assertThat(this.http.post().uri("/orders/10003/comparison?payments=0")).hasStatus(HttpStatus.BAD_REQUEST);
		assertThat(this.http.post().uri("/orders/10003/comparison?payments=many")).hasStatus(HttpStatus.BAD_REQUEST);
	}

	@Test
	void aConflictNamesTheHolder() {
		try (LockHandle held = this.locks.acquire(LockRequest.of("comparison:10004"))) {
			assertThat(this.http.post().uri("/orders/10004/comparison")).hasStatus(HttpStatus.CONFLICT)
				.bodyJson()
				.hasPathSatisfying("$.heldBy[0].key", (path) -> path.assertThat().isEqualTo("comparison:10004"))
				.hasPathSatisfying("$.heldBy[0].fence", (path) -> path.assertThat().isEqualTo(held.fence()));
		}
	}

	@Test
	void heldLocksAreListed() {
		LockHandle held = this.locks.acquire(LockRequest.of("some work"));
		assertThat(this.http.get().uri("/locks")).hasStatusOk().bodyText().contains("\"some work\"");
		held.close();
		assertThat(this.http.get().uri("/locks")).hasStatusOk().bodyText().doesNotContain("\"some work\"");
	}

	@Test
	void theSettlementClosesWhatIsPaidUnlessAnotherIsAtIt() {
		assertThat(pay("10005", "{\"amount\":100000000}")).hasStatusOk();
		LockHandle held = this.locks.acquire(LockRequest.of("settlement"));
		assertThat(this.http.post().uri("/settlements")).hasStatus(HttpStatus.CONFLICT);
		held.close();
		assertThat(this.http.post().uri("/settlements")).hasStatusOk()
			.bodyJson()
			.hasPathSatisfying("$.orders", (path) -> path.assertThat().isEqualTo(1));
		assertThat(this.http.get().uri("/orders/10005")).bodyJson()
			.hasPathSatisfying("$.settled", (path) -> path.assertThat().isEqualTo(true));
		assertThat(this.http.get().uri("/settlements")).hasStatusOk()
			.bodyJson()
			.hasPathSatisfying("$.length()", (path) -> path.assertThat().isEqualTo(1));
	}

	@Test
	void onlyTheUnguardedPaymentsLoseMoney() {
		assertThat(this.http.post().uri("/orders/10006/comparison?payments=20")).hasStatusOk()
			.bodyJson()
			.convertTo(Comparison.Run[].class)
			.satisfies((runs) -> {
				assertThat(runs).extracting(Comparison.Run::guarded, Comparison.Run::accepted)
					.containsExactly(tuple(true, 20), tuple(false, 20));
				assertThat(runs[0].after()).isEqualTo(runs[0].expected());
				assertThat(runs[1].after()).isGreaterThan(runs[1].expected());
			});
	}

	private MvcTestResult pay(String id, String payment) {
		return this.http.post()
			.uri("/orders/{id}/payments", id)
			.contentType(MediaType.APPLICATION_JSON)
			.content(payment)
			.exchange();
	}

}
