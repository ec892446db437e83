package io.mongolock.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import io.mongolock.LockClock;
import io.mongolock.LockHandle;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.LockUnavailableHandler;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.AnnotationLockOperationSource;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.ScriptedStore;
import io.mongolock.core.ConfiguredSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for fallbacks, handlers and conditions of methods whose results end later.
 */
@Timeout(60)
class LaterAnswersTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final ScriptedStore store = new ScriptedStore();

	private final LockTemplate locks = template("app");

	private final LockTemplate others = template("others");

	private final Service target = new Service();

	private final Service service = proxy();

	@AfterEach
	void stop() {
		this.locks.stop(Duration.ofSeconds(1));
		this.others.stop(Duration.ofSeconds(1));
	}

	@Test
	void aFallbackAnswersByAStageOrAPublisherOfItsOwn() {
		this.others.acquire(LockRequest.of("order:a"));
		assertThat(this.service.future("a")).succeedsWithin(LONG).isEqualTo("a later, order:a");
		assertThat(this.service.mono("a").block(LONG)).isEqualTo("a later");
		assertThat(this.service.flux("a").collectList().block(LONG)).containsExactly("a", "later");
		assertThat(this.locks.held()).isZero();
	}

	@Test
	void anAnswerRunsOnAThreadThatMayBlock() {
		Thread caller = Thread.currentThread();
		// What this JVM holds is refused at once
		LockHandle held = this.locks.acquire(LockRequest.of("order:a"));
		for (int i = 0; i < 50; i++) {
			assertThat(this.service.answering("a")).succeedsWithin(LONG).isNotSameAs(caller);
			assertThat(this.service.answeringMono("a").block(LONG)).isNotNull().isNotSameAs(caller);
		}
		held.close();
	}

	@Test
	void eachSubscriptionIsAnsweredAnew() {
		Mono<String> mono = this.service.mono("a");
		LockHandle held = this.others.acquire(LockRequest.of("order:a"));
		assertThat(mono.block(LONG)).isEqualTo("a later");
		held.close();
		assertThat(mono.block(LONG)).isEqualTo("a now");
	}

	@Test
	void aHandlerAnswersByAStageAndAnotherTypeIsTheFailureOfThat() {
		this.others.acquire(LockRequest.of("order:a"));
		assertThat(this.service.handledFuture("a")).succeedsWithin(LONG).isEqualTo("busy");
		assertThat(this.service.handledStage("a").toCompletableFuture()).succeedsWithin(LONG).isEqualTo("busy");
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.service.handledMono("a").block(LONG))
			.withMessageContaining("LockUnavailableHandler 'busy' returned a ")
			.withMessageContaining("which returns reactor.core.publisher.Mono");
	}

	@Test
	void aStopIsNoAnswerAsNobodyNeedHoldTheLock() {
		LockHandle held = this.others.acquire(LockRequest.of("order:b"));
		CompletableFuture<String> waiting = this.service.patient("b");
		assertThat(waiting).isNotDone();
		this.locks.stop(Duration.ofSeconds(1));
		for (CompletableFuture<String> stopped : List.of(waiting, this.service.future("a"), this.service.skipped("a"),
				this.service.handledFuture("a"), this.service.mono("a").toFuture())) {
			assertThat(stopped).failsWithin(LONG)
				.withThrowableThat()
				.withCauseInstanceOf(LockUnavailableException.class)
				.withMessageContaining("shutting down");
		}
		for (ThrowingCallable call : List.<ThrowingCallable>of(() -> this.service.plain("a"),
				() -> this.service.plainSkipped("a"))) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(call)
				.withMessageContaining("shutting down");
		}
		held.close();
	}

	@Test
	void anExceptionOfAFallbackFailsTheResult() {
		this.others.acquire(LockRequest.of("order:a"));
		assertThat(this.service.failing("a")).failsWithin(LONG)
			.withThrowableThat()
			.withCauseInstanceOf(UnsupportedOperationException.class);
	}

	@Test
	void aLockUnavailableExceptionOfTheMethodGetsNoFallback() {
		assertThat(this.service.failing("a")).failsWithin(LONG)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageContaining("of another");
	}

	@Test
	void whereTheConditionDoesNotHoldThereIsNoLock() {
		this.others.acquire(LockRequest.of("order:a"));
		assertThat(this.service.futureIf("a", false)).succeedsWithin(LONG).isEqualTo("a");
		assertThat(this.service.monoIf("a", false).block(LONG)).isEqualTo("a");
		assertThat(this.service.futureIf("a", true)).failsWithin(LONG)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.service.monoIf("a", true).block(LONG));
	}

	@Test
	void withoutALockTheMethodIsCalledAsWithOne() {
		this.others.acquire(LockRequest.of("order:a"));
		Mono<String> mono = this.service.monoIf(null, false);
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(NullPointerException.class).isThrownBy(() -> mono.block(LONG));
		}
		assertThat(this.target.calls).hasValue(2);
		assertThat(this.service.futureIf(null, false)).failsWithin(LONG)
			.withThrowableThat()
			.withCauseInstanceOf(NullPointerException.class);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void withoutALockNoThreadIsWarnedOf(CapturedOutput output) {
		Mono.fromCallable(() -> this.service.plainIf("a", false)).subscribeOn(Schedulers.parallel()).block(LONG);
		assertThat(output).doesNotContain("must not block");
	}

	@Test
	void noPublisherIsAMistakeAndNotAnEmptyOne() {
		for (boolean lock : new boolean[] { true, false }) {
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> this.service.noMono("a", lock).block(LONG))
				.withMessageContaining("noMono")
				.withMessageContaining("has returned null instead of a Mono");
		}
		assertThat(this.locks.held()).isZero();
	}

	private LockTemplate template(String application) {
		return new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner(application, "1", "host", 42, ""), LockClock.system(), List.of()));
	}

	private Service proxy() {
		LockOperationSource source = new AnnotationLockOperationSource((text) -> text, "");
		StaticListableBeanFactory beans = new StaticListableBeanFactory(
				Map.of("busy", (LockUnavailableHandler) (call, ex) -> CompletableFuture.completedFuture("busy")));
		ProxyFactory factory = new ProxyFactory(this.target);
		factory.setProxyTargetClass(true);
		factory.addAdvisor(new LockOperationSourceAdvisor(source, new LockInterceptor(source, () -> this.locks, beans),
				0, new ProxyKind(new DefaultListableBeanFactory())));
		return (Service) factory.getProxy();
	}

	static class Service {

		final AtomicInteger calls = new AtomicInteger();

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", fallback = "futureLater")
		CompletableFuture<String> future(String id) {
			return CompletableFuture.completedFuture(id + " now");
		}

		private CompletableFuture<String> futureLater(String id, LockUnavailableException ex) {
			return CompletableFuture.supplyAsync(() -> id + " later, " + ex.getKey());
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", fallback = "answer")
		CompletableFuture<Thread> answering(String id) {
			throw new AssertionError(id);
		}

		private CompletableFuture<Thread> answer(String id) {
			return CompletableFuture.completedFuture(Thread.currentThread());
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", fallback = "answerMono")
		Mono<Thread> answeringMono(String id) {
			throw new AssertionError(id);
		}

		private Mono<Thread> answerMono(String id) {
			return Mono.just(Thread.currentThread());
		}

		@DistributedLock(name = "order", key = "#id", fallback = "plainLater")
		String plain(String id) {
			return id + " now";
		}

		private String plainLater(String id) {
			return id + " later";
		}

		@DistributedLock(name = "order", key = "#id", onUnavailable = OnUnavailable.SKIP)
		String plainSkipped(String id) {
			return id + " now";
		}

		@DistributedLock(name = "order", key = "#id", onUnavailable = OnUnavailable.SKIP)
		CompletableFuture<String> skipped(String id) {
			return CompletableFuture.completedFuture(id + " now");
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "1h", fallback = "futureLater")
		CompletableFuture<String> patient(String id) {
			return CompletableFuture.completedFuture(id + " now");
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", fallback = "monoLater")
		Mono<String> mono(String id) {
			return Mono.just(id + " now");
		}

		private Mono<String> monoLater(String id) {
			return Mono.just(id + " later").delayElement(Duration.ofMillis(1));
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", fallback = "fluxLater")
		Flux<String> flux(String id) {
			return Flux.just(id, "now");
		}

		private Flux<String> fluxLater(String id) {
			return Flux.just(id, "later");
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", unavailableHandler = "busy")
		CompletableFuture<String> handledFuture(String id) {
			return CompletableFuture.completedFuture(id + " now");
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", unavailableHandler = "busy")
		CompletionStage<String> handledStage(String id) {
			return CompletableFuture.completedFuture(id + " now");
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", unavailableHandler = "busy")
		Mono<String> handledMono(String id) {
			return Mono.just(id + " now");
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", fallback = "failLater")
		CompletableFuture<String> failing(String id) {
			return CompletableFuture
				.failedFuture(new LockUnavailableException("inner", List.of(), Duration.ZERO, 1, "of another"));
		}

		private CompletableFuture<String> failLater(String id) {
			throw new UnsupportedOperationException(id);
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", condition = "#lock")
		CompletableFuture<String> futureIf(String id, boolean lock) {
			return CompletableFuture.completedFuture(Objects.requireNonNull(id));
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", condition = "#lock")
		Mono<String> monoIf(String id, boolean lock) {
			this.calls.incrementAndGet();
			return Mono.just(Objects.requireNonNull(id));
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", condition = "#lock")
		String plainIf(String id, boolean lock) {
			return id;
		}

		@DistributedLock(name = "order", key = "#id", waitTimeout = "0s", condition = "#lock")
		Mono<String> noMono(String id, boolean lock) {
			return null;
		}

	}

}
