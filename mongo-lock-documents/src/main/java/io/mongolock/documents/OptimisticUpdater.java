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
 * Changes a document that others may change at the same time. It loads the document, lets
 * the caller change it, and saves it. If another writer was faster, which the document's
 * {@code @Version} shows, all of that is repeated. No caller waits for another, so this
 * is for documents that are seldom changed at the same time.
 * <p>
 * A change is a function of the document, and is <b>called once per attempt</b>: it
 * should have no other effects that must not happen twice. It returns the document to
 * save: the same instance, changed, or another one with the same id and version. If the
 * document has not changed, nothing is written. An exception of the change ends the
 * update at once and reaches the caller unchanged. Everything runs on the caller's
 * thread, which also waits between attempts.
 * <p>
 * Inside a MongoDB transaction, an update is part of the transaction and is attempted
 * only once. A second attempt would load the same document again, and a conflict ends the
 * transaction anyway; only the whole transaction can be repeated. Outside of a
 * transaction, the majority of the replica set confirms each write, and each statement
 * may take {@code mongo-lock.operation-timeout}. If that time is over or the answer was
 * lost, an exception of Spring's says that the document may have been written.
 * Thread-safe.
 */
public interface OptimisticUpdater {

	/**
	 * Change a document.
	 * @param <T> the type of the document
	 * @param type the type of the document
	 * @param id its id
	 * @param change returns the document to save; may be called several times
	 * @return the saved document, or empty if there is none
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
	 * @param change returns the document to save, also for a new document; may be called
	 * several times
	 * @return the saved document
	 * @throws OptimisticLockingFailureException if others were faster in each attempt
	 * @throws DuplicateKeyException if a unique index other than the id's refuses the
	 * document
	 * @throws IllegalArgumentException if documents of that type have no version
	 */
	<T> T updateOrCreate(Class<T> type, Object id, Supplier<T> factory, UnaryOperator<T> change);

	/**
	 * An updater for the documents of a template.
	 * @param template the application's {@code MongoTemplate} that its transactions use
	 * @param backOff how often to try, and how long to wait in between, for example an
	 * {@code ExponentialBackOff} with a jitter
	 * @param context has the callbacks and listeners for saves, and the setting for how
	 * long a statement may take
	 * @return the updater
	 * @throws IllegalArgumentException if it is no {@code MongoTemplate}
	 */
	static OptimisticUpdater of(MongoOperations template, BackOff backOff, ApplicationContext context) {
		return new RetriedUpdates(CurrentTransaction.template(template), backOff, context);
	}

}
