package io.mongolock.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

import io.mongolock.LockClock;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnLost;
import io.mongolock.client.ClientOptions;
import io.mongolock.client.LockTemplate;
import io.mongolock.client.ScriptedStore;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.store.Claim;
import io.mongolock.store.ClaimAnswer;
import io.mongolock.store.LeaseId;
import io.mongolock.store.ReleaseAnswer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockedFlux}.
 */
class LockedFluxTests {

	private static final int SUBSCRIBERS = 10_000;

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final LockRequest REQUEST = LockRequest.builder("k").waitTimeout(Duration.ofHours(1)).build();

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final AtomicBoolean losing = new AtomicBoolean();

	private final LockTemplate template = new LockTemplate(new RecordingStore(), new ClientOptions(
			ConfiguredSettings.NONE, new LockOwner("app", "1", "host", 42, ""), LockClock.system(), List.of()));

	@AfterEach
	void stop() {
		this.template.stop(Duration.ofSeconds(1));
	}

	@Test
	void eachSubscriptionClaimsTheLockAndAssemblyDoesNot() {
		Flux<Object> flux = locked(() -> Flux.just("a", "b"));
		assertThat(this.events).isEmpty();
		for (int i = 1; i <= 2; i++) {
			assertThat(flux.collectList().block(LONG)).containsExactly("a", "b");
			assertThat(this.events).hasSize(2 * i).endsWith("acquired", "released");
		}
	}

	@Test
	void theLockIsHeldUntilTheWorkHasEndedAndTheEndFollowsTheRelease() {
		Sinks.Many<Object> work = Sinks.many().unicast().onBackpressureBuffer();
		locked(work::asFlux).doOnNext(this::hear).doOnComplete(() -> this.events.add("complete")).subscribe();
		work.tryEmitNext("a");
		await("acquired", "a");
		assertThat(this.template.held()).isOne();
		work.tryEmitComplete();
		await("acquired", "a", "released", "complete");
	}

	@Test
	void anErrorReleasesTheLockAndReachesTheSubscriber() {
		assertThatIllegalStateException()
			.isThrownBy(() -> locked(() -> Flux.error(new IllegalStateException("by test"))).blockLast(LONG))
			.withMessage("by test");
		assertThatIllegalStateException().isThrownBy(() -> locked(() -> {
			throw new IllegalStateException("begin");
		}).blockLast(LONG)).withMessage("begin");
		await("acquired", "released", "acquired", "released");
	}

	@Test
	void cancellingTheWorkReleasesTheLockOnce() {
		Disposable subscription = locked(() -> Flux.never()
			.doOnSubscribe((begun) -> this.events.add("begun"))
			.doOnCancel(() -> this.events.add("cancelled"))).subscribe();
		await("acquired", "begun");
		subscription.dispose();
		await("acquired", "begun", "cancelled", "released");
		assertThat(this.template.held()).isZero();
	}

