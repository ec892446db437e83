package io.mongolock.documents;

import org.springframework.data.mongodb.core.MongoOperations;

/**
 * Makes {@link DocumentLockOperations} for applications with several databases: call it
 * once per template, and declare each result as a bean. The operations use the settings
 * of the application, and end with it. Thread-safe.
 */
@FunctionalInterface
public interface DocumentLockFactory {

	/**
	 * Locks on the documents of a template.
	 * @param template the {@code MongoTemplate} that the transactions use
	 * @return the operations
	 * @throws IllegalArgumentException if it is no {@code MongoTemplate}
	 */
	DocumentLockOperations of(MongoOperations template);

}
