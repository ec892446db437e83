package io.mongolock.mongodb;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.springframework.context.ApplicationContext;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.util.backoff.BackOff;

import io.mongolock.mongodb.UpdateAttempt.OvertakenException;

/**
 * Repeats attempts by Spring's {@link RetryTemplate} as long as others are faster.
 */
final class RetriedUpdates implements OptimisticUpdater {

	private final MongoTemplate template;

	private final EntityLifecycle lifecycle;

	/** The field of the locks, which no update removes. */
	private final String field;

	private final RetryTemplate retries;

	RetriedUpdates(MongoTemplate template, BackOff backOff, ApplicationContext context) {
		this.lifecycle = new EntityLifecycle(template, PlainSaves.guardOf(context));
		this.template = template;
		this.field = context.getEnvironment().getProperty("mongo-lock.document-locks.field", "lock");
		this.retries = new RetryTemplate(
				RetryPolicy.builder().backOff(backOff).includes(OvertakenException.class).build());
	}

	@Override
	public <T> Optional<T> update(Class<T> type, Object id, UnaryOperator<T> change) {
		return run(new UpdateAttempt<>(this.template, this.lifecycle, this.field, type, id, null, change));
	}

	@Override
	public <T> T updateOrCreate(Class<T> type, Object id, Supplier<T> factory, UnaryOperator<T> change) {
		return run(new UpdateAttempt<>(this.template, this.lifecycle, this.field, type, id, factory, change))
			.orElseThrow();
	}

	private <T> Optional<T> run(UpdateAttempt<T> attempt) {
		try {
			return this.retries.execute(attempt);
		}
		catch (RetryException ex) {
			throw failure(attempt, ex);
		}
	}

	private static RuntimeException failure(UpdateAttempt<?> attempt, RetryException failure) {
		Throwable last = failure.getCause();
		if (last instanceof OvertakenException overtaken) {
			return overtaken(attempt, overtaken, failure);
		}
		if (last instanceof Error error) {
			throw error;
		}
		return (last instanceof RuntimeException thrown) ? thrown : new IllegalStateException(last);
	}

	private static OptimisticLockingFailureException overtaken(UpdateAttempt<?> attempt, OvertakenException last,
			RetryException failure) {
		int attempts = failure.getRetryCount() + 1;
		String end = (Thread.currentThread().isInterrupted()) ? ", and the thread was interrupted"
				: ": try again later, raise mongo-lock.optimistic.max-attempts, or use a lock if this is usual";
		OptimisticLockingFailureException summary = new OptimisticLockingFailureException(
				"Could not " + attempt.getName() + ", because others were faster in each of " + attempts + " attempt"
						+ ((attempts > 1) ? "s" : "") + end,
				last.getCause());
		failure.getExceptions()
			.stream()
			.filter((one) -> one != last && one.getCause() != null)
			.forEach((one) -> summary.addSuppressed(one.getCause()));
		return summary;
	}

}
