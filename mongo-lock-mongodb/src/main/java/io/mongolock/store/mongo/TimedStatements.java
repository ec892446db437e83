package io.mongolock.store.mongo;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.DbCallback;
import org.springframework.data.mongodb.core.MongoOperations;

/**
 * Sends statements with a time limit, in all modules. The driver itself ends a statement
 * at the limit, because a frozen primary answers nothing, not even that its own limit is
 * over. A statement in a transaction has the limit of that transaction, which the driver
 * does not let us change. Immutable.
 *
 * @param template the template, of this library or of the application
 * @param timeout how long each statement may take
 */
public record TimedStatements(MongoOperations template, Duration timeout) {

	/**
	 * Send statements to a collection.
	 * @param <T> the type of the result
	 * @param collection its name
	 * @param action sends them
	 * @return the result of the action
	 * @throws RuntimeException if it failed, as the template translates it
	 */
	public <T> @Nullable T execute(String collection, CollectionCallback<T> action) {
		return this.template.execute(collection, (documents) -> action.doInCollection(limited(documents)));
	}

	/**
	 * Send statements to the database.
	 * @param <T> the type of the result
	 * @param action sends them
	 * @return the result of the action
	 * @throws RuntimeException if it failed, as the template translates it
	 */
	public <T> @Nullable T execute(DbCallback<T> action) {
		return this.template.execute((database) -> action.doInDB(limited(database)));
	}

	private MongoCollection<Document> limited(MongoCollection<Document> documents) {
		return (isInTransaction(documents)) ? documents : documents.withTimeout(millis(), TimeUnit.MILLISECONDS);
	}

	private MongoDatabase limited(MongoDatabase database) {
		return (isInTransaction(database)) ? database : database.withTimeout(millis(), TimeUnit.MILLISECONDS);
	}

	// Zero would mean no limit
	private long millis() {
		return Math.max(1, this.timeout.toMillis());
	}

	// Spring Data adds the session by a proxy
	private static boolean isInTransaction(Object handle) {
		return AopUtils.isAopProxy(handle);
	}

}
