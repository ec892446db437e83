package io.mongolock.docs;

import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import io.mongolock.LockContext;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.LockStoreException;
import io.mongolock.OnLost;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.data.FencedWrites;
import io.mongolock.store.LockStore;
import io.mongolock.test.embedded.EmbeddedMongo;
import io.mongolock.test.faults.EnableLockFaults;
import io.mongolock.test.faults.LockFaults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EnableLockFaults}, as a user writes them.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@EnableLockFaults
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EnableLockFaultsTests {

	private static final EmbeddedMongo SERVER = EmbeddedMongo.builder().start();

	@Autowired
	private LockFaults faults;

	@Autowired
	private LockOperations locks;

	@Autowired
	private Orders orders;

	@DynamicPropertySource
	static void server(DynamicPropertyRegistry registry) {
		registry.add("spring.mongodb.uri", () -> SERVER.connectionString() + "/faults");
	}

	@AfterAll
	static void stop() {
		SERVER.close();
	}

	@Test
	void aLossIsNoticedAtOnceAndToldAtTheMethodsEnd() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.orders.pay("42", () -> {
			this.faults.lose("order:42");
			assertThat(LockContext.current().isHeld()).isFalse();
		}));
	}

	@Test
	void aThreadThatWantsToBeIsInterruptedByALoss() {
		LockRequest request = LockRequest.builder("order:43").onLost(OnLost.INTERRUPT).build();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute(request, (handle) -> {
			this.faults.lose("order:43");
			assertThat(Thread.currentThread().isInterrupted()).isTrue();
			return "";
		}));
	}

	@Test
	@Order(1)
	void aStoreThatIsDownFailsTheMethodBeforeItRuns() {
		this.faults.storeDown();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.orders.pay("42", () -> assertThat("not run").isEmpty()));
	}

	@Test
	@Order(2)
	void faultsEndWithTheTest() {
		this.orders.pay("42", () -> assertThat(LockContext.current().remaining()).isGreaterThan(Duration.ZERO));
	}

	@Test
	void theApplicationsOwnStoreStaysWhatItIs(@Autowired LockStore store, @Autowired FencedWrites writes) {
		assertThat(store).isSameAs(this.faults);
		assertThat(writes).isNotNull();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Orders.class)
	static class App {

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s")
		void pay(String id, Runnable work) {
			work.run();
		}

	}

}
