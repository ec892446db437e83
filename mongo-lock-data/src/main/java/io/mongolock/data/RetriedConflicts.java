package io.mongolock.data;

import java.lang.reflect.Method;

import org.springframework.dao.TransientDataAccessException;
import org.springframework.resilience.retry.MethodRetryPredicate;

import io.mongolock.store.mongo.TemplateFailures;

/**
 * Decides after which conflicts a MongoDB transaction is repeated, for
 * {@code @Retryable(predicate = RetriedConflicts.class)} outside of
 * {@code @Transactional}. Those are the errors that MongoDB calls transient, whatever
 * Spring Data turns them into. For example, a conflict of the template's own writes is a
 * {@link org.springframework.dao.DataIntegrityViolationException}.
 */
public final class RetriedConflicts implements MethodRetryPredicate {

	@Override
	public boolean shouldRetry(Method method, Throwable failure) {
		return failure instanceof TransientDataAccessException || TemplateFailures.findConflict(failure) != null;
	}

}
