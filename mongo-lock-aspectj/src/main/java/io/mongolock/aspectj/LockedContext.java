package io.mongolock.aspectj;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.Aspects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

import io.mongolock.interceptor.LockOperationSourceAdvisor;
import io.mongolock.interceptor.check.LockMethodVerifier;

/**
 * An application context from which woven methods take their locks until it is closed,
 * even in work for which Spring waits at the end. Objects that are not its beans prefer a
 * context that is not stopped. Created before all beans whose methods may be woven.
 * Thread-safe.
 */
class LockedContext implements BeanFactoryPostProcessor, BeanPostProcessor, PriorityOrdered, SmartLifecycle,
		DisposableBean, MethodInterceptor {

	private final OpenContexts contexts = Aspects.aspectOf(DistributedLockAspect.class).contexts();

	private volatile @Nullable ConfigurableListableBeanFactory beans;

	private volatile boolean running;

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
		this.beans = beans;
		start();
	}

	/** Registers the bean before its own callbacks run, which may be woven. */
	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		this.contexts.own(bean, this);
		return bean;
	}

	/** Only this callback sees the product of a FactoryBean. */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		this.contexts.own(bean, this);
		return bean;
	}

	/**
	 * Run a method under its lock, unless its declaration is wrong. This checks the
	 * declarations, because the declarations of an object that is not a bean have not
	 * been checked before.
	 */
	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		ConfigurableListableBeanFactory beans = this.beans;
		if (beans == null) {
			throw new IllegalStateException(invocation.getMethod()
					+ " was not run, because it needs a lock of its bean's application context, and that context is "
					+ "closed. Use a bean of an open context");
		}
		Object target = invocation.getThis();
		beans.getBean(LockMethodVerifier.class)
			.verify((target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass());
		MethodInterceptor lock = (MethodInterceptor) beans.getBean(LockOperationSourceAdvisor.class).getAdvice();
		return lock.invoke(invocation);
	}

	@Override
	public void start() {
		if (!this.running) {
			this.running = true;
			this.contexts.open(this);
		}
	}

	@Override
	public void stop() {
		this.running = false;
		this.contexts.stop(this);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * Starts first and stops last, because other beans may call woven methods when they
	 * start or stop.
	 */
	@Override
	public int getPhase() {
		return Integer.MIN_VALUE;
	}

	/** Runs first, to see the beans themselves before they get proxies. */
	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public void destroy() {
		this.contexts.close(this);
		// An object that outlives its context must not keep the context in memory
		this.beans = null;
	}

}
