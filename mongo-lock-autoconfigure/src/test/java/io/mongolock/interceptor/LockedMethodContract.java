package io.mongolock.interceptor;

import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import io.mongolock.LockContext;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockUnavailableException;
import io.mongolock.LossReason;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.autoconfigure.MongoLockAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Contract of annotated methods, however their lock is brought around them.
 */
public abstract class LockedMethodContract {

	private final RecordingLockOperations locks = new RecordingLockOperations();

	/**
	 * The auto-configurations of the way that is tested.
	 */
	protected abstract Class<?>[] configurations();

	/**
	 * The object whose methods are locked that way.
	 */
	protected abstract Payments payments(ApplicationContext context);

	@Test
	void aMethodRunsUnderItsLock() {
		withPayments((payments) -> assertThat(payments.pay(42)).isEqualTo("order:42 7"));
		assertThat(this.locks.events()).containsExactly("acquire order:42", "release order:42");
		assertThatIllegalStateException().isThrownBy(LockContext::current);
	}

	@Test
	void theRequestSaysWhatWasDeclared() {
		withPayments((payments) -> payments.pay(42));
		assertThat(this.locks.request().name()).isEqualTo("order");
		assertThat(this.locks.request().onLost()).isEqualTo(OnLost.INTERRUPT);
		assertThat(this.locks.request().settings().ttl()).isEqualTo(Duration.ofSeconds(20));
	}

	@Test
	void aComposedAnnotationLocksItsMethod() {
		withPayments((payments) -> assertThat(payments.composed()).isEqualTo("composed"));
		assertThat(this.locks.events()).containsExactly("acquire composed", "release composed");
	}

	@Test
	void aPublicMethodOfAClassThatIsLockedIs() {
		withPayments((payments) -> payments.plain());
		assertThat(this.locks.events()).containsExactly("acquire payments", "release payments");
	}

	@Test
	void severalLocksAreTakenInTheirOrder() {
		withPayments((payments) -> payments.transfer("b", "a"));
		assertThat(this.locks.events()).containsExactly("acquire account:a", "acquire account:b", "release account:b",
				"release account:a");
	}

	@Test
	void argumentsAndPrimitiveResultsPassThrough() {
		withPayments((payments) -> assertThat(payments.sum(1, 2, 3)).isEqualTo(6));
	}

	@Test
	void whenHeldByAnotherThenFails() {
		this.locks.heldByAnother();
		withPayments((payments) -> assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> payments.pay(42)));
	}

	@Test
	void whenHeldByAnotherThenSkipsWithEmptyResult() {
		this.locks.heldByAnother();
		withPayments((payments) -> {
			assertThat(payments.skipped()).isEmpty();
			payments.skippedWithoutResult();
		});
		assertThat(this.locks.events()).containsExactly("denied skipped", "denied skipped");
	}

	@Test
	void exceptionsReachTheCallerUnchanged() {
		withPayments((payments) -> {
			for (Throwable thrown : new Throwable[] { new IOException("checked"), new AssertionError("error"),
					new IllegalStateException("unchecked") }) {
				assertThat(catchThrowable(() -> payments.fail(thrown))).isSameAs(thrown);
			}
		});
		assertThat(this.locks.events()).hasSize(6).endsWith("release payments");
	}

	@Test
	void aLostLockFailsTheCall() {
		LockLostException lost = new LockLostException("order:1", 7, LossReason.DEADLINE, "lost");
		this.locks.failOnClose(lost);
		withPayments((payments) -> assertThat(catchThrowable(() -> payments.pay(1))).isSameAs(lost));
	}

	@Test
	void aKeyThatIsNullIsRefusedWithTheMethod() {
		withPayments((payments) -> assertThatIllegalArgumentException().isThrownBy(() -> payments.transfer(null, "a"))
			.withMessageContaining("transfer(String, String)"));
		assertThat(this.locks.events()).isEmpty();
	}

	@Test
	void aResultThatWasHiddenAndEndsLaterIsRefused() {
		withPayments(
				(payments) -> assertThatExceptionOfType(InvalidLockMethodException.class).isThrownBy(payments::hidden));
	}

	@Test
	void aCallOfTheSameMethodOnTheSameThreadSharesTheLock() {
		withPayments((payments) -> assertThat(payments.nested(payments)).isEqualTo("order:42 7"));
		assertThat(this.locks.events()).containsExactly("acquire payments", "acquire order:42", "release order:42",
				"release payments");
	}

	private void withPayments(Calls calls) {
		new ApplicationContextRunner().withBean(LockOperations.class, () -> this.locks)
			.withBean(Service.class)
			.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class))
			.withConfiguration(AutoConfigurations.of(configurations()))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				calls.of(payments(context));
			});
	}

	@FunctionalInterface
	private interface Calls {

		void of(Payments payments) throws Throwable;

	}

	/** The methods that are called. */
	public interface Payments {

		String pay(int id);

		String composed();

		void plain();

		void transfer(String from, String to);

		int sum(int... summands);

		Optional<String> skipped();

		void skippedWithoutResult();

		void fail(Throwable thrown) throws Throwable;

		Object hidden();

		String nested(Payments other);

	}

	/** The methods that are locked. */
	@DistributedLock("payments")
	public static class Service implements Payments {

		@Override
		@DistributedLock(name = "order", key = "#id", ttl = "20s", onLost = OnLost.INTERRUPT)
		public String pay(int id) {
			return LockContext.current().key() + " " + LockContext.current().fence();
		}

		@Override
		@Composed
		public String composed() {
			return LockContext.current().key();
		}

		@Override
		public void plain() {
		}

		@Override
		@DistributedLock(name = "account", key = "#from")
		@DistributedLock(name = "account", key = "#to")
		public void transfer(String from, String to) {
		}

		@Override
		public int sum(int... summands) {
			int sum = 0;
			for (int summand : summands) {
				sum += summand;
			}
			return sum;
		}

		@Override
		@DistributedLock(name = "skipped", onUnavailable = OnUnavailable.SKIP)
		public Optional<String> skipped() {
			return Optional.of("run");
		}

		@Override
		@DistributedLock(name = "skipped", onUnavailable = OnUnavailable.SKIP)
		public void skippedWithoutResult() {
			throw new AssertionError("must not run");
		}

		@Override
		public void fail(Throwable thrown) throws Throwable {
			throw thrown;
		}

		@Override
		public Object hidden() {
			return new CompletableFuture<>();
		}

		@Override
		public String nested(Payments other) {
			return other.pay(42);
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("composed")
	@interface Composed {

	}

}
