package io.mongolock.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

import io.mongolock.LockMode;
import io.mongolock.LockRequest;
import io.mongolock.LockSettings;
import io.mongolock.OnLost;
import io.mongolock.OnUnavailable;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.LockOperation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link AnnotationLockOperationSource}.
 */
class AnnotationLockOperationSourceTests {

	private final StandardEnvironment environment = new StandardEnvironment();

	private final AnnotationLockOperationSource source = new AnnotationLockOperationSource(
			this.environment::resolveRequiredPlaceholders, "");

	@Test
	void emptyAttributesInherit() {
		LockOperation operation = operation(OnMethods.class, "plain");
		assertThat(operation.name()).isEqualTo("plain");
		assertThat(operation.key()).isNull();
		assertThat(operation.settings()).isEqualTo(LockSettings.NONE);
		assertThat(operation.onUnavailable()).isEqualTo(OnUnavailable.FAIL);
		assertThat(operation.onLost()).isEqualTo(OnLost.FAIL);
	}

	@Test
	void allAttributes() {
		this.environment.getPropertySources()
			.addFirst(new MapPropertySource("test",
					Map.of("region", "eu", "wait", "2s", "renew", "false", "most", "10")));
		LockOperation operation = operation(OnMethods.class, "full");
		assertThat(operation.name()).isEqualTo("order-eu");
		assertThat(operation.key()).isEqualTo("#p0");
		assertThat(operation.settings()).isEqualTo(LockSettings.builder()
			.ttl(Duration.ofSeconds(30))
			.waitTimeout(Duration.ofSeconds(2))
			.retryInterval(Duration.ofMillis(50))
			.autoRenew(false)
			.limit(10)
			.build());
		assertThat(operation.onUnavailable()).isEqualTo(OnUnavailable.SKIP);
		assertThat(operation.onLost()).isEqualTo(OnLost.IGNORE);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			neither    | neither a name nor a key
			badTtl     | ttl '30 parsecs', which is no duration
			noUnit     | ttl '100' without a unit, which would mean 100ms
			badWait    | waitTimeout 'soon', which is no duration
			badRetry   | retryInterval 'often', which is no duration
			badMinHold | minHold 'long', which is no duration
			noOwn      | fallback 'instead'. There is no static method of that name
			badFlag    | autoRenew 'maybe'
			noProperty | 'a${missing}', but no property fills its placeholder
			blankName  | ' ', which is blank
			disagreed  | one lock has onUnavailable = FAIL and another lock has onUnavailable = SKIP
			documents  | one of them locks a document
			differing  | two annotations with the same name 'one' and the same key '#p0', but with different settings
			keyless    | two annotations with the same name 'one' and no key, but with different settings
			noLimit    | the limit '0'
			manyLimit  | the limit '2147483647'
			wordLimit  | the limit 'ten', which is no whole number
			both       | mode = SHARED and the limit '3', but a shared lock has no limit
			""")
	void invalidAnnotationsAreRefusedWithTheMethodAndTheProblem(String method, String problem) {
		assertThatExceptionOfType(InvalidLockMethodException.class).isThrownBy(() -> operation(Bad.class, method))
			.withMessageContaining(Bad.class.getName() + "." + method + "()")
			.withMessageContaining(problem);
	}

	@Test
	void aSharedLockHasNoLimit() {
		assertThat(operation(OnMethods.class, "shared").settings().limit()).isEqualTo(LockRequest.UNLIMITED);
	}

	@Test
	void resolverThatLeavesUnknownPlaceholdersIsNoExcuse() {
		AnnotationLockOperationSource lenient = new AnnotationLockOperationSource(this.environment::resolvePlaceholders,
				"");
		assertThatExceptionOfType(InvalidLockMethodException.class)
			.isThrownBy(() -> lenient.getLockOperations(method(Bad.class, "noProperty"), Bad.class))
			.withMessageContaining("a${missing}");
	}

	@Test
	void metaAnnotationWithAlias() {
		LockOperation operation = operation(OnMethods.class, "meta");
		assertThat(operation.name()).isEqualTo("order");
		assertThat(operation.key()).isEqualTo("#p0");
		assertThat(operation.onUnavailable()).isEqualTo(OnUnavailable.SKIP);
	}

	@ParameterizedTest
	@CsvSource({ "open, type", "own, method", "inherited, type" })
	void typeLevelMeansPublicMethodsAndMethodWins(String method, String name) {
		assertThat(operation(OnType.class, method).name()).isEqualTo(name);
	}

	@Test
	void typeLevelDoesNotMeanOthers() {
		for (String method : new String[] { "guarded", "local", "hidden", "fixed", "toString" }) {
			assertThat(operations(OnType.class, method)).as(method).isEmpty();
		}
	}

	@Test
	void typeLevelIsInherited() {
		assertThat(operation(SubType.class, "more").name()).isEqualTo("type");
		assertThat(operation(SubType.class, "open").name()).isEqualTo("type");
	}

	@Test
	void interfaceMethodAndType() {
		assertThat(operation(Implementation.class, "onMethod").name()).isEqualTo("interface-method");
		assertThat(operation(Implementation.class, "onType").name()).isEqualTo("interface-type");
		assertThat(operation(Implementation.class, "byDefault").name()).isEqualTo("default");
		assertThat(this.source.getLockOperations(method(ByMethod.class, "onMethod"), Implementation.class))
			.extracting(LockOperation::method)
			.containsExactly(method(Implementation.class, "onMethod"));
	}

	@Test
	void genericInterfaceMethod() {
		assertThat(Arrays.stream(GenericImplementation.class.getMethods())
			.filter((method) -> method.getName().equals("save"))
			.map((method) -> this.source.getLockOperations(method, GenericImplementation.class).get(0).method()))
			.hasSize(2)
			.containsOnly(method(GenericImplementation.class, "save"));
	}

	@Test
	void superclassThatDoesNotKnowTheInterface() {
		assertThat(operation(Late.class, "onMethod").name()).isEqualTo("interface-method");
	}

	@Test
	void superclassThatDoesNotKnowTheGenericInterface() {
		assertThat(operation(LateGeneric.class, "save").name()).isEqualTo("generic");
	}

	@Test
	void eachOfTwoInterfacesMeansItsOwnMethods() {
		assertThat(operation(TwoInterfaces.class, "onType").name()).isEqualTo("interface-type");
		assertThat(operation(TwoInterfaces.class, "onOther").name()).isEqualTo("other-type");
		assertThat(operation(Below.class, "onOther").name()).isEqualTo("below");
		assertThat(operation(OneInterface.class, "more").name()).isEqualTo("interface-type");
	}

	@Test
	void theClassSaysMoreThanItsInterfaces() {
		assertThat(operation(OnClassAndInterface.class, "onType").name()).isEqualTo("class");
		assertThat(operation(BelowOnClass.class, "onType").name()).isEqualTo("class");
	}

	@ParameterizedTest
	@CsvSource({ "same", "more", "onMethod" })
	void interfacesThatSayDifferentThingsOfAMethodAreRefused(String method) {
		assertThatExceptionOfType(InvalidLockMethodException.class).isThrownBy(() -> operation(Torn.class, method))
			.withMessageContaining(Torn.class.getName() + "." + method + "()")
			.withMessageContaining("different locks from " + ByMethod.class.getPackageName())
			.withMessageContaining("Annotate the method itself, or its class.");
	}

	@ParameterizedTest
	@CsvSource({ "repeated, 'a, b'", "contained, 'a, b'", "composedOfTwo, 'composed-a, composed-b'",
			"composed, 'order, transfer'", "inherited, 'type-a, type-b'", "own, own",
			"onInterface, 'interface-a, interface-b'", "sameTwice, a" })
	void allLocksOnOneElementCount(String method, String names) {
		assertThat(operations(Repeated.class, method)).extracting(LockOperation::name)
			.containsExactlyInAnyOrder(names.split(", "));
	}

	@Test
	void privateMethodsAreSeen() {
		assertThat(operation(OnMethods.class, "hidden").name()).isEqualTo("hidden");
	}

	@Test
	void methodIsReadOnce() {
		assertThat(operation(OnMethods.class, "plain")).isSameAs(operation(OnMethods.class, "plain"));
	}

	private LockOperation operation(Class<?> type, String method) {
		return operations(type, method).get(0);
	}

	private List<LockOperation> operations(Class<?> type, String method) {
		return this.source.getLockOperations(method(type, method), type);
	}

	private static Method method(Class<?> type, String name) {
		for (Class<?> one = type; one != null; one = one.getSuperclass()) {
			for (Method method : one.getDeclaredMethods()) {
				if (method.getName().equals(name) && !method.isBridge()) {
					return method;
				}
			}
		}
		return Arrays.stream(type.getMethods()).filter((method) -> method.getName().equals(name)).findFirst().get();
	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "order", onUnavailable = OnUnavailable.SKIP)
	@interface OrderLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String by();

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("composed-a")
	@DistributedLock("composed-b")
	@interface TwoLocks {

	}

	static class OnMethods {

		@DistributedLock("plain")
		void plain() {
		}

		@DistributedLock(name = "order-${region}", key = "#p0", ttl = "PT30S", waitTimeout = "${wait}",
				retryInterval = "50ms", autoRenew = "${renew}", limit = "${most}", onUnavailable = OnUnavailable.SKIP,
				onLost = OnLost.IGNORE)
		void full(int id) {
		}

		@OrderLock(by = "#p0")
		void meta(int id) {
		}

		@DistributedLock(name = "catalog", mode = LockMode.SHARED)
		void shared() {
		}

		@DistributedLock("hidden")
		private void hidden() {
		}

	}

	interface ByRepetition {

		@DistributedLock("interface-a")
		@DistributedLock("interface-b")
		void onInterface();

	}

	@DistributedLock("type-a")
	@DistributedLock("type-b")
	public static class Repeated implements ByRepetition {

		@DistributedLock("a")
		@DistributedLock("b")
		void repeated() {
		}

		@DistributedLock.List({ @DistributedLock("a"), @DistributedLock("b") })
		void contained() {
		}

		@TwoLocks
		void composedOfTwo() {
		}

		@OrderLock(by = "#p0")
		@DistributedLock(name = "transfer", onUnavailable = OnUnavailable.SKIP)
		void composed(int id) {
		}

		public void inherited() {
		}

		@DistributedLock("own")
		public void own() {
		}

		@Override
		public void onInterface() {
		}

		@DistributedLock("a")
		@DistributedLock("a")
		void sameTwice() {
		}

	}

	static class Bad {

		@DistributedLock
		void neither() {
		}

		@DistributedLock(name = "a", ttl = "30 parsecs")
		void badTtl() {
		}

		@DistributedLock(name = "a", ttl = "100")
		void noUnit() {
		}

		@DistributedLock(name = "a", limit = "0")
		void noLimit() {
		}

		@DistributedLock(name = "a", limit = "2147483647")
		void manyLimit() {
		}

		@DistributedLock(name = "a", limit = "ten")
		void wordLimit() {
		}

		@DistributedLock(name = "a", limit = "3", mode = LockMode.SHARED)
		void both() {
		}

		@DistributedLock(name = "a", waitTimeout = "soon")
		void badWait() {
		}

		@DistributedLock(name = "a", retryInterval = "often")
		void badRetry() {
		}

		@DistributedLock(name = "a", minHold = "long")
		void badMinHold() {
		}

		@DistributedLock(name = "a", fallback = "instead")
		static void noOwn() {
		}

		void instead() {
		}

		@DistributedLock(name = "a", autoRenew = "maybe")
		void badFlag() {
		}

		@DistributedLock("a${missing}")
		void noProperty() {
		}

		@DistributedLock(" ")
		void blankName() {
		}

		@DistributedLock("one")
		@OrderLock(by = "#p0")
		void disagreed() {
		}

		@DistributedLock(name = "one", key = "#p0")
		@DistributedLock(name = "one", key = "#p0", mode = LockMode.SHARED)
		void differing() {
		}

		@DistributedLock("one")
		@DistributedLock(name = "one", ttl = "5s")
		void keyless() {
		}

		@DistributedLock("one")
		@DistributedLock(key = "'1'", document = String.class)
		void documents() {
		}

	}

	public static class Plain {

		public void inherited() {
		}

	}

	@DistributedLock("type")
	public static class OnType extends Plain {

		public void open() {
		}

		@DistributedLock("method")
		public void own() {
		}

		protected void guarded() {
		}

		void local() {
		}

		private void hidden() {
		}

		public static void fixed() {
		}

		@Override
		public String toString() {
			return "";
		}

	}

	public static class SubType extends OnType {

		public void more() {
		}

	}

	interface ByMethod {

		@DistributedLock("interface-method")
		void onMethod();

		@DistributedLock("default")
		default void byDefault() {
		}

	}

	@DistributedLock("interface-type")
	interface ByType {

		void onType();

	}

	static class Implementation implements ByMethod, ByType {

		@Override
		public void onMethod() {
		}

		@Override
		public void onType() {
		}

	}

	interface Generic<T> {

		@DistributedLock("generic")
		void save(T thing);

	}

	static class GenericImplementation implements Generic<String> {

		@Override
		public void save(String thing) {
		}

	}

	public static class Early {

		public void onMethod() {
		}

	}

	static class Late extends Early implements ByMethod {

	}

	public static class EarlyGeneric {

		public void save(String thing) {
		}

	}

	static class LateGeneric extends EarlyGeneric implements Generic<String> {

	}

	@DistributedLock("other-type")
	interface ByOtherType {

		void onOther();

		void same();

	}

	@DistributedLock("below")
	interface BelowOtherType extends ByOtherType {

		void onBelow();

	}

	static class TwoInterfaces implements ByType, ByOtherType {

		@Override
		public void onType() {
		}

		@Override
		public void onOther() {
		}

		@Override
		public void same() {
		}

	}

	static class Below extends TwoInterfaces implements BelowOtherType {

		@Override
		public void onBelow() {
		}

	}

	public static class OneInterface implements ByType {

		@Override
		public void onType() {
		}

		public void more() {
		}

	}

	@DistributedLock("class")
	static class OnClassAndInterface implements ByType {

		@Override
		public void onType() {
		}

	}

	static class BelowOnClass extends OnClassAndInterface implements ByType {

	}

	@DistributedLock("third-type")
	interface ByThirdType {

		void same();

		@DistributedLock("third-method")
		void onMethod();

	}

	public abstract static class Torn implements ByOtherType, ByThirdType, ByMethod {

		public void more() {
		}

		@Override
		public void onMethod() {
		}

	}

}
