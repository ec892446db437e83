package io.mongolock.sample.orders;

import java.time.Duration;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the application with a real MongoDB, which a subclass gets by Docker.
 */
@ExtendWith(DockerCondition.class)
abstract class PaymentsOnARealServer {

	@Autowired
	private OrderRepository orders;

	@Autowired
	private PaymentService payments;

	@Test
	void noPaymentGetsLost() {
		await().atMost(Duration.ofSeconds(30)).until(() -> this.orders.count() == 320);
		long before = balance();
		IntStream.range(0, 20).parallel().forEach((payment) -> this.payments.pay("10010", new Payment(1, null)));
		assertThat(balance()).isEqualTo(before - 20);
	}

	private long balance() {
		return this.orders.findById("10010").orElseThrow().balance();
	}

}
