package io.mongolock.docs;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.mongolock.LockContext;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.test.LockAssertions;
import io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The test without a server that docs/testing.md shows.
 */
@SpringBootTest
@AutoConfigureMongoLockTest
class PaymentTests {

	@Autowired
	private LockAssertions locks;

	@Autowired
	private Payments payments;

	@Test
	void aPaymentRunsUnderTheLockOfItsOrder() {
		this.locks.assertThatLock("order:42").isTakenBy(() -> this.payments.pay("42", () -> {
			this.locks.assertThatLock("order:42").isHeldBy(Thread.currentThread().getName());
			this.locks.assertThatLock("order:43").isFree();
			assertThat(LockContext.current().key()).isEqualTo("order:42");
		})).isFree();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Payments.class)
	static class App {

	}

	static class Payments {

		@DistributedLock(name = "order", key = "#id")
		void pay(String id, Runnable charge) {
			charge.run();
		}

	}

}
