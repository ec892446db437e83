package io.mongolock.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.core.OverridingClassLoader;

import io.mongolock.LockContext;
import io.mongolock.LockOperations;
import io.mongolock.annotation.DistributedLock;
import io.mongolock.interceptor.InvalidLockMethodException;
import io.mongolock.interceptor.ProxyKind;
import io.mongolock.interceptor.RecordingLockOperations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ProxyKind}: beans are asked for the proxies that they have.
 */
@ExtendWith(OutputCaptureExtension.class)
class ProxyKindTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withBean(LockOperations.class, RecordingLockOperations::new)
		.withConfiguration(AutoConfigurations.of(MongoLockAutoConfiguration.class));

	private final ApplicationContextRunner byInterface = this.runner
		.withPropertyValues("spring.aop.proxy-target-class=false");

	@Test
	void aFinalClassThatIsProxiedByItsInterfaceIsLocked() {
		this.runner.withBean(FinalByInterface.class).run((context) -> {
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Task.class))).isTrue();
			assertThat(context.getBean(Task.class).run()).isEqualTo("task");
		});
	}

	@Test
	void alsoWhereVerificationOnlyWarns(CapturedOutput output) {
		this.runner.withBean(FinalByInterface.class)
			.withPropertyValues("mongo-lock.verification=warn")
			.run((context) -> assertThat(context.getBean(Task.class).run()).isEqualTo("task"));
		assertThat(output).doesNotContain("without the lock");
	}

	@Test
	void aMethodBeyondTheInterfacesOfOneBeanIsRefused() {
		this.runner.withBean(BeyondByInterface.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining("BeyondByInterface.beyond() is declared in no interface that the bean's proxy "
						+ "implements"));
	}

	@Test
	void whenATypeIsAnnotatedThenAMethodBeyondItsInterfacesIsLeftOut(CapturedOutput output) {
		this.byInterface.withBean(Adjustable.class).run((context) -> {
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(LockedTask.class))).isTrue();
			assertThat(context.getBean(LockedTask.class).run()).isEqualTo("task");
		});
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void whenAFinalClassIsProxiedByItsInterfaceThenAlsoWithTheProxiesOfBoot() {
		this.runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withBean(FinalByInterface.class)
			.run((context) -> {
				assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Task.class))).isTrue();
				assertThat(context.getBean(Task.class).run()).isEqualTo("task");
			});
	}

	@Test
	void whenABeanMethodMakesAFinalClassThenItIsTheMethodThatAsksForInterfaces() {
		this.runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withUserConfiguration(ByMethod.class)
			.run((context) -> assertThat(context.getBean(Task.class).run()).isEqualTo("task"));
		this.runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withUserConfiguration(ByClass.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining(
						"FinalByInterface.run() cannot be overridden by a proxy, because the method or its class is final"));
	}

	@Test
	void aFinalClassThatHasAnInterfaceAndIsProxiedAsAClassIsRefused() {
		this.runner.withBean(FinalTask.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining(
						"FinalTask.run() cannot be overridden by a proxy, because the method or its class is final"));
	}

	@Test
	void orWarnedOf(CapturedOutput output) {
		this.runner.withBean(FinalTask.class)
			.withPropertyValues("mongo-lock.verification=warn")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output)
			.contains("FinalTask.run() cannot be overridden by a proxy, because the method or its class is final");
	}

	@Test
	void orWhenItIsMade() {
		this.runner.withUserConfiguration(LazyFinal.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatException().isThrownBy(() -> context.getBean("task"))
				.withRootCauseInstanceOf(InvalidLockMethodException.class)
				.withStackTraceContaining(
						"FinalTask.run() cannot be overridden by a proxy, because the method or its class is final");
		});
	}

	@Test
	void aLazyBeanThatLacksAClassHarmsNobodyWhoDoesNotAskForIt() throws ClassNotFoundException {
		Class<?> lacking = Class.forName(Lacking.class.getName(), false, new Without(Absent.class));
		assertThatExceptionOfType(NoClassDefFoundError.class).isThrownBy(lacking::getDeclaredMethods);
		this.runner.withInitializer((context) -> {
			RootBeanDefinition lazy = new RootBeanDefinition(lacking);
			lazy.setLazyInit(true);
			((BeanDefinitionRegistry) context.getBeanFactory()).registerBeanDefinition("lacking", lazy);
		}).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aFinalMethodOfAnInterfaceIsRefusedWhereTheProxyExtendsTheClass() {
		this.runner.withBean(FinalMethod.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining(
						"FinalMethod.run() cannot be overridden by a proxy, because the method or its class is final"));
	}

	@Test
	void aCreatorThatWasMadeToProxyClassesLocksWhatIsInNoInterface() {
		this.byInterface.withUserConfiguration(ClassProxies.class)
			.withBean(Beyond.class)
			.run((context) -> assertThat(context.getBean(Beyond.class).beyond()).isEqualTo("beyond"));
	}

	@Test
	void aClassThatIsProxiedAsAClassIsLookedAtOnceMoreWhereItIsProxiedByItsInterface() {
		this.byInterface
			.withBean("one", Beyond.class, Beyond::new,
					(bean) -> bean.setAttribute(AutoProxyUtils.PRESERVE_TARGET_CLASS_ATTRIBUTE, true))
			.withBean("other", Task.class, Beyond::new)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining("Beyond.beyond()"));
	}

	@Test
	void aClassWithCallbackInterfacesAloneIsProxiedAsAClass() {
		this.byInterface.withBean(CallbackAlone.class)
			.run((context) -> assertThat(context.getBean(CallbackAlone.class).run()).isEqualTo("alone"));
	}

	@Test
	void injectionCallsTheObjectItself() {
		this.runner.withBean(Injected.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockMethodException.class)
				.hasMessageContaining("Injected.set(LockOperations) is a callback"));
	}

	interface Task {

		String run();

	}

	@DistributedLock("task")
	interface LockedTask extends Task {

	}

	public static class Adjustable implements LockedTask {

		@Override
		public String run() {
			return LockContext.current().key();
		}

		public void setName(String name) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ByMethod {

		@Bean
		@Proxyable(ProxyType.INTERFACES)
		Task task() {
			return new FinalTask();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ByClass {

		@Bean
		Task task() {
			return new FinalByInterface();
		}

	}

	@Proxyable(ProxyType.INTERFACES)
	static final class FinalByInterface implements Task {

		@Override
		@DistributedLock("task")
		public String run() {
			return LockContext.current().key();
		}

	}

	static final class FinalTask implements Task {

		@Override
		@DistributedLock("task")
		public String run() {
			return LockContext.current().key();
		}

	}

	static class FinalMethod implements Task {

		@Override
		@DistributedLock("task")
		public final String run() {
			return "";
		}

	}

	@Proxyable(ProxyType.INTERFACES)
	static class BeyondByInterface implements Task {

		@Override
		public String run() {
			return "";
		}

		@DistributedLock("beyond")
		void beyond() {
		}

	}

	static class Beyond implements Task {

		@Override
		public String run() {
			return "";
		}

		@DistributedLock("beyond")
		String beyond() {
			return LockContext.current().key();
		}

	}

	static class CallbackAlone implements InitializingBean {

		@Override
		public void afterPropertiesSet() {
		}

		@DistributedLock("alone")
		String run() {
			return LockContext.current().key();
		}

	}

	static class Injected {

		@Autowired
		@DistributedLock("set")
		void set(LockOperations locks) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyFinal {

		@Bean
		@Lazy
		Task task() {
			return new FinalTask();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ClassProxies {

		// as @EnableCaching(proxyTargetClass = true) does
		@Bean
		static BeanFactoryPostProcessor classProxies() {
			return (beans) -> AopConfigUtils.forceAutoProxyCreatorToUseClassProxying((BeanDefinitionRegistry) beans);
		}

	}

	static class Absent {

	}

	static class Lacking {

		@Nullable Absent absent() {
			return null;
		}

	}

	/** As if an optional dependency was not there. */
	private static final class Without extends OverridingClassLoader {

		private final String absent;

		private Without(Class<?> absent) {
			super(absent.getClassLoader());
			this.absent = absent.getName();
		}

		@Override
		protected boolean isEligibleForOverriding(String className) {
			return className.startsWith(ProxyKindTests.class.getName() + "$");
		}

		@Override
		protected @Nullable Class<?> loadClassForOverriding(String name) throws ClassNotFoundException {
			if (name.equals(this.absent)) {
				throw new ClassNotFoundException(name);
			}
			return super.loadClassForOverriding(name);
		}

	}

}
