package io.mongolock.docs;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import io.mongolock.LockLostException;
import io.mongolock.LockStoreException;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.faults.EnableLockFaults;
import io.mongolock.test.faults.LockFaults;
import io.mongolock.test.proxy.FaultProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * The tests that docs/testing.md shows.
 */
@SpringBootTest
@EnableLockFaults
class OrderTests {

	static final EmbeddedMongo SERVER = EmbeddedMongo.start();

	static final FaultProxy PROXY = FaultProxy.to("localhost", SERVER.port());

	@Autowired
	private LockFaults faults;

	@Autowired
	private Orders orders;

	@DynamicPropertySource
	static void mongo(DynamicPropertyRegistry registry) {
		registry.add("spring.mongodb.uri", PROXY::connectionString);
	}

	@Test
	void aPaymentWhoseLockIsLostFails() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.orders.pay("42", () -> this.faults.lose("order:42")));
	}

	@Test
	void nothingIsRefundedWhileTheStoreIsDown() {
		this.faults.storeDown();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.orders.refund("42", () -> assertThat("refunded").isEmpty()));
	}

	@Test
	void aConnectionThatBreaksDoesNotStopAPayment() {
		PROXY.on("findAndModify").cutBeforeReply().once();
		assertThatNoException().isThrownBy(() -> this.orders.pay("42", () -> {
		}));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Orders.class)
	static class App {

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id")
		void pay(String id, Runnable charge) {
			charge.run();
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s")
		void refund(String id, Runnable repay) {
			repay.run();
		}

	}

}
