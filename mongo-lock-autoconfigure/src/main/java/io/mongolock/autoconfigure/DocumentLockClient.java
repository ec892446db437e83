package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.Lifecycle;
import org.springframework.context.Phased;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockClock;
import io.mongolock.LockListener;
import io.mongolock.LockOperations;
import io.mongolock.LockOwner;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.HandOver;
import io.mongolock.core.LockDefaults;
import io.mongolock.store.mongo.DocumentLockStore;

/**
 * The client whose store the application's documents are. It is no {@link LockOperations}
 * itself, as there is one already. Starts with the first claim.
 */
final class DocumentLockClient implements Lifecycle, Phased, DisposableBean {

	/** Who is handed a lock has not seen the document. */
	private static final HandOver NEVER = new HandOver(Duration.ZERO, 0);

	private final MongoTemplate template;

	private final DocumentLockStore store;

	private final LockTemplate locks;

	private final LockLifecycle lifecycle;

	DocumentLockClient(MongoTemplate template, LockDefaults defaults, LockOwner owner, LockClock clock,
			List<LockListener> listeners, MongoLockProperties properties) {
		this.template = template;
		MongoTemplate outside = new MongoTemplate(template.getMongoDatabaseFactory());
		outside.setSessionSynchronization(SessionSynchronization.NEVER);
		this.store = new DocumentLockStore(outside, properties.documentLocks().field(), properties.collection());
		// No TTL index removes what is in the documents
		LockDefaults lasting = new LockDefaults(defaults.global(), defaults.byName(), null);
		this.locks = new LockTemplate(this.store, lasting, owner, clock, listeners, properties.leakDetection(), NEVER,
				properties.placeTtl());
		this.lifecycle = new LockLifecycle(this.locks, properties.shutdownTimeout());
	}

	MongoTemplate template() {
		return this.template;
	}

	DocumentLockStore store() {
		return this.store;
	}

	LockTemplate locks() {
		return this.locks;
	}

	@Override
	public void start() {
		this.lifecycle.start();
	}

	@Override
	public void stop() {
		this.lifecycle.stop();
	}

	@Override
	public boolean isRunning() {
		return this.lifecycle.isRunning();
	}

	@Override
	public int getPhase() {
		return this.lifecycle.getPhase();
	}

	@Override
	public void destroy() {
		this.locks.close();
	}

}
