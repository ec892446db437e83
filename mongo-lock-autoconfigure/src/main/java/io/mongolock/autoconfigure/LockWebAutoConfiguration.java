package io.mongolock.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.RestControllerAdvice;

import io.mongolock.web.LockProblemDetails;

/**
 * Auto-configuration for answers to HTTP callers whose lock is not free, if the
 * application enables them.
 */
@AutoConfiguration(after = MongoLockAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(RestControllerAdvice.class)
@ConditionalOnSetting(name = "web.problem-details", byDefault = false)
public final class LockWebAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockProblemDetails mongoLockProblemDetails() {
		return new LockProblemDetails();
	}

}
