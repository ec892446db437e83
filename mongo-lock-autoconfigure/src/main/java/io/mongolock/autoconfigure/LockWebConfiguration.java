package io.mongolock.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import io.mongolock.web.LockProblemDetails;

/**
 * Answers callers over HTTP whose lock is held by others, if the application wants it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication
@ConditionalOnClass(RestControllerAdvice.class)
@ConditionalOnSetting(name = "web.problem-details", byDefault = false)
class LockWebConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockProblemDetails mongoLockProblemDetails() {
		return new LockProblemDetails();
	}

}
