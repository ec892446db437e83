package io.mongolock.interceptor;

import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.aopalliance.aop.Advice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import io.mongolock.LockContext;
import io.mongolock.LockLostException;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.LossReason;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for {@link LockInterceptor}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockInterceptorTests {

	static final List<Arguments> later = List.of(Arguments.of(Mono.just("a"), "MonoJust"),
			Arguments.of(ResponseEntity.ok(Mono.just("a")), "MonoJust"),
			Arguments.of(Optional.of(new CompletableFuture<>()), "CompletableFuture"),
			Arguments.of((StreamingResponseBody) (out) -> {
			}, ""), Arguments.of(Stream.of("a"), "Head"), Arguments.of(List.of("a").iterator(), "ListItr"),
			Arguments.of((Supplier<String>) () -> "a", ""));

	private final RecordingLockOperations locks = new RecordingLockOperations();

	private final Service failing = proxy(OnUnavailable.FAIL);

	private final Service skipping = proxy(OnUnavailable.SKIP);

	@Test
	void methodRunsUnderItsLock() {
		assertThat(this.failing.pay(42)).isEqualTo("order:42 7");
		assertThat(this.locks.events()).containsExactly("acquire order:42", "release order:42");
		assertThatIllegalStateException().isThrownBy(LockContext::current);
	}

	@Test
	void methodThatSkipsRunsUnderItsLock() {
		assertThat(this.skipping.pay(42)).isEqualTo("order:42 7");
		assertThat(this.locks.events()).containsExactly("acquire order:42", "release order:42");
		assertThatIllegalStateException().isThrownBy(LockContext::current);
	}

	@Test
	void requestSaysWhatWasDeclared() {
		this.failing.pay(42);
		assertThat(this.locks.request().name()).isEqualTo("order");
		assertThat(this.locks.request().onLost()).isEqualTo(OnLost.INTERRUPT);
		assertThat(this.locks.request().settings().autoRenew()).isFalse();
		assertThat(this.locks.request().settings().limit()).isEqualTo(3);
	}

	@Test
	void methodForWhichNothingIsFoundIsNotRun() {
		assertThatIllegalStateException().isThrownBy(this.failing::look)
			.withMessageContaining(
					"LockInterceptorTests$Service.look() was not run, because it should run under a lock");
		assertThat(this.failing.looked).isFalse();
	}

	@ParameterizedTest
	@FieldSource("later")
	void aResultThatEndsLaterIsRefusedAndTheLockReleased(Object result, String type) {
		assertThatExceptionOfType(InvalidLockMethodException.class).isThrownBy(() -> this.failing.any(1, result))
			.withMessageContaining("Service.any(int, Object) has returned a " + type)
			.withMessageContaining("LockOperations.executeAsync");
		assertThatExceptionOfType(InvalidLockMethodException.class).isThrownBy(() -> this.skipping.any(1, result));
		assertThat(this.locks.events()).hasSize(4).endsWith("release order:1");
	}

	@Test
	void aResultThatHasEndedIsReturned() {
		for (Object result : new Object[] { CompletableFuture.completedFuture("a"), Optional.of("a"), List.of("a"),
				ResponseEntity.ok("a"), ResponseEntity.noContent().build(), Map.of() }) {
			assertThat(this.failing.any(1, result)).isSameAs(result);
		}
	}

	@Test
	void whenHeldByAnotherThenFails() {
		this.locks.heldByAnother();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.failing.pay(42));
	}

	@Test
	void whenHeldByAnotherThenSkipsWithEmptyResult() {
		this.locks.heldByAnother();
		assertThat(this.skipping.pay(42)).isNull();
		assertThat(this.skipping.find(1)).isEqualTo(Optional.empty());
		assertThat(this.skipping.findInt(1)).isEqualTo(OptionalInt.empty());
		assertThat(this.skipping.findLong(1)).isEqualTo(OptionalLong.empty());
		assertThat(this.skipping.findDouble(1)).isEqualTo(OptionalDouble.empty());
		this.skipping.run(1);
		assertThat(this.locks.events()).hasSize(6).allMatch((event) -> event.startsWith("denied"));
	}

	@Test
	void exceptionsOfTheMethodReachTheCallerUnchanged() {
		for (Throwable thrown : new Throwable[] { new IOException("checked"), new IllegalStateException("unchecked"),
				new AssertionError("error"),
				new LockUnavailableException("inner", List.of(), Duration.ZERO, 1, "of another") }) {
			assertThat(catchThrowable(() -> this.failing.fail(1, thrown))).isSameAs(thrown);
			assertThat(catchThrowable(() -> this.skipping.fail(1, thrown))).isSameAs(thrown);
		}
	}

	@Test
	void lostLockFailsTheCall() {
		LockLostException lost = new LockLostException("order:1", 7, LossReason.DEADLINE, "lost");
		this.locks.failOnClose(lost);
		assertThat(catchThrowable(() -> this.failing.pay(1))).isSameAs(lost);
		assertThat(catchThrowable(() -> this.skipping.pay(1))).isSameAs(lost);
	}

	@Test
	void lostLockDoesNotHideTheMethodsException() {
		LockLostException lost = new LockLostException("order:1", 7, LossReason.DEADLINE, "lost");
		this.locks.failOnClose(lost);
		IOException thrown = new IOException("checked");
		assertThat(catchThrowable(() -> this.skipping.fail(1, thrown))).isSameAs(thrown);
		assertThat(thrown).hasSuppressedException(lost);
	}

	@Test
	void aMethodThatWaitsOnAThreadOfReactorIsWarnedOfOnceByName(CapturedOutput output) {
		Callable<String> call = () -> this.failing.pay(1);
		for (int i = 0; i < 2; i++) {
			Mono.fromCallable(call).subscribeOn(Schedulers.parallel()).block();
		}
		assertThat(output).containsOnlyOnce("must not block").contains("Service.pay(int)");
		Mono.fromCallable(call).subscribeOn(Schedulers.boundedElastic()).block();
		assertThat(output).containsOnlyOnce("must not block");
	}

	private Service proxy(OnUnavailable onUnavailable) {
		LockInterceptor interceptor = new LockInterceptor(new DeclaredSource(onUnavailable), () -> this.locks,
				new StaticListableBeanFactory(Map.of()));
		ProxyFactory factory = new ProxyFactory(new Service());
		factory.setProxyTargetClass(true);
		factory.addAdvice((Advice) interceptor);
		return (Service) factory.getProxy();
	}

	private record DeclaredSource(OnUnavailable onUnavailable) implements LockOperationSource {

		@Override
		public boolean isCandidateClass(Class<?> targetClass) {
			return true;
		}

		@Override
		public List<LockOperation> getLockOperations(Method method, Class<?> targetClass) {
			return (method.getParameterCount() != 0) ? List.of(new LockOperation(method, "order", "#p0", null, null,
					LockSettings.builder().autoRenew(false).limit(3).build(), this.onUnavailable, null, null,
					OnLost.INTERRUPT)) : List.of();
		}

	}

	static class Service {

		private boolean looked;

		String pay(int id) {
			return LockContext.current().key() + " " + LockContext.current().fence();
		}

		void look() {
			this.looked = true;
		}

		Object any(int id, Object result) {
			return result;
		}

		Optional<String> find(int id) {
			return Optional.of("found");
		}

		OptionalInt findInt(int id) {
			return OptionalInt.of(1);
		}

		OptionalLong findLong(int id) {
			return OptionalLong.of(1);
		}

		OptionalDouble findDouble(int id) {
			return OptionalDouble.of(1);
		}

		void run(int id) {
			throw new AssertionError("must not run");
		}

		void fail(int id, Throwable thrown) throws Throwable {
			throw thrown;
		}

	}

}
