package io.mongolock.test;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.annotation.DirtiesContext.MethodMode;

import io.mongolock.LockHandle;
import io.mongolock.LockOperations;
import io.mongolock.LockRequest;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.test.autoconfigure.AutoConfigureMongoLockTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockOrder}, each with a record of its own.
 */
@SpringBootTest
@AutoConfigureMongoLockTest
class LockOrderTests {

	@Autowired
	private ApplicationContext context;

	@Autowired
	private LockOperations locks;

	@Test
	@DirtiesContext(methodMode = MethodMode.BEFORE_METHOD)
	void whenTwoNamesAreEachTakenInsideTheOtherThenBothPlacesAreShown() {
		nest(order("1"), account("2"));
		assertConsistent();
		otherwise();
		assertThatExceptionOfType(AssertionError.class).isThrownBy(this::assertConsistent)
			.withMessageContaining("'order' inside of 'account', 'account' inside of 'order'")
			.satisfies((error) -> assertThat(error.getSuppressed()).extracting(Throwable::getMessage)
				.containsExactly("Lock 'order:7' inside of lock 'account:2'",
						"Lock 'account:2' inside of lock 'order:1'"))
			.satisfies((error) -> assertThat(Arrays.asList(error.getSuppressed()[0].getStackTrace()))
				.extracting(StackTraceElement::getMethodName)
				.contains("otherwise"));
	}

	private void otherwise() {
		nest(account("2"), order("7"));
	}

	@Test
	@DirtiesContext(methodMode = MethodMode.BEFORE_METHOD)
	void whenThreeNamesAreTakenInACircleThenItIsShown() {
		LockRequest stock = LockRequest.of("stock", "1");
		nest(order("1"), account("2"));
		nest(account("2"), stock);
		assertConsistent();
		nest(stock, order("1"));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(this::assertConsistent);
	}

	@Test
	@DirtiesContext(methodMode = MethodMode.BEFORE_METHOD)
	void whenKeysOfOneNameAreTakenUpwardsAndDownwardsThenThatIsShown() {
		this.locks.execute(List.of(account("9"), account("3")), LockHandle::fence);
		nest(account("1"), account("2"));
		assertConsistent();
		nest(account("5"), account("4"));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(this::assertConsistent)
			.withMessageContaining("a lower key of 'account' inside of a higher key of 'account'");
	}

	@Test
	@DirtiesContext(methodMode = MethodMode.BEFORE_METHOD)
	void whenSeveralLocksOfOneCallAreNestedOtherwiseElsewhereThenThatIsShown() {
		this.locks.execute(List.of(order("1"), account("2")), LockHandle::fence);
		this.locks.execute(List.of(account("2"), order("1")), LockHandle::fence);
		assertConsistent();
		nest(order("1"), account("2"));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(this::assertConsistent);
	}

	@Test
	@DirtiesContext(methodMode = MethodMode.BEFORE_METHOD)
	void whenAnAttemptDoesNotWaitOrSharesWhatIsHeldThenItIsInNoOrder() {
		nest(order("1"), account("2"));
		this.locks.execute(account("2"), (handle) -> {
			this.locks.tryAcquire(order("1")).orElseThrow().close();
			this.locks.execute(LockRequest.builder("order", "1").waitTimeout(Duration.ZERO).build(), LockHandle::fence);
			return this.locks.execute(account("2"), LockHandle::fence);
		});
		this.locks.execute(order("1"), LockHandle::fence);
		assertConsistent();
	}

	@Test
	void whenItIsNoContextOfATestThenThatIsSaid() {
		try (StaticApplicationContext other = new StaticApplicationContext()) {
			other.refresh();
			assertThatIllegalStateException().isThrownBy(() -> LockOrder.assertConsistent(other))
				.withMessageContaining("@SpringBootTest");
		}
	}

	private void assertConsistent() {
		LockOrder.assertConsistent(this.context);
	}

	private void nest(LockRequest outer, LockRequest inner) {
		this.locks.execute(outer, (handle) -> this.locks.execute(inner, LockHandle::fence));
	}

	private static LockRequest order(String id) {
		return LockRequest.of("order", id);
	}

	private static LockRequest account(String id) {
		return LockRequest.of("account", id);
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(MongoLockAutoConfiguration.class)
	static class App {

	}

}
