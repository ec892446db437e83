package io.mongolock.autoconfigure;

import java.io.IOException;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.params.provider.Arguments;

import io.mongolock.LockStoreException;
import io.mongolock.LockUnavailableException;
import io.mongolock.OnUnavailable;
import io.mongolock.annotation.DistributedLock;

/**
 * Tests for answers to a lock that others hold, and for conditions, that are refused at
 * startup.
 */
class RefusedFallbackTests extends AbstractRefusedMethodTests {

	static final List<Arguments> refused = List.of(
			Arguments.of(Missing.class,
					"has the fallback 'latre'. There is no method of that name in " + Missing.class.getName()
							+ ". These methods in that class take the locked method's arguments: later(String)"),
			Arguments.of(OtherParameters.class,
					"has the fallback 'later'. The methods of that name take other arguments: later(), "
							+ "later(LockUnavailableException, String), later(String, LockStoreException), "
							+ "later(String, Object), later(int)"),
			Arguments.of(OtherGenerics.class,
					"has the fallback 'later'. The methods of that name take other arguments: later(Map)"),
			Arguments.of(Ambiguous.class,
					"has the fallback 'later'. Several methods of that name take the locked method's arguments: "
							+ "later(String), later(String, LockUnavailableException)"),
			Arguments.of(OtherResult.class,
					"has the fallback 'later'. The fallback returns java.lang.Object, but the locked method returns java.lang.String"),
			Arguments.of(OtherGenericResult.class,
					"The fallback returns java.util.List<java.lang.Integer>, but the locked method returns "
							+ "java.util.List<java.lang.String>"),
			Arguments.of(VoidResult.class, "The fallback returns java.lang.String, but the locked method returns void"),
			Arguments.of(Throwing.class,
					"The fallback throws java.io.IOException, but the locked method does not declare this exception"),
			Arguments.of(Locked.class, "The fallback has its own lock, but a fallback runs without a lock"),
			Arguments.of(LockedByItsClass.class, "The fallback has its own lock, but a fallback runs without a lock"),
			Arguments.of(Itself.class, "has the fallback 'run'. This name belongs to the locked method itself"),
			Arguments.of(OfItsClass.class, "has the fallback 'run'. This name belongs to the locked method itself"),
			Arguments.of(OfInterface.class, "has the fallback 'later'. There is no method of that name"),
			Arguments.of(Skipped.class, "has onUnavailable = SKIP and fallback = \"later\""),
			Arguments.of(SkippedAndHandled.class, "has onUnavailable = SKIP and unavailableHandler = \"polite\""),
			Arguments.of(FallbackAndHandled.class, "has fallback = \"later\" and unavailableHandler = \"polite\""),
			Arguments.of(Different.class, "has several locks"),
			Arguments.of(UnknownHandler.class, "has the unavailableHandler 'polite', but there is no such bean"),
			Arguments.of(OtherBean.class,
					"has the unavailableHandler 'mongoLockAdvisor', which is no LockUnavailableHandler"),
			Arguments.of(ForgottenHash.class, "has the condition '!scarce', in which 'scarce' is no property of #root"),
			Arguments.of(UnknownVariable.class, "has the condition '#amonut > 10', which refers to #amonut"),
			Arguments.of(UnknownBean.class, "has the condition '@limits.high', which refers to @limits"),
			Arguments.of(NoCondition.class, "has the condition '#id' of type java.lang.String"),
			Arguments.of(BadCondition.class, "has the condition '#id >', which is not valid SpEL"));

	static class Missing {

		@DistributedLock(name = "a", fallback = "latre")
		String run(String id) {
			return id;
		}

		String later(String id) {
			return id;
		}

	}

	static class OtherParameters {

		@DistributedLock(name = "a", fallback = "later")
		void run(String id) {
		}

		void later() {
		}

		void later(int id) {
		}

		void later(String id, Object ex) {
		}

		void later(String id, LockStoreException ex) {
		}

		void later(LockUnavailableException ex, String id) {
		}

	}

	static class OtherGenerics {

		@DistributedLock(name = "a", fallback = "later")
		void run(Map<String, String> id) {
		}

		void later(Map<String, Integer> id) {
		}

	}

	static class Ambiguous {

		@DistributedLock(name = "a", fallback = "later")
		void run(String id) {
		}

		void later(String id) {
		}

		void later(String id, LockUnavailableException ex) {
		}

	}

	static class OtherResult {

		@DistributedLock(name = "a", fallback = "later")
		String run(String id) {
			return id;
		}

		Object later(String id) {
			return id;
		}

	}

	static class OtherGenericResult {

		@DistributedLock(name = "a", fallback = "later")
		List<String> run(String id) {
			return List.of(id);
		}

		List<Integer> later(String id) {
			return List.of();
		}

	}

	static class VoidResult {

		@DistributedLock(name = "a", fallback = "later")
		void run(String id) {
		}

		String later(String id) {
			return id;
		}

	}

	static class Throwing {

		@DistributedLock(name = "a", fallback = "later")
		void run(String id) {
		}

		void later(String id) throws IOException {
			throw new IOException(id);
		}

	}

	static class Locked {

		@DistributedLock(name = "a", fallback = "later")
		void run(String id) {
		}

		@DistributedLock("b")
		void later(String id) {
		}

	}

	@DistributedLock("b")
	public static class LockedByItsClass {

		@DistributedLock(name = "a", fallback = "later")
		public void run(String id) {
		}

		public void later(String id) {
		}

	}

	static class Itself {

		@DistributedLock(name = "a", fallback = "run")
		void run(String id) {
		}

	}

	@DistributedLock(name = "a", fallback = "run")
	public static class OfItsClass {

		public void run() {
		}

	}

	interface Contract {

		@DistributedLock(name = "a", fallback = "later")
		void run(String id);

	}

	static class OfInterface implements Contract {

		@Override
		public void run(String id) {
		}

	}

	static class Skipped {

		@DistributedLock(name = "a", onUnavailable = OnUnavailable.SKIP, fallback = "later")
		void run(String id) {
		}

		void later(String id) {
		}

	}

	static class SkippedAndHandled {

		@DistributedLock(name = "a", onUnavailable = OnUnavailable.SKIP, unavailableHandler = "polite")
		void run(String id) {
		}

	}

	static class FallbackAndHandled {

		@DistributedLock(name = "a", fallback = "later", unavailableHandler = "polite")
		void run(String id) {
		}

		void later(String id) {
		}

	}

	static class Different {

		@DistributedLock(name = "a", fallback = "later")
		@DistributedLock(name = "b")
		void run(String id) {
		}

		void later(String id) {
		}

	}

	static class UnknownHandler {

		@DistributedLock(name = "a", unavailableHandler = "polite")
		void run(String id) {
		}

	}

	static class OtherBean {

		@DistributedLock(name = "a", unavailableHandler = "mongoLockAdvisor")
		void run(String id) {
		}

	}

	static class ForgottenHash {

		@DistributedLock(name = "a", condition = "!scarce")
		void run(boolean scarce) {
		}

	}

	static class UnknownVariable {

		@DistributedLock(name = "a", condition = "#amonut > 10")
		void run(int amount) {
		}

	}

	static class UnknownBean {

		@DistributedLock(name = "a", condition = "@limits.high")
		void run(int amount) {
		}

	}

	static class NoCondition {

		@DistributedLock(name = "a", condition = "#id")
		void run(String id) {
		}

	}

	static class BadCondition {

		@DistributedLock(name = "a", condition = "#id >")
		void run(String id) {
		}

	}

}
