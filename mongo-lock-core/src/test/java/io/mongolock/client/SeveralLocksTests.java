package io.mongolock.client;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.InvalidLockSettingsException;
import io.mongolock.LockCallback;
import io.mongolock.LockContext;
import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;
import io.mongolock.concurrent.AsyncExecution;
import io.mongolock.concurrent.CallerContext;
import io.mongolock.concurrent.ThreadValue;
import io.mongolock.core.ConfiguredSettings;
import io.mongolock.core.RequestOrder;
import io.mongolock.event.LockInstrumentation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockTemplate}: several locks or none, for work that has ended when it
 * returns and for work that ends later.
 */
@Timeout(120)
class SeveralLocksTests extends AbstractLockTemplateTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void locksAreTakenInTheOrderOfTheirKeysAndReleasedInReverse(boolean later) throws Throwable {
		for (String[] keys : new String[][] { { "b", "a", "c" }, { "c", "b", "a" } }) {
			this.store.requests.clear();
			assertThat(run(later, requests(OnLost.FAIL, keys), (handle) -> {
				List<String> all = new ArrayList<>();
				LockContext.find((outer) -> !all.add(outer.key()));
				return handle.key() + all;
			})).isEqualTo("c[c, b, a]");
			assertThat(this.store.requests).extracting((request) -> request.replaceAll(" on .*", ""))
				.containsExactly("acquire a", "acquire b", "acquire c", "release c", "release b", "release a");
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void theFirstOfThoseWithTheSameKeyCounts(boolean later) throws Throwable {
		LockRequest patient = LockRequest.builder("a").ttl(Duration.ofHours(1)).build();
		assertThat(run(later, List.of(patient, LockRequest.of("a")), LockHandle::remaining))
			.asInstanceOf(InstanceOfAssertFactories.DURATION)
			.isGreaterThan(Duration.ofMinutes(30));
		assertThat(this.store.count("acquire")).isOne();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void oneKeyInTwoWaysIsRefusedAsAreNoneAndTooMany(boolean later) {
		LockRequest shared = LockRequest.builder("a").shared().build();
		assertThatIllegalArgumentException().isThrownBy(() -> run(later, List.of(shared, LockRequest.of("a")), null))
			.withMessageContaining("the key 'a', but one of them is shared and the other is exclusive");
		assertThatIllegalArgumentException().isThrownBy(() -> run(later, List.of(), null))
			.withMessageContaining("There are 0 locks for one call, but 1 to 512 are allowed");
		assertThatIllegalArgumentException().isThrownBy(() -> run(later, many(RequestOrder.MAX + 1), null))
			.withMessageContaining("are 513");
		assertThat(this.store.requests).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void asManyAsAreAllowedAreHeldTogether(boolean later) throws Throwable {
		assertThat(run(later, many(RequestOrder.MAX), (handle) -> this.template.held())).isEqualTo(RequestOrder.MAX);
		assertThat(this.store.holders()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void takenLocksAreReleasedIfALaterLockIsNotFree(boolean later) {
		LockHandle held = otherClient().acquire(LockRequest.of("b"));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> run(later, List.of(once("b"), once("a")), SeveralLocksTests::neverBegun))
			.returns("b", LockUnavailableException::getKey);
		assertThat(this.store.holder("a")).isEmpty();
		assertThat(held.isHeld()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void locksWithoutWorkAreReleasedDespiteTheirMinimumHold(boolean later) {
		otherClient().acquire(LockRequest.of("c"));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> run(later, List.of(kept("a"), kept("b"), once("c")), SeveralLocksTests::neverBegun));
		assertThat(this.store.kept).isEmpty();
		assertThat(this.store.holders()).isOne();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aLockThatTheCallerWorkedUnderStaysTakenForItsMinimumHold(boolean later) {
		otherClient().acquire(LockRequest.of("b"));
		this.template.execute(kept("a"), (outer) -> {
			assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> run(later, List.of(kept("a"), once("b")), SeveralLocksTests::neverBegun));
			return null;
		});
		assertThat(this.store.kept).containsOnlyKeys("a");
	}

	@Test
	void aLockThatTheCallerWorkedUnderStaysTakenAlsoIfTheClaimBesideItEndsLater() {
		otherClient().acquire(LockRequest.of("b"));
		CompletableFuture<Object> result = this.template.execute(kept("a"),
				(outer) -> begin(true, requests(OnLost.FAIL, "a", "b"), SeveralLocksTests::neverBegun));
		Awaitility.await().until(() -> this.template.waiting("b") == 1);
		result.cancel(false);
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.store.kept).as("kept of what was held").containsOnlyKeys("a"));
		assertThat(this.template.held()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void whenALockOfSeveralCannotBeAskedForThenNoneIsHeld(boolean later) {
		LockRequest wrong = LockRequest.builder("b").ttl(Duration.ofMillis(1)).build();
		assertThatExceptionOfType(InvalidLockSettingsException.class)
			.isThrownBy(() -> run(later, List.of(LockRequest.of("a"), wrong), SeveralLocksTests::neverBegun));
		assertThat(this.store.holders()).isZero();
		this.store.next("acquire", Runnable::run);
		this.store.nextFails("acquire", LockStoreException.Outcome.REFUSED, false);
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> run(later, List.of(once("a"), once("b")), SeveralLocksTests::neverBegun));
		assertThat(this.store.holders()).isZero();
		assertThat(this.template.held()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void theWaitOfEachCountsFromTheBeginningOfTheCall(boolean later) throws Throwable {
		LockSettings hour = LockSettings.builder().waitTimeout(Duration.ofHours(1)).build();
		ConfiguredSettings configured = new ConfiguredSettings(LockSettings.builder().ttl(Duration.ofHours(10)).build(),
				Map.of("named", hour));
		Recorder recorder = new Recorder(() -> this.clock.stepUnnoticed(Duration.ofMinutes(25)));
		LockTemplate slow = new LockTemplate(this.store, new ClientOptions(configured,
				new LockOwner("slow", "3", "here", 44, ""), this.clock, List.of(recorder)));
		LockRequest named = LockRequest.builder("c").name("named").build();
		LockRequest skipping = LockRequest.builder("0").onUnavailable(OnUnavailable.SKIP).build();
		run(slow, later, List.of(named, once("d"), once("a").with(hour), once("b").with(hour), skipping),
				(handle) -> "done");
		assertThat(recorder.requests)
			.extracting((request) -> request.settings().waitTimeout().plusMinutes(4).toMinutes() / 5)
			.containsExactly(0L, 7L, 2L, 0L, 0L);
		recorder.requests.clear();
		run(slow, later, List.of(once("a").with(hour), once("b").with(hour)), (handle) -> "done");
		assertThat(recorder.requests)
			.extracting((request) -> request.settings().waitTimeout().plusMinutes(4).toMinutes() / 5)
			.containsExactly(12L, 7L);
		recorder.requests.clear();
		run(slow, later, List.of(named, named), (handle) -> "done");
		assertThat(recorder.requests).containsExactly(named);
		slow.stop(Duration.ofSeconds(1));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void eachLockIsWorkedUnder(boolean later) throws Throwable {
		Recorder recorder = new Recorder(() -> {
		});
		LockTemplate measured = new LockTemplate(this.store, new ClientOptions(ConfiguredSettings.NONE,
				new LockOwner("measured", "3", "here", 44, ""), this.clock, List.of(recorder)));
		run(measured, later, requests(OnLost.FAIL, "a", "b"), (handle) -> recorder.working.add("work"));
		assertThat(recorder.working).containsSubsequence("begin a", "begin b", "work", "end b", "end a")
			.endsWith("begin b", "work", "end b", "end a");
		measured.stop(Duration.ofSeconds(1));
	}

	@Test
	void eachIsAskedForWithWhatTheCallerCarries() throws Throwable {
		ThreadLocal<String> carried = new ThreadLocal<>();
		List<String> asked = new CopyOnWriteArrayList<>();
		Recorder recorder = new Recorder(() -> {
		}) {

			@Override
			public void attempting(Object attempt, LockRequest request) {
				asked.add(request.key() + " " + carried.get() + " " + this.working);
			}

		};
		LockTemplate carrying = new LockTemplate(this.store,
				new ClientOptions(ConfiguredSettings.NONE, new LockOwner("carrying", "3", "here", 44, ""), this.clock,
						List.of(recorder))
					.withCallerContext(new CallerContext(List.of(new ThreadValue<>(carried::get, carried::set)),
							UnaryOperator.identity())));
		carried.set("mine");
		run(carrying, true, requests(OnLost.FAIL, "a", "b"), (handle) -> "done");
		assertThat(asked).containsExactly("a mine []", "b mine [begin a]");
		carrying.stop(Duration.ofSeconds(1));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void theWorkDoesNotBeginIfTheFirstIsLostWhileTheSecondIsWaitedFor(boolean later) {
		loseFirstWhileSecondIsAskedFor();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> run(later, requests(OnLost.FAIL, "a", "b"), SeveralLocksTests::neverBegun))
			.returns("a", LockLostException::getKey);
		assertThat(this.store.holders()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aLossOfTheFirstIsNotTakenForASecondThatIsNotFree(boolean later) {
		otherClient().acquire(LockRequest.of("b"));
		loseFirstWhileSecondIsAskedFor();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> run(later, List.of(once("a"), once("b")), SeveralLocksTests::neverBegun))
			.returns("a", LockLostException::getKey)
			.satisfies(
					(ex) -> assertThat(ex.getSuppressed()).hasAtLeastOneElementOfType(LockUnavailableException.class));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aLossOfTheSecondIsNotTakenForAThirdThatIsNotFree(boolean later) {
		otherClient().acquire(LockRequest.of("c"));
		this.store.next("acquire", Runnable::run);
		this.store.next("acquire", Runnable::run);
		this.store.next("acquire", (request) -> {
			lose("b");
			request.run();
		});
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> run(later, List.of(once("a"), once("b"), once("c")), SeveralLocksTests::neverBegun))
			.returns("b", LockLostException::getKey);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aLossOfTheFirstIsNotTakenForTroubleWithTheSecond(boolean later) {
		this.store.next("acquire", Runnable::run);
		this.store.next("acquire", (request) -> {
			lose("a");
			throw new LockStoreException("b", LockStoreException.Outcome.NOT_EXECUTED, "by script", null);
		});
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> run(later, List.of(once("a"), once("b")), SeveralLocksTests::neverBegun))
			.returns("a", LockLostException::getKey)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasAtLeastOneElementOfType(LockStoreException.class));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aLossOfTheFirstDoesNotHideTheFailureOfTheWork(boolean later) {
		LockUnavailableException unavailable = new LockUnavailableException("other", List.of(), Duration.ZERO, 1,
				"held by another");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> run(later, requests(OnLost.FAIL, "a", "b"), (handle) -> {
				lose("a");
				throw unavailable;
			}))
			.isSameAs(unavailable);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aLossThatInterruptsEndsTheWaitForTheNext(boolean later) {
		LockHandle second = otherClient().acquire(LockRequest.of("b"));
		CompletableFuture<Object> result = begin(later, requests(OnLost.INTERRUPT, "a", "b"),
				SeveralLocksTests::neverBegun);
		Awaitility.await().until(() -> this.template.waiting("b") == 1);
		lose("a");
		assertThat(result).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		// The caller may hear of its end before the wait is left
		Awaitility.await().until(() -> this.template.waiting() == 0);
		assertThat(second.isHeld()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aLossOfTheFirstInterruptsTheThreadThatWorks(boolean later) {
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> run(later, requests(OnLost.INTERRUPT, "a", "b"), (handle) -> {
				lose("a");
				new CountDownLatch(1).await();
				return null;
			}));
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.store.holders()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void allThatWereLostAreInTheOneException(boolean later) {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> run(later, requests(OnLost.FAIL, "a", "b"), (handle) -> {
				this.store.forget("a");
				this.store.forget("b");
				return "done";
			}))
			.returns("b", LockLostException::getKey)
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement()
				.isInstanceOfSatisfying(LockLostException.class, (first) -> assertThat(first.getKey()).isEqualTo("a")));
	}

	@Test
	void aLossOfTheFirstCancelsTheStageOfWorkThatHasGoneOnAfterTheInterrupt() {
		CompletableFuture<Object> work = new CompletableFuture<>();
		assertThat(this.template.executeAsync(requests(OnLost.INTERRUPT, "a", "b"), (handle) -> {
			lose("a");
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(new CountDownLatch(1)::await);
			return work;
		})).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(LockLostException.class);
		assertThat(work).isCancelled();
	}

	@Test
	void anAsynchronousClaimOfSeveralSharesALockThatTheCallerHolds() {
		this.template.execute(LockRequest.of("b"), (outer) -> {
			assertThat(begin(true, requests(OnLost.FAIL, "a", "b"), (handle) -> {
				assertThat(handle.key()).isEqualTo("b");
				assertThat(LockContext.find((held) -> held.key().equals("a"))).isPresent();
				return handle.fence();
			})).succeedsWithin(LONG).isEqualTo(outer.fence());
			assertThat(this.store.holder("a")).isEmpty();
			assertThat(outer.isHeld()).isTrue();
			return null;
		});
		assertThat(this.template.held()).isZero();
	}

	@Test
	void workBeginsOnTheThreadThatHoldsAllLocksAlready() {
		Thread caller = Thread.currentThread();
		List<LockRequest> both = requests(OnLost.FAIL, "b", "a");
		this.template.execute(both, (outer) -> {
			assertThat(begin(true, both, (handle) -> Thread.currentThread())).succeedsWithin(LONG).isEqualTo(caller);
			return null;
		});
		assertThat(this.store.holders()).isZero();
	}

	@Test
	void aSharedLockIsLetGoOfIfTheFirstClaimCannotBegin() {
		LockRequest wrong = LockRequest.builder("a").ttl(Duration.ofMillis(1)).build();
		this.template.execute(LockRequest.of("b"), (outer) -> {
			assertThatExceptionOfType(InvalidLockSettingsException.class)
				.isThrownBy(() -> this.template.executeAsync(List.of(wrong, LockRequest.of("b")), (handle) -> null));
			return null;
		});
		assertThat(this.store.holders()).isZero();
	}

	@Test
	void aCancelEndsTheInnermostClaimAlsoIfThoseAroundItWereGrantedAtOnce() {
		LockHandle held = otherClient().acquire(LockRequest.of("c"));
		this.template.execute(requests(OnLost.FAIL, "a", "b"), (outer) -> {
			CompletableFuture<Object> result = begin(true, requests(OnLost.FAIL, "a", "b", "c"),
					SeveralLocksTests::neverBegun);
			assertThat(this.template.waiting("c")).isOne();
			result.cancel(false);
			Awaitility.await().until(() -> this.template.waiting("c") == 0);
			return null;
		});
		Awaitility.await().until(() -> this.template.held() == 0);
		assertThat(held.isHeld()).isTrue();
	}

	@Test
	void aCancelWhileTheSecondIsWaitedForReleasesTheFirstElsewhere() {
		otherClient().acquire(LockRequest.of("b"));
		CompletableFuture<Object> result = begin(true, requests(OnLost.FAIL, "a", "b"), SeveralLocksTests::neverBegun);
		Awaitility.await().until(() -> this.template.waiting("b") == 1);
		result.cancel(false);
		Awaitility.await().until(() -> this.store.holder("a").isEmpty());
		assertThat(this.store.requests).filteredOn((request) -> request.startsWith("release"))
			.singleElement()
			.asString()
			.startsWith("release a on mongo-lock-result");
	}

	@Test
	void aCancelAfterTheBeginReleasesNoneWhileTheWorkGoesOn() {
		CompletableFuture<Object> work = new CompletableFuture<>();
		CountDownLatch begun = new CountDownLatch(1);
		CompletableFuture<Object> result = this.template.executeAsync(requests(OnLost.FAIL, "a", "b"), (handle) -> {
			begun.countDown();
			return work;
		});
		await(begun);
		result.cancel(true);
		assertThat(work).isNotDone();
		assertThat(this.store.holders()).isEqualTo(2);
		work.complete("done");
		Awaitility.await().until(() -> this.store.holders() == 0);
	}

	@Test
	void aClaimThatBeginsAfterTheEndOfAllIsCancelled() {
		for (boolean loses : new boolean[] { false, true }) {
			List<CompletableFuture<LockHandle>> claims = IntStream.range(0, 3)
				.<CompletableFuture<LockHandle>>mapToObj((i) -> new Uncancelled())
				.toList();
			List<LockRequest> requests = requests(OnLost.INTERRUPT, "a", "b", "c");
			List<LockHandle> handles = requests.stream().map(this.template::acquire).toList();
			CompletableFuture<String> result = new AsyncExecution<String>(
					(handle) -> CompletableFuture.completedFuture(""), (handle) -> LockInstrumentation.Scope.NONE,
					(handle) -> ((LeaseHandle) handle).heldLock().state(), (handle) -> {
					}, Runnable::run, CallerContext.NONE)
				.run(List.of(), requests.iterator(), (request) -> claims.get(requests.indexOf(request)));
			claims.get(0).complete(handles.get(0));
			if (loses) {
				lose("a");
			}
			else {
				result.cancel(false);
			}
			claims.get(1).complete(handles.get(1));
			assertThat(((Uncancelled) claims.get(2)).cancels).isOne();
			claims.get(2).completeExceptionally(new IllegalStateException("by test"));
			assertThat(result).isCompletedExceptionally();
			handles.get(2).close();
			assertThat(this.store.holders()).isZero();
		}
	}

	@Test
	void anImplementationThatTakesOneLockAtATimeSaysSo() {
		LockOperations single = (LockOperations) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LockOperations.class },
				(proxy, method, arguments) -> InvocationHandler.invokeDefault(proxy, method, arguments));
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> single.execute(List.of(REQUEST), (handle) -> null))
			.withMessageContaining("takes only one lock at a time");
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> single.executeAsync(List.of(REQUEST), (handle) -> null))
			.withMessageContaining("takes only one lock at a time");
	}

	private Object run(boolean later, List<LockRequest> requests, LockCallback<Object, ?> work) throws Throwable {
		return run(this.template, later, requests, work);
	}

	private static Object run(LockTemplate template, boolean later, List<LockRequest> requests,
			LockCallback<Object, ?> work) throws Throwable {
		if (!later) {
			return template.execute(requests, work);
		}
		try {
			return template
				.executeAsync(requests, (handle) -> CompletableFuture.completedFuture(work.doWithLock(handle)))
				.get(LONG.toSeconds(), TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			throw ex.getCause();
		}
	}

	private CompletableFuture<Object> begin(boolean later, List<LockRequest> requests, LockCallback<Object, ?> work) {
		if (later) {
			return this.template.executeAsync(requests,
					(handle) -> CompletableFuture.completedFuture(work.doWithLock(handle)));
		}
		CompletableFuture<Object> result = new CompletableFuture<>();
		this.others.execute(() -> {
			try {
				result.complete(this.template.execute(requests, work));
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		return result;
	}

	private static Object neverBegun(LockHandle handle) {
		throw new AssertionError("begun");
	}

	private static List<LockRequest> requests(OnLost onLost, String... keys) {
		return Stream.of(keys)
			.map((key) -> LockRequest.builder(key).waitTimeout(Duration.ofHours(1)).onLost(onLost).build())
			.toList();
	}

	private static LockRequest kept(String key) {
		return LockRequest.builder(key).waitTimeout(Duration.ofHours(1)).minHold(Duration.ofHours(1)).build();
	}

	private static LockRequest once(String key) {
		return LockRequest.builder(key).waitTimeout(Duration.ZERO).build();
	}

	private static List<LockRequest> many(int number) {
		return IntStream.range(0, number).mapToObj((i) -> LockRequest.of("k" + i)).toList();
	}

	private void loseFirstWhileSecondIsAskedFor() {
		this.store.next("acquire", Runnable::run);
		this.store.next("acquire", (request) -> {
			lose("a");
			request.run();
		});
	}

	private void lose(String key) {
		this.store.forget(key);
		this.template.renew(key);
	}

	/** A claim that is granted though it is cancelled at that moment. */
	private static final class Uncancelled extends CompletableFuture<LockHandle> {

		private int cancels;

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			this.cancels++;
			return false;
		}

	}

	private static class Recorder implements LockInstrumentation {

		private final List<LockRequest> requests = new CopyOnWriteArrayList<>();

		final List<String> working = Collections.synchronizedList(new ArrayList<>());

		private final Runnable afterGrant;

		Recorder(Runnable afterGrant) {
			this.afterGrant = afterGrant;
		}

		@Override
		public void attempting(Object attempt, LockRequest request) {
			this.requests.add(request);
		}

		@Override
		public void granted(Object attempt, LockRequest request, LockHandle handle) {
			this.afterGrant.run();
		}

		@Override
		public Scope working(LockHandle handle) {
			this.working.add("begin " + handle.key());
			return () -> this.working.add("end " + handle.key());
		}

	}

}
