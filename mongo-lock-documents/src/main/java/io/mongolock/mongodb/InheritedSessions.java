package io.mongolock.mongodb;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Belongs to a transaction of Spring that began while a transaction of MongoDB went on,
 * of another manager then: what is written in it is part of MongoDB's, and Spring tells
 * nobody there how that ends.
 *
 * @param resources what MongoDB's transactions were bound to the thread by
 */
record InheritedSessions(Set<Object> resources) implements TransactionSynchronization {

	/**
	 * The transactions of MongoDB that this thread works in, where another is to begin.
	 * @return what they are bound to the thread by
	 */
	static Set<Object> bound() {
		return TransactionSynchronizationManager.getResourceMap()
			.entrySet()
			.stream()
			.filter((resource) -> resource.getKey() instanceof MongoDatabaseFactory)
			.map(Map.Entry::getValue)
			.collect(Collectors.toUnmodifiableSet());
	}

	/**
	 * Whether the code of this thread runs in the transaction whose end is that of
	 * MongoDB's.
	 * @param template whose statements are part of a transaction of MongoDB
	 * @return {@code false} inside of one of another manager that began within it
	 */
	static boolean isOwn(MongoTemplate template) {
		Object resource = TransactionSynchronizationManager.getResource(template.getMongoDatabaseFactory());
		return TransactionSynchronizationManager.getSynchronizations()
			.stream()
			.noneMatch((one) -> one instanceof InheritedSessions inherited && inherited.resources.contains(resource));
	}

	/**
	 * Refuse what is up to the end of MongoDB's transaction.
	 * @param template whose statements are part of it
	 * @param what what cannot be done anywhere else
	 * @throws IllegalStateException inside of another transaction
	 */
	static void requireOwn(MongoTemplate template, String what) {
		if (!isOwn(template)) {
			throw new IllegalStateException(what + " here: this transaction is of another manager and began inside "
					+ "MongoDB's, whose end it does not learn. Do it in MongoDB's own before this one begins, or in "
					+ "another of MongoDB's, by REQUIRES_NEW");
		}
	}

}
