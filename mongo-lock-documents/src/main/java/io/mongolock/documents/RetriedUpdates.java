package io.mongolock.documents;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.retry.RetryException;
import org.springframework.core.retry.RetryPolicy;
import org.springframework.core.retry.RetryTemplate;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.util.backoff.BackOff;

import io.mongolock.documents.UpdateAttempt.OvertakenException;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.store.mongo.TimedStatements;

/**
 * Repeats attempts as long as others are faster.
 */
final class RetriedUpdates implements OptimisticUpdater {

	/** The default of the setting. */
	private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(3);

	private final MongoTemplate template;

	private final UnlockedSaveGuard saves;

	private final EntityLifecycle lifecycle;

	/** The field of the locks, which no update removes. */
	private final String field;

	private final RetryTemplate retries;

	private final TimedStatements statements;

	RetriedUpdates(MongoTemplate template, BackOff backOff, ApplicationContext context) {
		this.saves = UnlockedSaveGuard.of(context);
		this.lifecycle = new EntityLifecycle(context, this.saves.own());
		this.template = template;
		this.field = EntityWriter.field(context);
		this.statements = new TimedStatements(template,
				context.getBeanProvider(LockEnvironment.class)
					.stream()
					.map(LockEnvironment::operationTimeout)
					.findFirst()
					.orElse(DEFAULT_TIMEOUT));
		this.retries = new RetryTemplate(
				RetryPolicy.builder().backOff(backOff).includes(OvertakenException.class).build());
	}

	@Override
	public <T> Optional<T> update(Class<T> type, Object id, UnaryOperator<T> change) {
		return run(attempt(type, id, null, change));
	}

	@Override
	public <T> T updateOrCreate(Class<T> type, Object id, Supplier<T> factory, UnaryOperator<T> change) {
		return run(attempt(type, id, factory, change)).orElseThrow();
	}

	private <T> UpdateAttempt<T> attempt(Class<T> type, Object id, @Nullable Supplier<T> factory,
			UnaryOperator<T> change) {
		EntityWriter writer = new EntityWriter(this.template, this.lifecycle, this.template.getCollectionName(type),
				this.field);
		return new UpdateAttempt<>(writer, this.statements, this.saves, type, id, factory, change);
	}

	private <T> Optional<T> run(UpdateAttempt<T> attempt) {
		try {
			return this.retries.execute(attempt::execute);
		}
		catch (RetryException ex) {
			if (ex.getLastException() instanceof OvertakenException last) {
				throw overtaken(attempt, ex.getRetryCount() + 1, last);
			}
			throw RetriedUpdates.<RuntimeException>unchanged(ex.getLastException());
		}
	}

	// Unchecked, because code in Kotlin does not declare its exceptions
	@SuppressWarnings("unchecked")
	private static <E extends Throwable> E unchanged(Throwable failure) throws E {
		throw (E) failure;
	}

	private static OptimisticLockingFailureException overtaken(UpdateAttempt<?> attempt, int attempts,
			RuntimeException last) {
		String end = (Thread.currentThread().isInterrupted()) ? ", and the thread was interrupted"
				: ". Try again later. If this happens often, raise mongo-lock.optimistic.max-attempts, or use a lock";
		return new OptimisticLockingFailureException(
				"Could not update " + attempt + ", because other writers were faster in each of " + attempts
						+ " attempt" + ((attempts > 1) ? "s" : "") + end,
				last.getCause());
	}

}
