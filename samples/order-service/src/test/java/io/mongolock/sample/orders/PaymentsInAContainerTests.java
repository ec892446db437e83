package io.mongolock.sample.orders;

import java.time.Duration;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.mongodb.MongoDBContainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the application with a real MongoDB in a container.
 */
// the URI is that of the container; without the property the sample starts its own server
@SpringBootTest(properties = "spring.mongodb.uri=mongodb://of.the.container/")
@ExtendWith(DockerCondition.class)
@Testcontainers
class PaymentsInAContainerTests {

	@Container
	@ServiceConnection
	static final MongoDBContainer MONGO = new MongoDBContainer("mongo:5.0.7").withReplicaSet();

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
