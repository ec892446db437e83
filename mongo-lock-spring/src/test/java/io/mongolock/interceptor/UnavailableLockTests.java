package io.mongolock.interceptor;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.aopalliance.intercept.MethodInterceptor;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

import io.mongolock.LockAttemptAbortedException;
import io.mongolock.LockContext;
import io.mongolock.LockException;
import io.mongolock.LockHandle;
import io.mongolock.LockUnavailableException;
import io.mongolock.LockUnavailableHandler;
import io.mongolock.OnUnavailable;
import io.mongolock.UnavailableCall;
import io.mongolock.annotation.AnnotationLockOperationSource;
import io.mongolock.annotation.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for what the caller of a method gets whose lock others hold, through the
 * annotation and the proxies that an application has.
 */
class UnavailableLockTests {

	private final RecordingLockOperations locks = new RecordingLockOperations();

	private final List<UnavailableCall> handled = new ArrayList<>();

	private @Nullable Object answer;

	private final StaticListableBeanFactory beans = new StaticListableBeanFactory(
			Map.of("gate", new Gate(), "polite", (LockUnavailableHandler) (call, ex) -> {
				this.handled.add(call);
				if (this.answer instanceof Throwable thrown) {
					throw thrown;
				}
				return this.answer;
			}));

	private final Service service = proxy(new Service("bean"));

	@AfterEach
	void clearInterrupt() {
		Thread.interrupted();
	}

	@Test
	void aFallbackAnswersWithTheArgumentsAndTheException() {
		this.locks.heldByAnother();
		assertThat(this.service.pay(42, "EUR")).isEqualTo("bean: later 42 EUR order:42 unlocked");
		assertThat(this.locks.events()).containsExactly("denied order:42");
	}

	@Test
	void noFallbackRunsIfTheLockIsGranted() {
		assertThat(this.service.pay(42, "EUR")).isEqualTo("bean: paid 42 EUR order:42");
		assertThat(this.service.handled(42)).isEqualTo("bean: done 42");
		assertThat(this.handled).isEmpty();
	}

	@Test
	void aFallbackMayBeInheritedStaticOrOverloadedAndOfAnotherVisibility() {
		this.locks.heldByAnother();
		assertThat(this.service.ofSuperclass("a")).isEqualTo("bean: super a");
		assertThat(this.service.ofClass("a")).isEqualTo("static a");
		assertThat(this.service.overloaded("a")).isEqualTo("bean: overloaded a order:a");
		assertThat(this.service.any(Optional.of("a"))).isEqualTo("bean: any Optional[a]");
	}

	@Test
	void aFallbackOfAnInterfaceWorksByAnyProxy() {
		this.locks.heldByAnother();
		for (Desk desk : List.of(proxyOfInterface(new CounterDesk()), proxy(new CounterDesk()))) {
			assertThat(desk.look("a")).isEqualTo("look closed a");
			assertThat(desk.find("a")).isEqualTo("find closed a");
		}
		Desk ofNoClass = proxyOfInterface(proxyOfInterface(new CounterDesk(), new RecordingLockOperations()));
		assertThat(ofNoClass.look("a")).isEqualTo("look closed a");
	}

	@Test
	void aFallbackRunsOnTheBeanBehindAllProxies() {
		this.locks.heldByAnother();
		ProxyFactory outer = new ProxyFactory(proxy(new Service("inner"), new RecordingLockOperations()));
		Service doubled = advised(outer, this.locks, true);
		assertThat(doubled.pay(1, "EUR")).startsWith("inner: later");
	}

	@Test
	void anExceptionOfAFallbackOrAHandlerReachesTheCallerUnchanged() {
		this.locks.heldByAnother();
		for (Throwable thrown : new Throwable[] { new IOException("checked"), new IllegalStateException("unchecked"),
				new AssertionError("error"), unavailable() }) {
			assertThat(catchThrowable(() -> this.service.failing(thrown))).isSameAs(thrown);
			this.answer = thrown;
			assertThat(catchThrowable(() -> this.service.failHandled(thrown))).isSameAs(thrown);
		}
	}

