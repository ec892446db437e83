package io.mongolock.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;

import io.mongolock.LockClock;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.client.LockTemplate;
import io.mongolock.core.HandOver;
import io.mongolock.core.LockDefaults;
import io.mongolock.health.WriteProof;
import io.mongolock.mongodb.DocumentLockFactory;
import io.mongolock.mongodb.DocumentLockOperations;
import io.mongolock.mongodb.DocumentTransactions;
import io.mongolock.mongodb.PlainSaves;

/**
 * Locks documents of the application. Where locks are switched off, too: they are part of
 * how documents are saved.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(value = MongoTemplate.class, name = "com.mongodb.client.MongoClient")
class DocumentLockConfiguration {

	/** Who is handed a lock has not seen the document. */
	private static final HandOver NEVER = new HandOver(Duration.ZERO, 0);

	@Bean
	@DependsOn("mongoLockSettingsValidator") // says which property is wrong
	DocumentLockClients mongoLockDocumentLockFactory(LockDefaults defaults, LockOwner owner, LockClock clock,
			ObjectProvider<LockListener> listeners, MongoLockProperties properties, DocumentTransactions transactions,
			ApplicationContext context) {
		// No TTL index removes what is in the documents
		LockDefaults lasting = new LockDefaults(defaults.global(), defaults.byName(), null);
		return new DocumentLockClients(
				(store) -> new LockTemplate(store, lasting, owner, clock, ofDocuments(listeners),
						properties.leakDetection(), NEVER, properties.placeTtl()),
				(template, store, locks) -> DocumentLockOperations.of(template, store, locks, locks::broken, clock,
						defaults.terms().operationTimeout(), transactions, context),
				properties);
	}

	// What documents let write proves nothing of the lock collection
	private static List<LockListener> ofDocuments(ObjectProvider<LockListener> listeners) {
		return listeners.orderedStream().filter((listener) -> !(listener instanceof WriteProof)).toList();
	}

	@Bean
	@Lazy // where it is not clear which template it is, only those fail who ask for it
	@ConditionalOnMissingBean
	DocumentLockOperations mongoLockDocumentLockOperations(ListableBeanFactory beanFactory, DocumentLockFactory factory,
			MongoLockProperties properties) {
		return factory.of(new ApplicationTemplate(beanFactory, properties.mongoTemplate()).get("DocumentLockOperations",
				"DocumentLockFactory.of(template)"));
	}

	// created with the application's templates, so it asks for nothing before it has to
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static PlainSaves mongoLockPlainSaves(ObjectProvider<DocumentLockOperations> operations,
			ObjectProvider<MongoMappingContext> contexts) {
		return new PlainSaves(operations::stream, contexts::orderedStream);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DocumentTransactions mongoLockDocumentTransactions() {
		return new DocumentTransactions();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static TransactionListenerRegistrar mongoLockDocumentTransactionRegistrar(DocumentTransactions transactions) {
		return new TransactionListenerRegistrar(transactions);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DocumentMethods mongoLockDocumentMethods(ObjectProvider<DocumentLockOperations> operations) {
		return new DocumentMethods(operations);
	}

}
