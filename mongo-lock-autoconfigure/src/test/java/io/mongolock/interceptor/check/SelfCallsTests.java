package io.mongolock.interceptor.check;

import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.core.OverridingClassLoader;

import io.mongolock.annotation.AnnotationLockOperationSource;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.interceptor.LockOperation;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SelfCalls}.
 */
class SelfCallsTests {

	@Test
	void whereThereIsNoByteCodeAsInANativeImageNothingIsFound() throws ClassNotFoundException {
		assertThat(SelfCalls.find(Selfish.class, locked(Selfish.class))).hasSize(1);
		Class<?> withoutCode = new WithoutCode().loadClass(Selfish.class.getName());
		assertThat(withoutCode).isNotEqualTo(Selfish.class);
		assertThat(locked(withoutCode)).hasSize(1);
		assertThat(SelfCalls.find(withoutCode, locked(withoutCode))).isEmpty();
	}

	@Test
	void whoHasTheLockOnlySometimesIsNamedIfTheOtherNeedsItMoreOften() {
		assertThat(SelfCalls.find(Sometimes.class, locked(Sometimes.class))).singleElement()
			.asString()
			.contains("sometimes() calls always(boolean)");
	}

	private static Map<Method, List<LockOperation>> locked(Class<?> type) {
		AnnotationLockOperationSource source = new AnnotationLockOperationSource((text) -> text);
		Map<Method, List<LockOperation>> locked = new HashMap<>();
		for (Method method : type.getDeclaredMethods()) {
			List<LockOperation> operations = source.getLockOperations(method, type);
			if (!operations.isEmpty()) {
				locked.put(method, operations);
			}
		}
		return locked;
	}

	/** Has the class, and shows nobody what it was made of. */
	private static final class WithoutCode extends OverridingClassLoader {

		private WithoutCode() {
			super(SelfCallsTests.class.getClassLoader());
		}

		@Override
		protected boolean isEligibleForOverriding(String name) {
			return name.equals(Selfish.class.getName());
		}

		@Override
		protected @Nullable InputStream openStreamForClass(String name) {
			return SelfCallsTests.class.getResourceAsStream("SelfCallsTests$Selfish.class");
		}

		@Override
		public @Nullable InputStream getResourceAsStream(String name) {
			return null;
		}

	}

	static class Sometimes {

		@DistributedLock(name = "a", condition = "#p0")
		void sometimes(boolean needed) {
			always(needed);
			other(needed);
		}

		@DistributedLock(name = "a", condition = "#p0")
		void other(boolean needed) {
		}

		@DistributedLock("a")
		void always(boolean needed) {
			sometimes(needed);
		}

	}

	static class Selfish {

		@DistributedLock("a")
		void locked() {
		}

		void caller() {
			locked();
		}

	}

}
