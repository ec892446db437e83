package io.mongolock.autoconfigure;

import java.util.List;

import jakarta.annotation.PostConstruct;
import org.junit.jupiter.params.provider.Arguments;

import io.mongolock.annotation.DistributedLock;
import io.mongolock.application.Base;

/**
 * Tests for declarations that are refused at startup.
 */
class RefusedDeclarationTests extends AbstractRefusedMethodTests {

	static final List<Arguments> refused = List.of(Arguments.of(PrivateMethod.class, "is private"),
			Arguments.of(StaticMethod.class, "is static"), Arguments.of(FinalMethod.class, "is final"),
			Arguments.of(FinalClass.class, "is final"), Arguments.of(FinalOfType.class, "is final"),
			Arguments.of(InheritedPrivate.class, "is private"), Arguments.of(Callback.class, "is a callback"),
			Arguments.of(BadDuration.class, "which is no duration"),
			Arguments.of(ShortTtl.class, "must be at least 100ms"),
			Arguments.of(LongTtl.class, "half of mongo-lock.ttl-index.retention"),
			Arguments.of(LongMinHold.class, "no document is removed while its lock is kept"),
			Arguments.of(InheritedPackagePrivate.class, "is package-private in " + Base.class.getName()));

	static class PrivateMethod {

		@DistributedLock("a")
		private void run() {
		}

	}

	static class StaticMethod {

		@DistributedLock("a")
		static void run() {
		}

	}

	static class FinalMethod {

		@DistributedLock("a")
		final void run() {
		}

	}

	static final class FinalClass {

		@DistributedLock("a")
		void run() {
		}

	}

	@DistributedLock("a")
	public static class FinalOfType {

		public final void run() {
		}

	}

	static class InheritedPrivate extends PrivateMethod {

		void run(int other) {
		}

	}

	static class Callback {

		@PostConstruct
		@DistributedLock("a")
		void run() {
		}

	}

	static class BadDuration {

		@DistributedLock(name = "a", waitTimeout = "soon")
		void run() {
		}

	}

	static class ShortTtl {

		@DistributedLock(name = "a", ttl = "99ms")
		void run() {
		}

	}

	static class LongTtl {

		@DistributedLock(name = "a", ttl = "4d")
		void run() {
		}

	}

	static class LongMinHold {

		@DistributedLock(name = "a", minHold = "4d")
		void run() {
		}

	}

	static class InheritedPackagePrivate extends Base {

	}

}
