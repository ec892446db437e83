package io.mongolock.documents.autoconfigure;

import java.util.List;

import org.springframework.beans.factory.ObjectProvider;

import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.autoconfigure.MongoLockDocumentsProperties.Optimistic;
import io.mongolock.documents.store.DocumentLockStore;
import io.mongolock.spi.LockExtension;
import io.mongolock.spi.StoreClient;
import io.mongolock.spi.StoreClients;

/**
 * Adds the locks of documents to the locks of the application.
 *
 * @param properties the settings, bound when something needs them
 * @param made the clients that have documents as their store
 * @param operations the operations that lock documents
 */
record DocumentLockExtension(ObjectProvider<MongoLockDocumentsProperties> properties, ObjectProvider<StoreClients> made,
		ObjectProvider<DocumentLockOperations> operations) implements LockExtension {

	@Override
	public List<Class<? extends Record>> settings() {
		return List.of(MongoLockDocumentsProperties.class);
	}

	@Override
	public void check(SettingChecks checks) {
		MongoLockDocumentsProperties properties = this.properties.getObject();
		checkOptimistic(checks, properties.optimistic());
		String field = properties.documentLocks().field();
		try {
			// checked here, because the store is created only when a document is locked
			DocumentLockStore.checkField(field);
		}
		catch (IllegalArgumentException ex) {
			throw checks.invalid("document-locks.field", field, String.valueOf(ex.getMessage()));
		}
	}

	private static void checkOptimistic(SettingChecks checks, Optimistic settings) {
		checks.positive("optimistic.max-attempts", settings.maxAttempts());
		checks.duration("optimistic.delay", settings.delay());
		checks.duration("optimistic.max-delay", settings.maxDelay());
		if (!(settings.multiplier() >= 1)) { // refuses NaN, too
			throw checks.invalid("optimistic.multiplier", settings.multiplier(), "must be at least 1");
		}
		if (settings.maxDelay().compareTo(settings.delay()) < 0) {
			throw checks.invalid("optimistic.max-delay", settings.maxDelay(),
					"must be at least as long as the first delay, which is " + checks.text(settings.delay()));
		}
	}

	@Override
	public String operatorPrefix() {
		return "document~";
	}

	@Override
	public List<StoreClient> clients() {
		// Creates the operations that are not in use yet
		this.operations.forEach((one) -> {
		});
		return this.made.stream().flatMap((some) -> some.clients().stream()).toList();
	}

}
