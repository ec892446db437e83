package io.mongolock.sample.orders;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances as processes of their own, which share an embedded server that is a
 * process of its own too.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class TwoInstancesTests {

	// a busy machine must not make anybody give up
	private static final String PATIENT = "--mongo-lock.locks.order.wait-timeout=2m";

	private static TestServer server;

	private static TestInstance one;

	@BeforeAll
	static void start() {
		server = new TestServer();
		one = new TestInstance(server, PATIENT);
		one.awaitOrders();
	}

	@AfterAll
	static void stop() {
		one.close();
		server.close();
	}

	@Test
	void everyBalanceIsExactAfter500PaymentsToBoth() throws Exception {
		List<String> ids = List.of("10001", "10002", "10003", "10004", "10005");
		try (TestInstance two = new TestInstance(server, PATIENT)) {
			List<Long> before = balances(ids);
			List<CompletableFuture<HttpResponse<String>>> payments = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				for (String id : ids) {
					payments.add(one.pay(id, 1, "PT0.005S"));
					payments.add(two.pay(id, 1, "PT0.005S"));
				}
			}
			assertThat(payments).hasSize(500)
				.extracting((payment) -> TestInstance.receipt(payment.join()))
				.extracting(Receipt::order, Receipt::fence)
				.doesNotHaveDuplicates();
			assertThat(balances(ids)).isEqualTo(before.stream().map((balance) -> balance - 100).toList());
		}
	}

	@Test
	void theOtherGoesOnWithinOneTtlAfterOneIsKilled() throws Exception {
		Duration ttl = Duration.ofSeconds(3);
		long before = one.order("10010").balance();
		try (TestInstance two = new TestInstance(server, "--mongo-lock.locks.order.ttl=" + ttl)) {
			two.pay("10010", 1, "PT2M");
			one.awaitHeld("order:10010");
			long killedFence = one.locks().get(0).fence();
			CompletableFuture<HttpResponse<String>> waiting = one.pay("10010", 100, "PT0S");
			two.jvm().kill();
			Instant killed = Instant.now();
			Receipt receipt = TestInstance.receipt(waiting.join());
			// the rest is for a busy machine
			assertThat(Duration.between(killed, Instant.now())).isLessThan(ttl.plusSeconds(10));
			assertThat(receipt.fence()).isGreaterThan(killedFence);
			assertThat(one.order("10010").balance()).isEqualTo(before - 100);
		}
	}

	@Test
	void anInstanceStoppedUnderLoadLeavesNoLockBehind() throws Exception {
		try (TestInstance two = new TestInstance(server, PATIENT)) {
			String id = two.id();
			for (int i = 0; i < 60; i++) {
				two.pay("1002" + i % 3, 1, "PT0.1S");
			}
			one.awaitHeld("order:10020");
			two.jvm().terminate();
			assertThat(two.jvm().exit()).isEqualTo(143);
			assertThat(one.locks()).extracting(HeldLock::instance).doesNotContain(id);
			assertThat(two.jvm().output()).doesNotContain(" ERROR ").doesNotContain("\tat ");
		}
	}

	private static List<Long> balances(List<String> ids) throws Exception {
		List<Long> balances = new ArrayList<>();
		for (String id : ids) {
			balances.add(one.order(id).balance());
		}
		return balances;
	}

}
