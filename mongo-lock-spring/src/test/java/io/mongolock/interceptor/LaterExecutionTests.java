package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Single;
import org.aopalliance.aop.Advice;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import reactor.adapter.JdkFlowAdapter;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.ScriptedStore;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.concurrent.ThreadValue;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.ReleaseAnswer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LaterExecution} and what runs under its locks, called through a proxy.
 */
class LaterExecutionTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final ThreadLocal<String> carried = new ThreadLocal<>();

	private UnaryOperator<Runnable> decorator = UnaryOperator.identity();

	private final CallerContext callers = new CallerContext(
			List.of(new ThreadValue<>(this.carried::get, this.carried::set)), (task) -> this.decorator.apply(task));

	private final ScriptedStore store = new RecordingStore();

	private final LockTemplate locks = template("app");

	private final LockTemplate others = template("others");

	private final Service failing = proxy(OnUnavailable.FAIL, OnLost.FAIL);

	private final Service skipping = proxy(OnUnavailable.SKIP, OnLost.FAIL);

	private volatile boolean losing;

	@AfterEach
	void stop() {
		this.locks.stop(Duration.ofSeconds(1));
		this.others.stop(Duration.ofSeconds(1));
	}

	@Test
	void aStageHoldsTheLockUntilItHasEnded() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.failing.future("a", () -> {
			this.events.add("begun on " + Thread.currentThread().getName().replaceAll("\\d", ""));
			assertThat(LockContext.current().key()).isEqualTo("a");
			return work;
		});
		await("acquire a", "begun on mongo-lock-result-");
		assertThat(result).isNotDone();
		work.complete("done");
		assertThat(result).succeedsWithin(LONG).isEqualTo("done");
		assertThat(this.events).hasSize(3).endsWith("release a");
	}

	@Test
	void theStageThatIsReturnedIsWhatTheLockWaitsFor() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<Integer> inside = new CompletableFuture<>();
		CompletableFuture<Integer> beside = new CompletableFuture<>();
		CountDownLatch begun = new CountDownLatch(1);
		CompletableFuture<String> result = this.failing.future("a", () -> {
			work.whenComplete((value, failure) -> {
				// That others may hold the lock now is the point
				Awaitility.await().until(() -> this.locks.held() == 0);
				beside.complete(this.locks.held());
			});
			CompletableFuture<String> returned = work
				.whenComplete((value, failure) -> inside.complete(this.locks.held()));
			begun.countDown();
			return returned;
		});
		assertThat(result).isNotDone();
		Awaitility.await().until(() -> begun.getCount() == 0);
		work.complete("done");
		assertThat(result).succeedsWithin(LONG).isEqualTo("done");
		assertThat(inside).isCompletedWithValue(1);
		assertThat(beside).isCompletedWithValue(0);
	}

	@Test
	void theFailureOfAStageAndOfItsMethodReachTheCaller() {
		IllegalStateException failure = new IllegalStateException("by test");
		assertThat(this.failing.future("a", () -> CompletableFuture.failedFuture(failure))).failsWithin(LONG)
			.withThrowableThat()
			.withCause(failure);
		assertThat(this.failing.stage("a", () -> {
			throw failure;
		}).toCompletableFuture()).failsWithin(LONG).withThrowableThat().withCause(failure);
		assertThat(this.failing.stage("a", () -> null).toCompletableFuture()).failsWithin(LONG)
			.withThrowableThat()
			.withMessageContaining("must return a CompletionStage");
		assertThat(this.events.stream().filter("release a"::equals)).hasSize(3);
	}

	@Test
	void theCallerOfAStageDoesNotWaitForTheLockAndACancelEndsItsClaim() {
		LockHandle held = this.others.acquire(LockRequest.of("a"));
		CompletableFuture<String> result = this.failing.future("a", () -> {
			this.events.add("begun");
			return CompletableFuture.completedFuture("");
		});
		assertThat(this.locks.waiting()).isOne();
		result.cancel(false);
		Awaitility.await().until(() -> this.locks.waiting() == 0);
		held.close();
		assertThat(this.failing.future("a", () -> CompletableFuture.completedFuture("next"))).succeedsWithin(LONG);
		assertThat(this.events).doesNotContain("begun");
	}

	@Test
	void aCancelAfterTheBeginReachesNoStageAndTheLockIsHeldUntilThatHasEnded() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.failing.future("a", () -> {
			this.events.add("begun");
			return work;
		});
		await("acquire a", "begun");
		result.cancel(true);
		assertThat(work).isNotDone();
		assertThat(this.locks.held()).isOne();
		work.complete("done");
		await("acquire a", "begun", "release a");
	}

	@ParameterizedTest
	@ValueSource(strings = { "mono", "flux", "flow", "publisher" })
	void aPublisherClaimsTheLockForEachSubscription(String method) {
		Publisher<String> result = this.failing.publisher(method, "a", () -> Flux.just("done"));
		assertThat(this.events).isEmpty();
		for (int i = 1; i <= 2; i++) {
			assertThat(Flux.from(result).collectList().block(LONG)).containsExactly("done");
			assertThat(this.events).hasSize(2 * i).endsWith("acquire a", "release a");
		}
	}

	@Test
	void aMonoGivesItsValueAfterTheRelease() {
		this.failing.mono("a", () -> Mono.just("value")).doOnNext(this.events::add).block(LONG);
		assertThat(this.events).containsExactly("acquire a", "release a", "value");
	}

	@Test
	void theKeyIsThatOfTheCall() {
		StringBuilder key = new StringBuilder("a");
		Mono<String> result = this.failing.mono(key, () -> Mono.just("value"));
		key.append("b");
		result.block(LONG);
		assertThat(this.events).containsExactly("acquire a", "release a");
	}

	@Test
	void severalLocksAreHeldUntilTheResultEnds() {
		assertThat(this.failing.both("b", "a", () -> Mono.fromCallable(() -> {
			this.events.add("work under " + LockContext.current().key());
			return "done";
		})).block(LONG)).isEqualTo("done");
		assertThat(this.events).containsExactly("acquire a", "acquire b", "work under b", "release b", "release a");
		assertThat(this.failing.bothLater("b", "a", () -> CompletableFuture.completedFuture("later")))
			.succeedsWithin(LONG)
			.isEqualTo("later");
	}

	@Test
	void aCancelWhileTheSecondLockIsWaitedForReleasesTheFirst() {
		LockHandle held = this.others.acquire(LockRequest.of("b"));
		this.events.clear();
		CompletableFuture<String> result = this.failing.bothLater("b", "a", () -> {
			this.events.add("begun");
			return CompletableFuture.completedFuture("");
		});
		Awaitility.await().until(() -> this.locks.waiting("b") == 1);
		result.cancel(false);
		await("acquire a", "release a");
		Awaitility.await().until(() -> this.locks.waiting() == 0);
		held.close();
	}

	@Test
	void aCancelAfterTheBeginReleasesNoneOfSeveralLocks() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.failing.bothLater("b", "a", () -> {
			this.events.add("begun");
			return work;
		});
		await("acquire a", "acquire b", "begun");
		result.cancel(true);
		LockRequest outer = LockRequest.builder("a").waitTimeout(Duration.ofMillis(300)).build();
		assertThat(this.others.tryAcquire(outer)).isEmpty();
		assertThat(this.locks.held()).isEqualTo(2);
		work.complete("done");
		await("acquire a", "acquire b", "begun", "release b", "release a");
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1 })
	void aLossOfOneOfItsLocksInterruptsTheWork(int lost) {
		CompletableFuture<String> work = new CompletableFuture<>();
		List<LockHandle> handles = new CopyOnWriteArrayList<>();
		CompletableFuture<String> result = proxy(OnUnavailable.FAIL, OnLost.INTERRUPT).bothLater("b", "a", () -> {
			Stream.of("a", "b")
				.forEach((key) -> handles.add(LockContext.find((handle) -> handle.key().equals(key)).orElseThrow()));
			return work;
		});
		Awaitility.await().until(() -> handles.size() == 2);
		this.losing = true;
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handles.get(lost)::renew);
		assertThat(result).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		assertThat(work).isCancelled();
		Awaitility.await().until(() -> this.locks.held() == 0);
	}

	@Test
	void aSkippedResultIsEmpty() {
		try (LockHandle held = this.others.acquire(LockRequest.of("a"))) {
			assertThat(this.skipping.future("a", () -> new CompletableFuture<>())).succeedsWithin(LONG).isNull();
			assertThat(this.skipping.mono("a", Mono::never).block(LONG)).isNull();
			assertThat(this.skipping.flux("a", Flux::never).collectList().block(LONG)).isEmpty();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(
					() -> proxy(OnUnavailable.FAIL, OnLost.FAIL, Duration.ZERO).mono("a", Mono::never).block(LONG));
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void typesOfRxJavaAreLockedAndSkipped() {
		Single<String> held = this.skipping.single("a", () -> Single.fromCallable(() -> LockContext.current().key()));
		assertThat(held.blockingGet()).isEqualTo("a");
		try (LockHandle other = this.others.acquire(LockRequest.of("a"))) {
			assertThat(this.skipping.maybe("a", Maybe::never).blockingGet()).isNull();
			assertThat(other.isHeld()).isTrue();
		}
	}

	@Test
	void aLockThatIsNotFreeInsideOfTheMethodIsNoSkip() {
		LockUnavailableException inner = new LockUnavailableException("inner", List.of(), Duration.ZERO, 1,
				"of another");
		assertThat(this.skipping.future("a", () -> CompletableFuture.failedFuture(inner))).failsWithin(LONG)
			.withThrowableThat()
			.withCause(inner);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.skipping.mono("a", () -> Mono.error(inner)).block(LONG))
			.isSameAs(inner);
	}

	@Test
	void cancellingWhatMayBeSkippedEndsItsClaimToo() {
		Service patient = proxy(OnUnavailable.SKIP, OnLost.FAIL, Duration.ofHours(1));
		try (LockHandle held = this.others.acquire(LockRequest.of("a"))) {
			CompletableFuture<String> result = patient.future("a", CompletableFuture::new);
			assertThat(this.locks.waiting()).isOne();
			result.cancel(false);
			Awaitility.await().until(() -> this.locks.waiting() == 0);
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void afterTheStopAStageFailsAndNothingIsThrown() {
		this.locks.start();
		this.locks.stop(Duration.ofSeconds(1));
		assertThat(this.failing.future("a", CompletableFuture::new)).failsWithin(LONG)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class);
	}

	@Test
	void aPublisherCarriesWhatItsCallerDidAlsoIfItIsSubscribedElsewhere() {
		this.carried.set("mine");
		Mono<String> called = this.failing.mono("a", () -> Mono.justOrEmpty(this.carried.get()));
		this.carried.remove();
		assertThat(called.toFuture()).succeedsWithin(LONG).isEqualTo("mine");
		assertThat(called.subscribeOn(Schedulers.parallel()).toFuture()).succeedsWithin(LONG).isEqualTo("mine");
		assertThat(this.carried.get()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "mono", "flux", "flow", "publisher" })
	void whenAThreadMustNotBlockThenItMayAskForLocks(String method) {
		// The first call looks for beans, and others wait until they are found
		assertThat(this.failing.mono("first", () -> Mono.just("done")).block(LONG)).isEqualTo("done");
		Flux<String> calls = Flux.range(0, 100)
			.flatMap((call) -> Flux.from(this.failing.publisher(method, "k" + call, () -> Flux.just("done")))
				.subscribeOn(Schedulers.parallel()));
		assertThat(calls.collectList().block(LONG)).hasSize(100);
	}

	@Test
	void whenAThreadMustNotBlockThenATestSeesThatItDoes() {
		Mono<String> blocking = this.failing.mono("a", () -> Mono.fromCallable(() -> {
			Thread.sleep(1);
			return "done";
		}).subscribeOn(Schedulers.parallel()));
		assertThatException().isThrownBy(() -> blocking.block(LONG)).withCauseInstanceOf(BlockingOperationError.class);
		assertThat(this.locks.held()).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "false, 1", "true, 1", "true, 2" })
	void whenADecoratorThrowsThenTheResultFailsAndNothingIsClaimed(boolean answered, int failing) {
		Service service = proxy((answered) ? OnUnavailable.SKIP : OnUnavailable.FAIL, OnLost.FAIL, Duration.ofHours(1));
		AtomicInteger tasks = new AtomicInteger();
		this.decorator = (task) -> {
			if (tasks.incrementAndGet() == failing) {
				throw new IllegalStateException("by test");
			}
			return task;
		};
		try (LockHandle held = this.others.acquire(LockRequest.of("a"))) {
			assertThat(service.future("a", CompletableFuture::new)).failsWithin(LONG)
				.withThrowableThat()
				.withMessageContaining("by test");
			assertThat(this.locks.waiting()).isZero();
			// A publisher decorates one task, at the call
			tasks.set(failing - 1);
			Mono<String> called = service.mono("a", Mono::never);
			assertThatIllegalStateException().isThrownBy(() -> called.block(LONG)).withMessage("by test");
			assertThat(this.locks.waiting()).isZero();
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void whenTheContextOfTheCallerCannotBeTakenThenAnErrorIsSignalled() {
		CallerContext broken = new CallerContext(List.of(() -> {
			throw new IllegalStateException("by test");
		}), UnaryOperator.identity());
		Mono<String> called = proxy(OnUnavailable.FAIL, OnLost.FAIL, LONG, broken).mono("a", Mono::never);
		assertThatIllegalStateException().isThrownBy(() -> called.block(LONG)).withMessage("by test");
		assertThat(this.events).isEmpty();
	}

	private LockTemplate template(String application) {
		return new LockTemplate(this.store,
				new ClientOptions(ConfiguredSettings.NONE, new LockOwner(application, "1", "host", 42, ""),
						LockClock.system(), List.of())
					.withCallerContext(this.callers));
	}

	private Service proxy(OnUnavailable onUnavailable, OnLost onLost) {
		return proxy(onUnavailable, onLost, (onUnavailable == OnUnavailable.SKIP) ? null : LONG);
	}

	private Service proxy(OnUnavailable onUnavailable, OnLost onLost, Duration waitTimeout) {
		return proxy(onUnavailable, onLost, waitTimeout, this.callers);
	}

	private Service proxy(OnUnavailable onUnavailable, OnLost onLost, Duration waitTimeout, CallerContext callers) {
		LockInterceptor interceptor = new LockInterceptor(new DeclaredSource(onUnavailable, onLost, waitTimeout),
				() -> this.locks, new StaticListableBeanFactory(Map.of("callers", callers)));
		ProxyFactory factory = new ProxyFactory(new Service());
		factory.setProxyTargetClass(true);
		factory.addAdvice((Advice) interceptor);
		return (Service) factory.getProxy();
	}

	private void await(String... expected) {
		Awaitility.await().untilAsserted(() -> assertThat(this.events).containsExactly(expected));
	}

	private record DeclaredSource(OnUnavailable onUnavailable, OnLost onLost,
			Duration waitTimeout) implements LockOperationSource {

		@Override
		public boolean isCandidateClass(Class<?> targetClass) {
			return true;
		}

		@Override
		public List<LockOperation> getLockOperations(Method method, Class<?> targetClass) {
			return Stream.of("#p0.toString()", "#p1")
				.limit(method.getParameterCount() - 1)
				.map((key) -> new LockOperation(method, null, key, null, null,
						LockSettings.builder().waitTimeout(this.waitTimeout).build(), this.onUnavailable, null, null,
						this.onLost))
				.toList();
		}

	}

	static class Service {

		CompletableFuture<String> future(String key, Supplier<CompletableFuture<String>> work) {
			return work.get();
		}

		CompletionStage<String> stage(String key, Supplier<CompletionStage<String>> work) {
			return work.get();
		}

		Mono<String> mono(Object key, Supplier<Mono<String>> work) {
			return work.get();
		}

		Single<String> single(String key, Supplier<Single<String>> work) {
			return work.get();
		}

		Maybe<String> maybe(String key, Supplier<Maybe<String>> work) {
			return work.get();
		}

		Flux<String> flux(String key, Supplier<Flux<String>> work) {
			return work.get();
		}

		Publisher<String> any(String key, Supplier<Flux<String>> work) {
			return work.get();
		}

		Flow.Publisher<String> flow(String key, Supplier<Flux<String>> work) {
			return JdkFlowAdapter.publisherToFlowPublisher(work.get());
		}

		Mono<String> both(String key, String other, Supplier<Mono<String>> work) {
			return work.get();
		}

		CompletableFuture<String> bothLater(String key, String other, Supplier<CompletableFuture<String>> work) {
			return work.get();
		}

		final Publisher<String> publisher(String method, String key, Supplier<Flux<String>> work) {
			return switch (method) {
				case "mono" -> mono(key, () -> work.get().next());
				case "flux" -> flux(key, work);
				case "flow" -> JdkFlowAdapter.flowPublisherToFlux(flow(key, work));
				default -> any(key, work);
			};
		}

	}

	/** Tells of grants and releases before those who asked hear of them. */
	private final class RecordingStore extends ScriptedStore {

		@Override
		public ClaimAnswer acquire(Claim claim, Duration timeout) {
			ClaimAnswer answer = super.acquire(claim, timeout);
			if (answer.grantTo(claim.id().leaseToken()).isPresent()) {
				LaterExecutionTests.this.events.add("acquire " + claim.id().key());
			}
			return answer;
		}

		@Override
		public boolean renew(LeaseId lease, Duration timeout) {
			return !LaterExecutionTests.this.losing && super.renew(lease, timeout);
		}

		@Override
		public ReleaseAnswer release(LeaseId lease, Duration timeout) {
			LaterExecutionTests.this.events.add("release " + lease.key());
			return super.release(lease, timeout);
		}

	}

}
