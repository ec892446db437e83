package io.mongolock.documents.autoconfigure;

import java.util.List;
import java.util.Set;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.autoconfigure.MongoLockDocumentsProperties.Optimistic;
import io.mongolock.documents.store.DocumentLockStore;
import io.mongolock.spi.LockExtension;
import io.mongolock.spi.StoreClient;
import io.mongolock.spi.StoreClients;

/**
 * The addition of the application's documents to its locks.
 *
 * @param properties the settings, bound when something needs them
 * @param made the clients whose stores the documents are
 * @param operations lock documents
 * @param beans know whether anybody has asked for numbers
 */
record DocumentLockExtension(ObjectProvider<MongoLockDocumentsProperties> properties, ObjectProvider<StoreClients> made,
		ObjectProvider<DocumentLockOperations> operations,
		ConfigurableListableBeanFactory beans) implements LockExtension {

	@Override
	public List<Class<? extends Record>> settings() {
		return List.of(MongoLockDocumentsProperties.class);
	}

	@Override
	public void check(SettingChecks checks) {
		MongoLockDocumentsProperties properties = this.properties.getObject();
		checkSequences(checks, properties);
		checkOptimistic(checks, properties.optimistic());
		String field = properties.documentLocks().field();
		try {
			// the store is created when somebody locks a document
			DocumentLockStore.checkField(field);
		}
		catch (IllegalArgumentException ex) {
			throw checks.invalid("document-locks.field", field, String.valueOf(ex.getMessage()));
		}
	}

	private static void checkSequences(SettingChecks checks, MongoLockDocumentsProperties properties) {
		String collection = properties.sequenceCollection();
		checks.collection("sequence-collection", collection);
		if (collection.equals(checks.lockCollection())) {
			throw checks.invalid("sequence-collection", collection,
					"is the collection of the locks, in which a lock and a sequence of the same name would share a document");
		}
		properties.sequences().forEach((name, sequence) -> {
			checks.positive("sequences." + name + ".block", sequence.block());
			checks.positive("sequences." + name + ".start", sequence.start());
		});
	}

	private static void checkOptimistic(SettingChecks checks, Optimistic settings) {
		checks.positive("optimistic.max-attempts", settings.maxAttempts());
		checks.duration("optimistic.delay", settings.delay());
		checks.duration("optimistic.max-delay", settings.maxDelay());
		if (!(settings.multiplier() >= 1)) { // nor is it a number
			throw checks.invalid("optimistic.multiplier", settings.multiplier(), "must be at least 1");
		}
		if (settings.maxDelay().compareTo(settings.delay()) < 0) {
			throw checks.invalid("optimistic.max-delay", settings.maxDelay(),
					"is shorter than the first delay, " + checks.text(settings.delay()));
		}
	}

	@Override
	public Set<String> collections() {
		// An application may have sequences of its own
		boolean used = this.beans.containsBeanDefinition(MongoLockDocumentsAutoConfiguration.SEQUENCES)
				&& this.beans.containsSingleton(MongoLockDocumentsAutoConfiguration.SEQUENCES);
		return (used) ? Set.of(this.properties.getObject().sequenceCollection()) : Set.of();
	}

	@Override
	public String operatorPrefix() {
		return "document~";
	}

	@Override
	public List<StoreClient> clients() {
		// Those that nobody has asked for yet are made now
		this.operations.forEach((one) -> {
		});
		return this.made.stream().flatMap((some) -> some.clients().stream()).toList();
	}

}
