package io.mongolock.documents;

import org.springframework.data.mongodb.core.MongoOperations;

/**
 * Makes {@link DocumentLockOperations} for applications with several databases: a bean
 * for each template, by one call. Each is configured as the application is, and ends with
 * it. Thread-safe.
 */
@FunctionalInterface
public interface DocumentLockFactory {

	/**
	 * Locks on the documents of a template.
	 * @param template the {@code MongoTemplate}, which the transactions are of
	 * @return the operations
	 * @throws IllegalArgumentException if it is no {@code MongoTemplate}
	 */
	DocumentLockOperations of(MongoOperations template);

}
