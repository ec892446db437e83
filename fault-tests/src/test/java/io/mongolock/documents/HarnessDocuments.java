package io.mongolock.documents;

import java.time.Duration;

import org.springframework.context.ApplicationContext;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.client.LockTemplate;
import io.mongolock.documents.store.DocumentLockStore;
import io.mongolock.spi.StoreClient;

/**
 * Locks on documents by a client that a test has made.
 */
public final class HarnessDocuments {

	private HarnessDocuments() {
	}

	public static DocumentLockOperations of(MongoTemplate template, DocumentLockStore store, LockTemplate client,
			Duration timeout, DocumentTransactions transactions, ApplicationContext context) {
		return new DocumentLocks(template, store, new StoreClient(store, client, (key) -> 0, client::broken),
				() -> client, LockClock.system(), timeout, transactions, context);
	}

}