	@Test
	void theLockIsReleasedAfterTheWorkWasCancelled() {
		try (LockHandle held = this.template.acquire(REQUEST)) {
			this.events.clear();
			flux((work) -> {
				CompletableFuture<Object> locked = new CompletableFuture<>();
				begin(work, held).whenComplete((value, failure) -> this.events.add("end"));
				return locked;
			}, () -> Flux.never().doOnCancel(() -> this.events.add("cancelled"))).subscribe().dispose();
			assertThat(this.events).containsExactly("cancelled", "end");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void workThatThrowsWhenItIsCancelledKeepsNoLock(boolean lost) {
		LockRequest request = LockRequest.builder("k").onLost(OnLost.INTERRUPT).build();
		List<LockHandle> handles = new CopyOnWriteArrayList<>();
		CompletableFuture<Object> result = new CompletableFuture<>();
		Disposable subscription = flux(locking(request), () -> Mono.deferContextual((context) -> {
			handles.add(context.get(LockHandle.class));
			return Mono.create((sink) -> sink.onCancel(() -> {
				throw new IllegalStateException("by test");
			}));
		})).subscribe(result::complete, result::completeExceptionally);
		Awaitility.await().until(() -> handles.size() == 1);
		if (lost) {
			this.losing.set(true);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(handles.get(0)::renew);
			assertThat(result).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		}
		else {
			assertThatIllegalStateException().isThrownBy(subscription::dispose);
		}
		Awaitility.await().until(() -> this.template.held() == 0);
	}

	@Test
	void aSubscriptionThatIsCancelledAtTheGrantBeginsNothing() {
		AtomicReference<LaterLocking.Work> granted = new AtomicReference<>();
		flux((work) -> {
			granted.set(work);
			return new CompletableFuture<>();
		}, () -> {
			this.events.add("begun");
			return Flux.never();
		}).subscribe().dispose();
		try (LockHandle held = this.template.acquire(REQUEST)) {
			assertThat(begin(granted.get(), held)).isCompleted();
		}
		assertThat(this.events).doesNotContain("begun");
	}

	@Test
	void aSubscriptionThatIsCancelledWhileItJoinsTheQueueDoesNotWait() {
		BaseSubscriber<Object> subscriber = new BaseSubscriber<>() {
		};
		CompletableFuture<Object> claim = new CompletableFuture<>();
		flux((work) -> {
			subscriber.cancel();
			return claim;
		}, Flux::never).subscribe(subscriber);
		assertThat(claim).isCancelled();
	}

	@Test
	void nothingFollowsACancel() {
		for (Throwable failure : Arrays.asList(null, new IllegalStateException("by test"))) {
			// Ended already, so that the cancel comes too late for it
			CompletableFuture<Object> locked = new CompletableFuture<>() {
				@Override
				public boolean cancel(boolean mayInterruptIfRunning) {
					return false;
				}
			};
			AtomicReference<Subscription> subscription = new AtomicReference<>();
			flux((work) -> locked, Flux::never).subscribe(new CoreSubscriber<>() {
				@Override
				public void onSubscribe(Subscription given) {
					subscription.set(given);
				}

				@Override
				public void onNext(Object element) {
					hear(element);
				}

				@Override
				public void onError(Throwable failure) {
					hear(failure);
				}

				@Override
				public void onComplete() {
					hear("complete");
				}
			});
			subscription.get().cancel();
			if (failure != null) {
				locked.completeExceptionally(failure);
			}
			else {
				locked.complete(null);
			}
			assertThat(this.events).isEmpty();
		}
	}

	@Test
	void cancellingBeforeTheGrantEndsTheClaim() {
		LockHandle held = this.template.acquire(REQUEST);
		AtomicBoolean begun = new AtomicBoolean();
		Disposable subscription = locked(() -> {
			begun.set(true);
			return Flux.never();
		}).subscribe();
		assertThat(this.template.waiting()).isOne();
		subscription.dispose();
		Awaitility.await().until(() -> this.template.waiting() == 0);
		held.close();
		assertThat(locked(() -> Flux.just("next")).blockLast(LONG)).isEqualTo("next");
		assertThat(begun).isFalse();
	}

	@Test
	void cancellingInOnSubscribeClaimsNothing() {
		locked(Flux::never).subscribe(new BaseSubscriber<>() {
			@Override
			protected void hookOnSubscribe(Subscription subscription) {
				subscription.cancel();
			}
		});
		assertThat(this.template.waiting() + this.template.held()).isZero();
		assertThat(this.events).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(CleanUp.class)
	void cleanUpsBeforeTheEndSignalRunUnderTheLockAndLaterOnesDoNot(CleanUp cleanUp) {
		Sinks.Empty<Object> work = Sinks.empty();
		AtomicInteger held = new AtomicInteger(-1);
		AtomicBoolean begun = new AtomicBoolean();
		CompletableFuture<Object> result = locked(() -> cleanUp.add.apply(work.asMono(), () -> {
			if (!cleanUp.underTheLock) {
				// On the thread that has signalled the end: that others may hold the lock
				// now is the point
				Awaitility.await().until(() -> this.template.held() == 0);
			}
			held.set(this.template.held());
		}).doOnRequest((demand) -> begun.set(true))).singleOrEmpty().toFuture();
		Awaitility.await().until(begun::get);
		work.tryEmitEmpty();
		assertThat(result).succeedsWithin(LONG);
		Awaitility.await().untilAsserted(() -> assertThat(held).as("held").hasValue((cleanUp.underTheLock) ? 1 : 0));
	}

	@Test
	void aRetrySubscribesAndSoClaimsAnew() {
		AtomicInteger tries = new AtomicInteger();
		assertThat(locked(() -> (tries.incrementAndGet() < 3) ? Flux.error(new IllegalStateException("again"))
				: Flux.just("done"))
			.retry()
			.blockLast(LONG)).isEqualTo("done");
		assertThat(this.events).containsExactly("acquired", "released", "acquired", "released", "acquired", "released");
	}

	@Test
	void demandReachesTheWorkAsItIs() {
		List<Long> demand = new CopyOnWriteArrayList<>();
		List<Object> received = new CopyOnWriteArrayList<>();
		BaseSubscriber<Object> subscriber = new BaseSubscriber<>() {
			@Override
			protected void hookOnSubscribe(Subscription subscription) {
				subscription.request(2);
			}

			@Override
			protected void hookOnNext(Object element) {
				received.add(element);
			}
		};
		locked(() -> Flux.range(0, 100).doOnRequest(demand::add)).subscribe(subscriber);
		Awaitility.await().until(() -> received.size() == 2);
		subscriber.request(3);
		Awaitility.await().until(() -> received.size() == 5);
		assertThat(demand).containsExactly(2L, 3L);
		subscriber.cancel();
		await("acquired", "released");
	}

	@Test
	void theSubscriberIsNotBlockedAndNoThreadOfReactorWaits() {
		LockHandle held = this.template.acquire(REQUEST);
		CompletableFuture<Object> waiting = locked(() -> Flux.just(Schedulers.isInNonBlockingThread())).singleOrEmpty()
			.subscribeOn(Schedulers.parallel())
			.toFuture();
		Awaitility.await().until(() -> this.template.waiting() == 1);
		// As many as Reactor has threads that must not block, and all are free
		CountDownLatch free = new CountDownLatch(Schedulers.DEFAULT_POOL_SIZE);
		IntStream.range(0, Schedulers.DEFAULT_POOL_SIZE)
			.forEach((i) -> Schedulers.parallel().schedule(free::countDown));
		Awaitility.await().until(() -> free.getCount() == 0);
		held.close();
		assertThat(waiting).succeedsWithin(LONG).isEqualTo(false);
	}

	@Test
	void theHandleIsInTheContextOfTheWork() {
		Publisher<?> fence = locked(() -> Mono.deferContextual((context) -> {
			context.get(LockHandle.class).assertHeld();
			return Mono.just(context.get(LockHandle.class).fence() + context.<String>get("theirs"));
		})).contextWrite((context) -> context.put("theirs", "!"));
		assertThat(Flux.from(fence).blockLast(LONG)).asString().endsWith("!");
		assertThat(locked(() -> Flux.just(LockContext.current().key())).blockLast(LONG)).isEqualTo("k");
	}

	@Test
	void aSubscriptionWithinSharesTheLocksOfTheOneOutside() {
		LockRequest other = LockRequest.of("other");
		LaterLocking others = locking(other);
		Mono<Object> innermost = locked(() -> Mono.deferContextual(
				(context) -> Mono.just(context.get(LockHandle.class).key() + context.get(LockHandle.class).fence())))
			.singleOrEmpty();
		Mono<Object> outer = locked(() -> Mono.deferContextual((context) -> {
			String own = "k" + context.get(LockHandle.class).fence();
			return flux(others, () -> innermost.subscribeOn(Schedulers.parallel())).singleOrEmpty()
				.map((shared) -> shared.equals(own));
		})).singleOrEmpty();
		assertThat(outer.block(LONG)).isEqualTo(true);
		assertThat(this.events.stream().filter("released"::equals)).hasSize(2);
	}

	@Test
	void oneOfSeveralLocksIsSharedWithTheOuterSubscription() {
		List<LockRequest> requests = List.of(LockRequest.of("a"), REQUEST);
		LaterLocking both = (work) -> this.template.executeAsync(requests,
				(innermost) -> work.begin(List.of(innermost)));
		assertThat(locked(() -> flux(both, () -> Mono.just("done"))).blockLast(LONG)).isEqualTo("done");
	}

	@Test
	void anInnerSubscriptionThatOutlastsTheOuterKeepsTheSharedLock() {
		Sinks.Empty<Object> inner = Sinks.empty();
		List<Disposable> subscriptions = new ArrayList<>();
		locked(() -> Flux.deferContextual((context) -> {
			subscriptions.add(locked(inner::asMono).contextWrite(context).subscribe());
			return Flux.empty();
		})).doOnComplete(() -> this.events.add("outer complete")).subscribe();
		await("acquired", "outer complete");
		assertThat(this.template.held()).isOne();
		inner.tryEmitEmpty();
		await("acquired", "outer complete", "released");
	}

	@ParameterizedTest
	@EnumSource(OnLost.class)
	void aLossEndsTheResultAsTheRequestSays(OnLost onLost) {
		LockRequest request = LockRequest.builder("k").onLost(onLost).build();
		AtomicBoolean cancelled = new AtomicBoolean();
		Sinks.Many<Object> work = Sinks.many().unicast().onBackpressureBuffer();
		List<LockHandle> handles = new CopyOnWriteArrayList<>();
		CompletableFuture<List<Object>> result = flux(locking(request), () -> Flux.deferContextual((context) -> {
			handles.add(context.get(LockHandle.class));
			return work.asFlux().doOnCancel(() -> cancelled.set(true));
		})).collectList().toFuture();
		work.tryEmitNext("a");
		Awaitility.await().until(() -> handles.size() == 1);
		this.losing.set(true);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handles.get(0)::renew);
		if (onLost != OnLost.INTERRUPT) {
			assertThat(result).isNotDone();
			work.tryEmitComplete();
		}
		if (onLost == OnLost.IGNORE) {
			assertThat(result).succeedsWithin(LONG).isEqualTo(List.of("a"));
		}
		else {
			assertThat(result).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		}
		assertThat(cancelled.get()).isEqualTo(onLost == OnLost.INTERRUPT);
	}

	@Test
	void aClaimThatIsDeniedFailsTheResult() {
		LockRequest once = LockRequest.builder("k").waitTimeout(Duration.ZERO).build();
		try (LockHandle held = this.template.acquire(REQUEST)) {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> flux(locking(once), Flux::never).subscribeOn(Schedulers.parallel()).blockLast(LONG))
				.withMessageContaining("'k'");
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void aClaimThatIsRefusedAtOnceFailsTheResult() {
		this.template.start();
		this.template.stop(Duration.ofSeconds(1));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> locked(Flux::never).blockLast(LONG));
	}

	@Test
	void thousandsOfWaitingSubscribersTakeNoThreadAndEachHasItsTurn() {
		LockHandle held = this.template.acquire(REQUEST);
		AtomicInteger inside = new AtomicInteger();
		AtomicLong most = new AtomicLong();
		AtomicInteger ended = new AtomicInteger();
		Flux<Object> flux = locked(() -> Flux.defer(() -> {
			most.accumulateAndGet(inside.incrementAndGet(), Math::max);
			return Flux.just("a").publishOn(Schedulers.parallel()).doOnTerminate(inside::decrementAndGet);
		}));
		flux.subscribe((element) -> {
		}, (failure) -> this.events.add(failure.toString()), ended::incrementAndGet);
		int threads = Thread.activeCount();
		List<Disposable> waiting = IntStream.range(1, SUBSCRIBERS).mapToObj((i) -> flux.subscribe((element) -> {
		}, (failure) -> this.events.add(failure.toString()), ended::incrementAndGet)).toList();
		assertThat(this.template.waiting()).isEqualTo(SUBSCRIBERS);
		assertThat(Thread.activeCount()).as("threads").isLessThan(threads + SUBSCRIBERS / 20);
		waiting.subList(0, SUBSCRIBERS - 1001).forEach(Disposable::dispose);
		assertThat(this.template.waiting()).isEqualTo(1001);
		held.close();
		Awaitility.await().atMost(LONG).until(() -> ended.get() == 1001);
		assertThat(most).as("at a time").hasValue(1);
		assertThat(this.events).containsOnly("acquired", "released");
	}

	private LockedFlux locked(LockedFlux.Work work) {
		return flux(locking(REQUEST), work);
	}

	private static LockedFlux flux(LaterLocking locking, LockedFlux.Work work) {
		return new LockedFlux(locking, work, SubscriberContext.NONE);
	}

	private LaterLocking locking(LockRequest request) {
		return (work) -> this.template.executeAsync(request, (handle) -> work.begin(List.of(handle)));
	}

	private static CompletionStage<Object> begin(LaterLocking.Work work, LockHandle held) {
		try {
			return work.begin(List.of(held));
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void hear(Object element) {
		this.events.add(element.toString());
	}

	private void await(String... expected) {
		Awaitility.await().untilAsserted(() -> assertThat(this.events).containsExactly(expected));
	}

	/** Where people put what has to be done at the end. */
	enum CleanUp {

		DO_ON_TERMINATE(true, Mono::doOnTerminate),

		THEN(true, (work, cleanUp) -> work.then(Mono.fromRunnable(cleanUp))),

		USING(true, (work, cleanUp) -> Mono.using(() -> "", (resource) -> work, (resource) -> cleanUp.run())),

		USING_WHEN(true,
				(work, cleanUp) -> Mono.usingWhen(Mono.just(""), (resource) -> work,
						(resource) -> Mono.fromRunnable(cleanUp))),

		USING_LAZILY(false,
				(work, cleanUp) -> Mono.using(() -> "", (resource) -> work, (resource) -> cleanUp.run(), false)),

		DO_FINALLY(false, (work, cleanUp) -> work.doFinally((signal) -> cleanUp.run())),

		DO_AFTER_TERMINATE(false, Mono::doAfterTerminate);

		private final boolean underTheLock;

		private final BiFunction<Mono<Object>, Runnable, Mono<Object>> add;

		CleanUp(boolean underTheLock, BiFunction<Mono<Object>, Runnable, Mono<Object>> add) {
			this.underTheLock = underTheLock;
			this.add = add;
		}

	}

	/** Tells of grants and releases before those who asked hear of them. */
	private final class RecordingStore extends ScriptedStore {

		@Override
		public ClaimAnswer acquire(Claim claim, Duration timeout) {
			ClaimAnswer answer = super.acquire(claim, timeout);
			if (answer.grantTo(claim.id().leaseToken()).isPresent()) {
				LockedFluxTests.this.events.add("acquired");
			}
			return answer;
		}

		@Override
		public boolean renew(LeaseId lease, Duration timeout) {
			return !LockedFluxTests.this.losing.get() && super.renew(lease, timeout);
		}

		@Override
		public ReleaseAnswer release(LeaseId lease, Duration timeout) {
			LockedFluxTests.this.events.add("released");
			return super.release(lease, timeout);
		}

	}

}
