package io.mongolock.documents;

import java.util.List;
import java.util.function.Supplier;

import org.springframework.context.ApplicationContext;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.util.function.SingletonSupplier;

import io.mongolock.LockClock;
import io.mongolock.LockOperations;
import io.mongolock.documents.store.DocumentLockStore;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.spi.StoreClient;
import io.mongolock.spi.StoreClients;
import io.mongolock.store.mongo.CurrentTransaction;

/**
 * Makes one client per template, with the application's documents as its store. The
 * {@link LockOperations} of these clients are not beans, because there already is such a
 * bean.
 *
 * @param environment opens them
 * @param clock what deadlines are checked against
 * @param transactions know the documents of each thread
 * @param context has the callbacks and listeners for loads and saves of documents
 * @param clients the clients, a list that is thread-safe
 */
record DocumentLockClients(LockEnvironment environment, LockClock clock, DocumentTransactions transactions,
		ApplicationContext context, List<StoreClient> clients) implements DocumentLockFactory, StoreClients {

	@Override
	public DocumentLockOperations of(MongoOperations operations) {
		MongoTemplate template = CurrentTransaction.template(operations);
		MongoTemplate outside = new MongoTemplate(template.getMongoDatabaseFactory());
		outside.setSessionSynchronization(SessionSynchronization.NEVER);
		DocumentLockStore store = new DocumentLockStore(outside, EntityWriter.field(this.context),
				this.environment.collection(), this.clock);
		StoreClient client = this.environment.open(store);
		this.clients.add(client);
		Supplier<LockOperations> takeOvers = SingletonSupplier.of(() -> this.environment.open(store).locks());
		return new DocumentLocks(template, store, client, takeOvers, this.clock, this.environment.operationTimeout(),
				this.transactions, this.context);
	}

}
