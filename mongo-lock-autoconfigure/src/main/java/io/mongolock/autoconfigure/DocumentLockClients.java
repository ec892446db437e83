package io.mongolock.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.client.LockTemplate;
import io.mongolock.mongodb.DocumentLockFactory;
import io.mongolock.mongodb.DocumentLockOperations;
import io.mongolock.store.mongo.DocumentLockStore;

/**
 * The clients whose stores the application's documents are, one for each template. None
 * is {@link io.mongolock.LockOperations} as a bean, as there is one already. Each starts
 * with its first claim.
 */
final class DocumentLockClients implements DocumentLockFactory, Lifecycle, Phased, DisposableBean {

	private final List<Client> clients = new CopyOnWriteArrayList<>();

	private final Function<DocumentLockStore, LockTemplate> client;

	private final Operations operations;

	private final MongoLockProperties properties;

	/**
	 * Create without clients.
	 */
	DocumentLockClients(Function<DocumentLockStore, LockTemplate> client, Operations operations,
			MongoLockProperties properties) {
		this.client = client;
		this.operations = operations;
		this.properties = properties;
	}

	@Override
	public DocumentLockOperations of(MongoTemplate template) {
		MongoTemplate outside = new MongoTemplate(template.getMongoDatabaseFactory());
		outside.setSessionSynchronization(SessionSynchronization.NEVER);
		DocumentLockStore store = new DocumentLockStore(outside, this.properties.documentLocks().field(),
				this.properties.collection());
		LockTemplate locks = this.client.apply(store);
		this.clients.add(new Client(store, locks));
		return this.operations.of(template, store, locks);
	}

	@Override
	public void start() {
		locks().forEach(LockTemplate::start);
	}

	@Override
	public void stop() {
		locks().filter(LockTemplate::isRunning).forEach((client) -> client.stop(this.properties.shutdownTimeout()));
	}

	@Override
	public boolean isRunning() {
		return locks().anyMatch(LockTemplate::isRunning);
	}

	@Override
	public int getPhase() {
		return LockLifecycle.PHASE;
	}

	@Override
	public void destroy() {
		locks().forEach(LockTemplate::close);
	}

	Stream<Client> all() {
		return this.clients.stream();
	}

	private Stream<LockTemplate> locks() {
		return all().map(Client::locks);
	}

	/**
	 * The client of one template.
	 *
	 * @param store the documents
	 * @param locks the client
	 */
	record Client(DocumentLockStore store, LockTemplate locks) {

	}

	/**
	 * Makes operations.
	 */
	@FunctionalInterface
	interface Operations {

		DocumentLockOperations of(MongoTemplate template, DocumentLockStore store, LockTemplate locks);

	}

}
