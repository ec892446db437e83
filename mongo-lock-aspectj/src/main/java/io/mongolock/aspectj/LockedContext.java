package io.mongolock.aspectj;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.Aspects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.Assert;

import io.mongolock.interceptor.LockInterceptor;
import io.mongolock.interceptor.check.LockMethodVerifier;

/**
 * An application context as long as it is open: woven methods take its locks. Created
 * before all beans whose methods may be woven. Thread-safe.
 */
class LockedContext implements BeanFactoryPostProcessor, DisposableBean, MethodInterceptor {

	private @Nullable ConfigurableListableBeanFactory beans;

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
		this.beans = beans;
		Aspects.aspectOf(DistributedLockAspect.class).open(this);
	}

	/**
	 * Run a method under its lock, unless its declaration is wrong: nobody has looked at
	 * that of an object that is no bean.
	 */
	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Assert.state(this.beans != null, "not opened");
		Object target = invocation.getThis();
		this.beans.getBean(LockMethodVerifier.class)
			.verify((target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass());
		return this.beans.getBean(LockInterceptor.class).invoke(invocation);
	}

	@Override
	public void destroy() {
		Aspects.aspectOf(DistributedLockAspect.class).close(this);
	}

}
