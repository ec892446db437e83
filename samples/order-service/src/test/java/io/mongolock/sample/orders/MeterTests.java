package io.mongolock.sample.orders;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.test.faults.EnableLockFaults;
import io.mongolock.test.faults.LockFaults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatRuntimeException;

/**
 * What Prometheus scrapes of the locks after a small load and some faults.
 */
@Tag("application")
// As OrderServiceApplicationTests, which so shares its context
@SpringBootTest(properties = { "orders.embedded-port=0", "orders.settlement-time=10ms",
		"mongo-lock.locks.order.wait-timeout=2s" })
@AutoConfigureMockMvc
@EnableLockFaults
class MeterTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private LockOperations locks;

	@Autowired
	private LockFaults faults;

	@Test
	void whateverBecomesOfAClaimIsScraped() {
		LockRequest request = waiting(LONG, 1);
		LockHandle held = this.locks.acquire(request);
		CompletableFuture.runAsync(() -> assertThat(this.locks.tryAcquire(waiting(Duration.ZERO, 1))).isEmpty()).join();
		assertThatRuntimeException().isThrownBy(() -> this.locks.acquire(waiting(Duration.ZERO, 1)));
		assertThatRuntimeException().isThrownBy(() -> this.locks.acquire(waiting(Duration.ofMillis(5), 1)));
		this.locks.acquireAsync(request).cancel(true);
		Thread.currentThread().interrupt();
		assertThatRuntimeException().isThrownBy(() -> this.locks.acquire(request));
		assertThat(Thread.interrupted()).isTrue();
		this.faults.storeDown();
		assertThatRuntimeException().isThrownBy(() -> this.locks.acquire(waiting(Duration.ZERO, 2)));
		this.faults.heal();
		awaitScraped("mongo_lock_held 1.0");
		held.close();
		awaitScraped(Stream.of("granted", "skipped", "denied", "timeout", "cancelled", "interrupted")
			.map((outcome) -> "mongo_lock_acquire_seconds_count{error=\"none\",lock=\"metered\",outcome=\"" + outcome
					+ "\"} ")
			.toArray(String[]::new));
		awaitScraped(
				"mongo_lock_acquire_seconds_count{error=\"LockStoreException\",lock=\"metered\",outcome=\"failed\"} ");
	}

	@Test
	void whateverBecomesOfAHeldLockIsScraped() {
		this.locks.acquire(waiting(LONG, 3)).close();
		LockHandle lost = this.locks.acquire(waiting(LONG, 4));
		this.faults.lose(lost.key());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close);
		LockHandle overrun = this.locks.acquire(shortLease(5));
		Awaitility.await().atMost(LONG).until(() -> !overrun.isHeld());
		overrun.close();
		LockHandle forgotten = this.locks.acquire(shortLease(6));
		try (LockHandle after = this.locks.acquire(waiting(LONG, 6))) {
			assertThat(after.fence()).isGreaterThan(forgotten.fence());
		}
		assertThatExceptionOfType(LockLostException.class).isThrownBy(forgotten::close);
		awaitScraped("mongo_lock_hold_seconds_count{error=\"none\",lock=\"metered\",outcome=\"completed\"} ",
				"mongo_lock_hold_seconds_count{error=\"LockLostException\",lock=\"metered\",outcome=\"lost\"} ",
				"mongo_lock_hold_seconds_count{error=\"none\",lock=\"metered\",outcome=\"expired-uncontested\"} ",
				"mongo_lock_lost_total{lock=\"metered\",reason=\"refused\"} ",
				"mongo_lock_lost_total{lock=\"metered\",reason=\"deadline\"} ",
				"mongo_lock_taken_over_total{lock=\"metered\"} ", "mongo_lock_store_clock_offset_seconds ");
	}

	@Test
	void renewalsAreScrapedWithWhatWasLeftOfTheLease() {
		LockSettings often = LockSettings.builder().ttl(LONG).renewInterval(Duration.ofMillis(20)).build();
		try (LockHandle held = this.locks.acquire(LockRequest.of("metered", 7).with(often))) {
			awaitCounted("mongo_lock_renewal_seconds_count{outcome=\"answered\"} ", "mongo_lock_renewal_leases_sum ",
					"mongo_lock_lease_used_count ");
			this.faults.storeDown();
			awaitCounted("mongo_lock_renewal_seconds_count{outcome=\"failed\"} ");
			this.faults.heal();
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void wakeUpsAndHandOversAreScraped() {
		LockHandle held = this.locks.acquire(waiting(LONG, 8));
		List<CompletableFuture<Void>> waiting = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			waiting.add(this.locks.acquireAsync(waiting(LONG, 8)).thenAccept(LockHandle::close));
		}
		awaitScraped("mongo_lock_waiting 3.0");
		held.close();
		waiting.forEach(CompletableFuture::join);
		awaitCounted("mongo_lock_wake_up_seconds_count{lock=\"metered\",outcome=\"granted\"} ",
				"mongo_lock_hand_over_seconds_count{lock=\"metered\"} ");
	}

	private void awaitScraped(String... meters) {
		Awaitility.await().atMost(LONG).untilAsserted(() -> assertThat(scrape()).contains(meters));
	}

	private void awaitCounted(String... meters) {
		Awaitility.await().atMost(LONG).untilAsserted(() -> {
			String scraped = scrape();
			for (String meter : meters) {
				assertThat(scraped.lines()).anyMatch(
						(line) -> line.startsWith(meter) && !line.equals(meter + "0") && !line.equals(meter + "0.0"));
			}
		});
	}

	private String scrape() {
		return new String(this.mvc.get().uri("/actuator/prometheus").exchange().getResponse().getContentAsByteArray());
	}

	private static LockRequest waiting(Duration wait, int number) {
		return LockRequest.of("metered", number).with(LockSettings.builder().waitTimeout(wait).build());
	}

	private static LockRequest shortLease(int number) {
		return LockRequest.of("metered", number)
			.with(LockSettings.builder().ttl(Duration.ofMillis(1500)).autoRenew(false).waitTimeout(LONG).build());
	}

}
