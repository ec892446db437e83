package io.mongolock.sample.orders;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import com.mongodb.WriteConcern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.test.json.AbstractJsonContentAssert;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import io.mongolock.LockAttemptAbortedException;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LossReason;
import io.mongolock.StaleFenceException;
import io.mongolock.store.LockStore;
import io.mongolock.test.faults.EnableLockFaults;
import io.mongolock.test.faults.LockFaults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the application with an embedded server of its own.
 */
@Tag("application")
@SpringBootTest(properties = { "orders.embedded-port=0", "orders.settlement-time=10ms",
		"mongo-lock.locks.order.wait-timeout=8s" })
@AutoConfigureMockMvc
@EnableLockFaults
class OrderServiceApplicationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private OrderRepository orders;

	@Autowired
	private MongoTemplate mongo;

	@Autowired
	private LockOperations locks;

	@Autowired
	private LockOwner self;

	@Autowired
	private LockFaults faults;

	@Autowired
	private LockStore store;

	@Autowired
	private Problems problems;

	@BeforeEach
	void awaitOrders() {
		await().atMost(PATIENCE).until(() -> this.orders.count() == 320);
	}

	@Test
	void ordersAreFoundByNumberAndCustomer() {
		assertThat(this.mvc.get().uri("/orders?search=10007")).bodyJson()
			.extractingPath("$.orders[*].customer")
			.asArray()
			.containsExactly("Ben Novak");
		assertThat(this.mvc.get().uri("/orders?search=ben n")).bodyJson()
			.extractingPath("$.orders[*].id")
			.asArray()
			.contains("10007");
		assertThat(this.mvc.get().uri("/")).hasStatusOk();
	}

	@Test
	void aPaymentLowersTheBalance() {
		long before = balance("10010");
		assertThat(pay("10010", "{\"amount\": 250}")).hasStatusOk()
			.bodyJson()
			.extractingPath("$.balance")
			.convertTo(Long.class)
			.isEqualTo(before - 250);
		assertThat(balance("10010")).isEqualTo(before - 250);
	}

	@Test
	void writesAreConfirmedByTheMajority() {
		assertThat(this.mongo.getDb().getWriteConcern()).isEqualTo(WriteConcern.MAJORITY);
	}

	@Test
	void badRequestsAreProblems() {
		assertProblem(pay("1", "{\"amount\": 1}"), 404, "There is no order '1'");
		for (String payment : List.of("{\"amount\": 0}", "{\"amount\": 1, \"takes\": 3600}")) {
			assertProblem(pay("10001", payment), 400, "The amount must be");
		}
		for (String payment : List.of("{\"amount\": \"all\"}", "{}", "")) {
			assertProblem(pay("10001", payment), 400, "Expected JSON like {\"amount\": 1250}");
		}
	}

	@Test
	void aBusyOrderIsAProblemThatSaysWhoIsAtIt() {
		try (LockHandle handle = this.locks.acquire(LockRequest.of("order:10011"))) {
			MvcTestResult result = pay("10011", "{\"amount\": 1}");
			assertProblem(result, 409, "Lock 'order:10011' is held by order-service");
			assertThat(result).bodyJson()
				.extractingPath("$.heldBy[0].instance")
				.asString()
				.isEqualTo(this.self.instance());
			assertThat(this.mvc.get().uri("/locks")).bodyJson()
				.extractingPath("$[?(@.key == 'order:10011')].fence")
				.convertTo(Long[].class)
				.isEqualTo(new Long[] { handle.fence() });
		}
	}

	@Test
	void aPaymentWhoseLockIsLostBeforeItIsWrittenIsNotMade() {
		long before = balance("10014");
		CompletableFuture<MvcTestResult> payment = CompletableFuture
			.supplyAsync(() -> pay("10014", "{\"amount\": 1, \"takes\": 8}"));
		await().until(() -> this.store.find("order:10014", Duration.ofSeconds(5))
			.filter((lock) -> !lock.liveHolders().isEmpty())
			.isPresent());
		this.faults.lose("order:10014");
		assertProblem(payment.join(), 409, "Nothing was paid: try again");
		assertThat(balance("10014")).isEqualTo(before);
	}

	@Test
	void aProblemInvitesToTryAgainAfterAStaleFenceButNotAfterALoss() {
		ProblemDetail problem = this.problems
			.lockLost(new LockLostException("order:10015", 7, LossReason.DEADLINE, "Lock 'order:10015' was lost"));
		assertThat(problem.getStatus()).isEqualTo(500);
		assertThat(problem.getDetail()).contains("has been carried out", "Do not try again: look at the order first");
		ProblemDetail refused = this.problems.notPaid(new StaleFenceException("order:10015", 7, "refused"));
		assertThat(refused.getStatus()).isEqualTo(409);
		assertThat(refused.getDetail()).contains("Nothing was paid: try again");
	}

	@Test
	void aStopIsNoBusyOrder() {
		MockMvcTester stopping = MockMvcTester
			.create(MockMvcBuilders.standaloneSetup(new Stopping()).setControllerAdvice(this.problems).build());
		assertProblem(stopping.get().uri("/stopping").exchange(), 503, "this application is shutting down");
	}

	@Test
	void onlyUnguardedPaymentsGetLost() {
		MvcTestResult result = this.mvc.post().uri("/orders/10012/comparison?payments=20").exchange();
		assertThat(result).hasStatusOk();
		Comparison.Run[] runs = assertThat(result).bodyJson().convertTo(Comparison.Run[].class).actual();
		assertThat(runs[0].after()).isEqualTo(runs[0].expected());
		assertThat(runs[1].after()).isGreaterThan(runs[1].expected());
	}

	@Test
	void oneInstanceSettlesAndTheOthersSkip() {
		pay("10013", "{\"amount\": " + balance("10013") + "}");
		try (LockHandle other = this.locks.acquire(LockRequest.of("settlement"))) {
			assertThat(other.isHeld()).isTrue();
			assertProblem(this.mvc.post().uri("/settlements").exchange(), 409, "Skipped");
		}
		assertThat(this.mvc.post().uri("/settlements")).hasStatusOk();
		assertThat(this.orders.findById("10013").orElseThrow().settled()).isTrue();
		assertThat(this.mvc.get().uri("/settlements")).bodyJson()
			.extractingPath("$[0].instance")
			.asString()
			.isEqualTo(this.self.instance());
	}

	@Test
	void anInstanceIsNamedAsPeopleKnowIt() {
		assertThat(OrderServiceApplication.lockOwner("orders", 8081).toString()).matches("orders \\S+:8081 \\(.*");
		assertThat(OrderServiceApplication.lockOwner("orders", 0).instance())
			.endsWith(":pid" + ProcessHandle.current().pid());
	}

	@Test
	void thePageLearnsOfTurnsAndOfThoseWhoWait() {
		String payment = "{\"order\": \"10014\", \"amount\": 100, \"takes\": 4}";
		for (int i = 0; i < 2; i++) {
			assertThat(send(payment)).hasStatus(202);
		}
		String waiting = "$.instances[*].waiting[?(@.key == 'order:10014' && @.calls == 1)]";
		await().atMost(PATIENCE).untilAsserted(() -> board().extractingPath(waiting).asArray().hasSize(1));
		String holders = "$.locks[?(@.key == 'order:10014')].holders[*].instance";
		board().extractingPath(holders).asArray().containsExactly(this.self.instance());
		String turns = "$.instances[*].turns[?(@.key == 'order:10014' && @.end == 'RELEASED')]";
		await().atMost(PATIENCE).untilAsserted(() -> board().extractingPath(turns).asArray().hasSize(2));
		board().extractingPath("$.sent[?(@.order == '10014')].receipt.amount").asArray().containsExactly(100, 100);
	}

	@Test
	void thePageLearnsWhyAPaymentWasNotTaken() {
		assertProblem(send("{\"order\": \"1\", \"amount\": 100, \"takes\": 1}"), 400, "There is no order '1'");
		try (LockHandle handle = this.locks.acquire(LockRequest.of("order:10015"))) {
			assertThat(send("{\"order\": \"10015\", \"amount\": 100, \"takes\": 1}")).hasStatus(202);
			await().atMost(PATIENCE)
				.untilAsserted(() -> board().extractingPath("$.sent[?(@.order == '10015')].problem")
					.asArray()
					.singleElement()
					.asString()
					.contains("Lock 'order:10015' is held by", "fence " + handle.fence()));
		}
	}

	@Test
	void aPaymentThatEndsWhenItIsForgottenIsNotShownAsTheLast() {
		try (LockHandle handle = this.locks.acquire(LockRequest.of("order:10016"))) {
			assertThat(send("{\"order\": \"10016\", \"amount\": 100, \"takes\": 0}")).hasStatus(202);
			for (int order = 10021; order <= 10040; order++) {
				assertThat(send("{\"order\": \"" + order + "\", \"amount\": 100, \"takes\": 0}")).hasStatus(202);
			}
			assertThat(handle.isHeld()).isTrue();
		}
		await().atMost(PATIENCE).until(OrderServiceApplicationTests::noPaymentIsUnderWay);
		board().extractingPath("$.sent[*].order").asArray().hasSize(20).doesNotContain("10016");
	}

	private static boolean noPaymentIsUnderWay() {
		return Thread.getAllStackTraces().keySet().stream().noneMatch((it) -> it.getName().startsWith("payment-"));
	}

	private MvcTestResult send(String payment) {
		return this.mvc.post()
			.uri("/page/payments")
			.contentType(MediaType.APPLICATION_JSON)
			.content(payment)
			.exchange();
	}

	private AbstractJsonContentAssert<?> board() {
		return assertThat(this.mvc.get().uri("/page/board")).bodyJson();
	}

	private MvcTestResult pay(String order, String payment) {
		return this.mvc.post()
			.uri("/orders/{id}/payments", order)
			.contentType(MediaType.APPLICATION_JSON)
			.content(payment)
			.exchange();
	}

	private long balance(String order) {
		return this.orders.findById(order).orElseThrow().balance();
	}

	private static void assertProblem(MvcTestResult result, int status, String detail) {
		assertThat(result).hasStatus(status).hasContentTypeCompatibleWith(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(result).bodyJson().extractingPath("$.detail").asString().contains(detail);
	}

	@RestController
	static class Stopping {

		@GetMapping("/stopping")
		void stopping() {
			throw new LockAttemptAbortedException("order:10001", List.of(), Duration.ZERO, 0,
					"Lock 'order:10001' is not claimed, because this application is shutting down");
		}

	}

}
