package io.mongolock.interceptor;

import java.lang.reflect.Method;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.OverridingClassLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ProxyReach}.
 */
class ProxyReachTests {

	@Test
	void aPackageOfTheSameNameInAnotherClassLoaderIsAnother() throws ReflectiveOperationException {
		Method method = Base.class.getDeclaredMethod("work");
		Class<?> elsewhere = new Elsewhere().loadClass(Bean.class.getName());
		assertThat(elsewhere.getPackageName()).isEqualTo(Base.class.getPackageName());
		assertThat(elsewhere.getSuperclass()).isEqualTo(Base.class);
		assertThat(ProxyReach.toAnyProxy(method, Bean.class)).isNull();
		assertThat(ProxyReach.toAnyProxy(method, elsewhere)).isNotNull()
			.extracting(ProxyReach.Obstacle::problem)
			.asString()
			.startsWith("cannot be overridden by a proxy, because it is package-private in ");
	}

	@Test
	void aCloseMethodThatSpringInfersIsNoCallbackOfADisposableBean() throws ReflectiveOperationException {
		Method close = Disposable.class.getMethod("close");
		RootBeanDefinition inferred = new RootBeanDefinition(Disposable.class);
		inferred.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
		for (BeanDefinition definition : List.of(new RootBeanDefinition(Disposable.class), inferred)) {
			assertThat(ProxyReach.toCallback(definition, close, Disposable.class)).isNull();
			assertThat(ProxyReach.toCallback(definition, close, AutoCloseable.class)).isNotNull();
		}
	}

	@Test
	void aShutdownMethodIsACallbackOnlyIfItsInferenceIsAskedFor() throws ReflectiveOperationException {
		Method shutdown = Pool.class.getMethod("shutdown");
		RootBeanDefinition definition = new RootBeanDefinition(Pool.class);
		assertThat(ProxyReach.toCallback(definition, shutdown, Pool.class)).isNull();
		definition.setDestroyMethodName(AbstractBeanDefinition.INFER_METHOD);
		assertThat(ProxyReach.toCallback(definition, shutdown, Pool.class)).isNotNull();
	}

	@Test
	void aMethodWithParametersIsNoCallback() throws ReflectiveOperationException {
		RootBeanDefinition definition = new RootBeanDefinition(Pool.class);
		definition.setInitMethodName("shutdown");
		assertThat(ProxyReach.toCallback(definition, Pool.class.getMethod("shutdown"), Pool.class)).isNotNull();
		assertThat(ProxyReach.toCallback(definition, Pool.class.getMethod("shutdown", int.class), Pool.class)).isNull();
	}

	public static class Pool {

		public void shutdown() {
		}

		public void shutdown(int seconds) {
		}

	}

	public static class Disposable implements DisposableBean, AutoCloseable {

		@Override
		public void destroy() {
		}

		@Override
		public void close() {
		}

	}

	public static class Base {

		void work() {
		}

	}

	public static class Bean extends Base {

	}

	/** Has the bean of its own, and the superclass of its parent, as devtools may. */
	private static final class Elsewhere extends OverridingClassLoader {

		private Elsewhere() {
			super(ProxyReachTests.class.getClassLoader());
		}

		@Override
		protected boolean isEligibleForOverriding(String name) {
			return name.equals(Bean.class.getName());
		}

	}

}