	@Test
	void aLockUnavailableExceptionOfTheMethodReachesTheCallerUnchanged() {
		LockUnavailableException thrown = unavailable();
		assertThat(catchThrowable(() -> this.service.failing(thrown))).isSameAs(thrown);
		assertThat(catchThrowable(() -> this.service.failHandled(thrown))).isSameAs(thrown);
		assertThat(catchThrowable(() -> this.service.failSkipped(thrown))).isSameAs(thrown);
		assertThat(this.handled).isEmpty();
	}

	@Test
	void aLockThatItsKeyOrItsConditionAsksForIsNeverTakenForIt() {
		for (ThrowingCallable call : List.<ThrowingCallable>of(() -> this.service.keyOfGate(1),
				() -> this.service.elementsOfGate(1), () -> this.service.ifGateIsOpen(1))) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(call).withMessage("of another");
		}
		assertThat(this.locks.events()).isEmpty();
	}

	@Test
	void anInterruptIsNoAnswer() {
		this.locks.heldByAnother();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockAttemptAbortedException.class).isThrownBy(() -> this.service.pay(1, "EUR"));
		assertThatExceptionOfType(LockAttemptAbortedException.class).isThrownBy(() -> this.service.handled(1));
		assertThatExceptionOfType(LockAttemptAbortedException.class).isThrownBy(() -> this.service.list(1));
		assertThat(this.handled).isEmpty();
	}

	@Test
	void theAnswerOfAHandlerIsOfTheTypeThatGenericsSay() {
		this.locks.heldByAnother();
		this.answer = "busy";
		assertThat(this.service.genericHandled(Optional.of("a"))).isEqualTo("busy");
		assertThat(this.handled.get(0).resultType()).isEqualTo(CharSequence.class);
		this.answer = 7;
		assertThatIllegalStateException().isThrownBy(() -> this.service.genericHandled(Optional.of("a")))
			.withMessageContaining("which returns java.lang.CharSequence");
	}

	@Test
	void aHandlerHasTheArgumentsAsTheyWere() {
		this.locks.heldByAnother();
		ProxyFactory factory = new ProxyFactory(new Service("bean"));
		factory.addAdvice((MethodInterceptor) (invocation) -> {
			Object result = invocation.proceed();
			invocation.getArguments()[0] = 0;
			return result;
		});
		Service changing = advised(factory, this.locks, true);
		changing.handled(42);
		assertThat(this.handled.get(0).arguments()).containsExactly(42);
	}

	@Test
	void aHandlerIsGivenTheCall() throws Exception {
		this.locks.heldByAnother();
		this.answer = "busy";
		assertThat(this.service.handled(42)).isEqualTo("busy");
		UnavailableCall call = this.handled.get(0);
		assertThat(call.bean()).isInstanceOf(Service.class).hasToString("bean");
		assertThat(call.method()).isEqualTo(Service.class.getDeclaredMethod("handled", int.class));
		assertThat(call.arguments()).containsExactly(42);
		assertThat(call.resultType()).isEqualTo(String.class);
	}

	@Test
	void theAnswerOfAHandlerHasToBeOfTheMethodsType() {
		this.locks.heldByAnother();
		assertThat(this.service.handled(42)).isNull();
		this.answer = 7;
		assertThat(this.service.countHandled(42)).isEqualTo(7);
		this.service.runHandled(42);
		assertThatIllegalStateException().isThrownBy(() -> this.service.handled(42))
			.withMessageContaining("LockUnavailableHandler 'polite' returned a java.lang.Integer for ")
			.withMessageContaining("Service.handled(int), which returns java.lang.String")
			.withCauseInstanceOf(LockUnavailableException.class);
		this.answer = null;
		assertThatIllegalStateException().isThrownBy(() -> this.service.countHandled(42))
			.withMessageContaining("returned null for ");
	}

	@Test
	void aSkippedMethodHasNothingToGive() {
		this.locks.heldByAnother();
		assertThat(this.service.skippedFlag(1)).isFalse();
		assertThat(this.service.skippedCount(1)).isZero();
		assertThat(this.service.list(1)).isEmpty();
		assertThat(this.service.array(1)).isEmpty();
		assertThat(this.service.text(1)).isNull();
		assertThat(SkipAnswer.of(Byte.class)).isEqualTo((byte) 0);
		assertThat(SkipAnswer.of(Short.class)).isEqualTo((short) 0);
		assertThat(SkipAnswer.of(Integer.class)).isEqualTo(0);
		assertThat(SkipAnswer.of(Float.class)).isEqualTo(0f);
		assertThat(SkipAnswer.of(Double.class)).isEqualTo(0d);
		assertThat(SkipAnswer.of(Character.class)).isNull();
		assertThat(SkipAnswer.of(Set.class)).isEqualTo(Set.of());
		assertThat(SkipAnswer.of(Map.class)).isEqualTo(Map.of());
		assertThat(SkipAnswer.of(Collection.class)).isEqualTo(List.of());
		assertThat(SkipAnswer.of(Iterable.class)).isEqualTo(List.of());
		assertThat(SkipAnswer.of(ArrayList.class)).isNull();
		assertThat(SkipAnswer.of(int[][].class)).isEqualTo(new int[0][]);
	}

	@Test
	void aMethodWhoseConditionDoesNotHoldRunsWithoutTheLock() {
		assertThat(this.service.conditional("a", true)).isEqualTo("order:A");
		assertThat(this.service.conditional(null, false)).as("its key is not evaluated").isEqualTo("unlocked");
		assertThat(this.locks.events()).containsExactly("acquire order:A", "release order:A");
	}

	@Test
	void eachOfSeveralLocksHasItsOwnCondition() {
		this.service.several(1, 20);
		this.service.several(20, 1);
		this.service.several(20, 20);
		this.service.several(1, 1);
		assertThat(this.locks.events()).containsExactly("acquire b:20", "release b:20", "acquire a:20", "release a:20",
				"acquire a:20", "acquire b:20", "release b:20", "release a:20");
	}

	@Test
	void aConditionThatDoesNotSayWhetherFailsTheCall() {
		for (Object value : Arrays.asList("true", 1, null)) {
			assertThat(catchThrowable(() -> this.service.unclear(value))).isInstanceOf(IllegalArgumentException.class)
				.hasMessageContaining("Service.unclear(Object)")
				.hasMessageContaining("condition '#value'");
		}
		assertThat(catchThrowable(() -> this.service.broken(null))).isInstanceOf(IllegalArgumentException.class)
			.hasMessageContaining("condition '#value.length() > 1'");
		assertThat(this.locks.events()).isEmpty();
	}

	@Test
	void aConditionAndAFallbackGoTogether() {
		this.locks.heldByAnother();
		assertThat(this.service.both(1)).isEqualTo("ran");
		assertThat(this.service.both(20)).isEqualTo("fell back");
	}

	private static LockUnavailableException unavailable() {
		return new LockUnavailableException("inner", List.of(), Duration.ZERO, 1, "of another");
	}

	private <T> T proxy(T target) {
		return proxy(target, this.locks);
	}

	private <T> T proxy(T target, RecordingLockOperations locks) {
		return advised(new ProxyFactory(target), locks, true);
	}

	private Desk proxyOfInterface(Desk target) {
		return proxyOfInterface(target, this.locks);
	}

	private Desk proxyOfInterface(Desk target, RecordingLockOperations locks) {
		ProxyFactory factory = new ProxyFactory();
		factory.setInterfaces(Desk.class);
		factory.setTarget(target);
		return advised(factory, locks, false);
	}

	@SuppressWarnings("unchecked")
	private <T> T advised(ProxyFactory factory, RecordingLockOperations locks, boolean ofClass) {
		LockOperationSource source = new AnnotationLockOperationSource((text) -> text, "");
		factory.setProxyTargetClass(ofClass);
		factory.addAdvisor(new LockOperationSourceAdvisor(source, new LockInterceptor(source, () -> locks, this.beans),
				0, new ProxyKind(new DefaultListableBeanFactory())));
		return (T) factory.getProxy();
	}

	public static class Gate {

		public String of(int id) {
			throw unavailable();
		}

		public Iterable<String> keysOf(int id) {
			return () -> {
				throw unavailable();
			};
		}

	}

	static class Base<T, R> {

		final String name;

		Base(String name) {
			this.name = name;
		}

		@DistributedLock(name = "order", fallback = "anyway")
		String any(T value) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", unavailableHandler = "polite")
		R genericHandled(T value) {
			throw new AssertionError("must not run");
		}

		protected String anyway(T value) {
			return this.name + ": any " + value;
		}

		private String inherited(String id) {
			return this.name + ": super " + id;
		}

	}

	static class Service extends Base<Optional<String>, CharSequence> {

		Service(String name) {
			super(name);
		}

		@DistributedLock(name = "order", key = "#id", fallback = "payLater")
		String pay(int id, String currency) {
			return this.name + ": paid " + id + " " + currency + " " + LockContext.current().key();
		}

		private String payLater(int id, String currency, LockUnavailableException ex) {
			return this.name + ": later " + id + " " + currency + " " + ex.getKey() + " " + lock();
		}

		@DistributedLock(name = "order", key = "#id", fallback = "inherited")
		String ofSuperclass(String id) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", key = "#id", fallback = "alone")
		CharSequence ofClass(String id) {
			throw new AssertionError("must not run");
		}

		static String alone(String id) {
			return "static " + id;
		}

		@DistributedLock(name = "order", key = "#id", fallback = "overloaded")
		String overloaded(String id) {
			throw new AssertionError("must not run");
		}

		String overloaded(String id, LockException ex) {
			return this.name + ": overloaded " + id + " " + ex.getKey();
		}

		@DistributedLock(name = "order", fallback = "fail")
		void failing(Throwable thrown) throws Throwable {
			throw thrown;
		}

		void fail(Throwable thrown) throws Throwable {
			throw thrown;
		}

		@DistributedLock(name = "order", unavailableHandler = "polite")
		void failHandled(Throwable thrown) throws Throwable {
			throw thrown;
		}

		@DistributedLock(name = "order", onUnavailable = OnUnavailable.SKIP)
		void failSkipped(Throwable thrown) throws Throwable {
			throw thrown;
		}

		@DistributedLock(name = "order", key = "@gate.of(#id)", onUnavailable = OnUnavailable.SKIP)
		String keyOfGate(int id) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", key = "@gate.keysOf(#id)", onUnavailable = OnUnavailable.SKIP)
		String elementsOfGate(int id) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", condition = "@gate.of(#id) != null", fallback = "instead")
		String ifGateIsOpen(int id) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", key = "#id", unavailableHandler = "polite")
		String handled(int id) {
			return this.name + ": done " + id;
		}

		@DistributedLock(name = "order", key = "#id", unavailableHandler = "polite")
		int countHandled(int id) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", key = "#id", unavailableHandler = "polite")
		void runHandled(int id) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", key = "#id", onUnavailable = OnUnavailable.SKIP)
		Boolean skippedFlag(int id) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", key = "#id", onUnavailable = OnUnavailable.SKIP)
		Long skippedCount(int id) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", key = "#id", onUnavailable = OnUnavailable.SKIP)
		List<String> list(int id) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", key = "#id", onUnavailable = OnUnavailable.SKIP)
		String[] array(int id) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", key = "#id", onUnavailable = OnUnavailable.SKIP)
		String text(int id) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", key = "#id.toUpperCase()", condition = "#lock")
		String conditional(String id, boolean lock) {
			return lock();
		}

		@DistributedLock(name = "b", key = "#b", condition = "#b > 10")
		@DistributedLock(name = "a", key = "#a", condition = "#a > 10")
		void several(int a, int b) {
		}

		@DistributedLock(name = "order", condition = "#value")
		void unclear(Object value) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", condition = "#value.length() > 1")
		void broken(String value) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "order", condition = "#id > 10", fallback = "instead")
		String both(int id) {
			return "ran";
		}

		String instead(int id) {
			return "fell back";
		}

		private static String lock() {
			return LockContext.find((handle) -> true).map(LockHandle::key).orElse("unlocked");
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	interface Desk {

		@DistributedLock(name = "desk", key = "#p0", fallback = "closed")
		default String look(String id) {
			throw new AssertionError("must not run");
		}

		@DistributedLock(name = "desk", key = "#p0", fallback = "notFound")
		String find(String id);

		default String closed(String id) {
			return "look closed " + id;
		}

		default String notFound(String id) {
			return "find closed " + id;
		}

	}

	static class CounterDesk implements Desk {

		@Override
		public String find(String id) {
			throw new AssertionError("must not run");
		}

	}

}
