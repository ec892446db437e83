package io.mongolock.aspectj;

import org.aspectj.lang.Aspects;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;

import io.mongolock.autoconfigure.MongoLockAutoConfiguration;
import io.mongolock.interceptor.LockOperationSourceAdvisor;

/**
 * Auto-configuration for woven methods. Beans keep their proxies, so for calls through a
 * proxy the lock stays outside of transactions.
 */
@AutoConfiguration(after = MongoLockAutoConfiguration.class)
@ConditionalOnBean(LockOperationSourceAdvisor.class)
public final class LockAspectAutoConfiguration {

	/** Created before other beans, so that their woven methods find it. */
	@Configuration(proxyBeanMethods = false)
	static class AspectConfiguration {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LockedContext mongoLockedContext() {
			return new LockedContext();
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static DefaultPointcutAdvisor mongoLockProxiedCallsAdvisor(LockOperationSourceAdvisor locks) {
			DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(locks.getPointcut(),
					Aspects.aspectOf(DistributedLockAspect.class).proxied());
			advisor.setOrder(Ordered.LOWEST_PRECEDENCE);
			return advisor;
		}

	}

}
