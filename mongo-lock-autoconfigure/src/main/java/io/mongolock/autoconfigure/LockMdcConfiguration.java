package io.mongolock.autoconfigure;

import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.mongolock.observation.LockMdc;

/**
 * Names the lock in the log lines of what runs under it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(MDC.class)
@ConditionalOnSetting(name = "enabled", byDefault = true)
class LockMdcConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockMdc mongoLockMdc() {
		return new LockMdc();
	}

}
