package io.mongolock.data;

import java.lang.reflect.Method;

import org.springframework.dao.TransientDataAccessException;
import org.springframework.resilience.retry.MethodRetryPredicate;

import io.mongolock.store.mongo.TemplateFailures;

/**
 * The conflicts after which a transaction of MongoDB is done again, for
 * {@code @Retryable(predicate = RetriedConflicts.class)} outside of
 * {@code @Transactional}: what MongoDB calls transient, whatever Spring Data makes of it.
 * A conflict of the template's own writes, for one, is a
 * {@link org.springframework.dao.DataIntegrityViolationException}.
 */
public final class RetriedConflicts implements MethodRetryPredicate {

	@Override
	public boolean shouldRetry(Method method, Throwable failure) {
		return failure instanceof TransientDataAccessException || TemplateFailures.findConflict(failure) != null;
	}

}
