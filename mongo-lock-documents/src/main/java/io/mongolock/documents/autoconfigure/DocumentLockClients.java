package io.mongolock.documents.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.springframework.context.ApplicationContext;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.util.Assert;
import org.springframework.util.function.SingletonSupplier;

import io.mongolock.LockClock;
import io.mongolock.LockOperations;
import io.mongolock.documents.DocumentLockFactory;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.DocumentTransactions;
import io.mongolock.documents.store.DocumentLockStore;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.spi.StoreClient;

/**
 * The clients whose stores the application's documents are, one for each template. None
 * is {@link io.mongolock.LockOperations} as a bean, because there is one already.
 */
final class DocumentLockClients implements DocumentLockFactory {

	private final List<StoreClient> clients = new CopyOnWriteArrayList<>();

	private final LockEnvironment environment;

	private final String field;

	private final LockClock clock;

	private final DocumentTransactions transactions;

	private final ApplicationContext context;

	/**
	 * Create without clients.
	 */
	DocumentLockClients(LockEnvironment environment, String field, LockClock clock, DocumentTransactions transactions,
			ApplicationContext context) {
		this.environment = environment;
		this.field = field;
		this.clock = clock;
		this.transactions = transactions;
		this.context = context;
	}

	@Override
	public DocumentLockOperations of(MongoOperations operations) {
		Assert.isInstanceOf(MongoTemplate.class, operations,
				"Documents are written by a MongoTemplate, whose factory the transactions are of");
		MongoTemplate template = (MongoTemplate) operations;
		MongoTemplate outside = new MongoTemplate(template.getMongoDatabaseFactory());
		outside.setSessionSynchronization(SessionSynchronization.NEVER);
		DocumentLockStore store = new DocumentLockStore(outside, this.field, this.environment.collection(), this.clock);
		StoreClient client = this.environment.open(store);
		this.clients.add(client);
		Supplier<LockOperations> takeOvers = SingletonSupplier.of(() -> this.environment.open(store).locks());
		return DocumentLockOperations.of(template, store, client.locks(), takeOvers, client.broken(), this.clock,
				this.environment.operationTimeout(), this.transactions, this.context);
	}

	Stream<StoreClient> all() {
		return this.clients.stream();
	}

}
