package io.mongolock.documents;

import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import org.springframework.context.ApplicationContext;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.util.backoff.BackOff;

import io.mongolock.store.mongo.CurrentTransaction;

/**
 * Changes a document that others may change at the same time: loads it, lets the caller
 * change it, and saves it unless somebody was faster; then all of that happens again.
 * Whether somebody was is what the document's {@code @Version} tells. Nobody waits for
 * anybody, so this is for documents that seldom change at the same time.
 * <p>
 * A change is a function of the document, and is <b>called once per attempt</b>: it
 * should do nothing else that must not happen twice. It returns the document to save: the
 * same instance, changed, or another one with the same id and version. If nothing has
 * changed in it, nothing is written. What it throws ends the update at once and reaches
 * the caller as it is. All of it runs on the thread of the caller, which also waits
 * between attempts.
 * <p>
 * Inside a MongoDB transaction an update is part of it and is attempted once: there it
 * would load the same document again, and the transaction is over after a conflict
 * anyway. What can be repeated is the whole transaction. Outside of one the majority of
 * the replica set confirms what is written, and each statement has the time of
 * {@code mongo-lock.operation-timeout}; if that is over or the answer was lost, an
 * exception of Spring's tells that the document may have been written. Thread-safe.
 */
public interface OptimisticUpdater {

	/**
	 * Change a document.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @param change returns the document to save; may be called several times
	 * @return the document as it is saved, or empty if there is none
	 * @throws OptimisticLockingFailureException if others were faster in each attempt
	 * @throws IllegalArgumentException if documents of that type have no version
	 */
	<T> Optional<T> update(Class<T> type, Object id, UnaryOperator<T> change);

	/**
	 * Change a document, or create it if there is none.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @param factory makes a new document, which gets the id if it has none; may be
	 * called several times
	 * @param change returns the document to save, the new one, too; may be called several
	 * times
	 * @return the document as it is saved
	 * @throws OptimisticLockingFailureException if others were faster in each attempt
	 * @throws DuplicateKeyException if a unique index other than the id's refuses the
	 * document
	 * @throws IllegalArgumentException if documents of that type have no version
	 */
	<T> T updateOrCreate(Class<T> type, Object id, Supplier<T> factory, UnaryOperator<T> change);

	/**
	 * An updater for the documents of a template.
	 * @param template the application's {@code MongoTemplate}, which its transactions are
	 * of
	 * @param backOff how often to try, and how long to wait in between, for example an
	 * {@code ExponentialBackOff} with a jitter
	 * @param context whose callbacks and listeners see documents saved, and whose
	 * settings say how long a statement may take
	 * @return the updater
	 * @throws IllegalArgumentException if it is no {@code MongoTemplate}
	 */
	static OptimisticUpdater of(MongoOperations template, BackOff backOff, ApplicationContext context) {
		return new RetriedUpdates(CurrentTransaction.template(template), backOff, context);
	}

}
