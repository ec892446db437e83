package io.mongolock.autoconfigure;

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

import io.mongolock.LockClock;
import io.mongolock.LockListener;
import io.mongolock.LockOwner;
import io.mongolock.core.LockDefaults;
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

	@Bean
	@Lazy // where it is not clear which template it is, only those fail who ask for it
	@DependsOn("mongoLockSettingsValidator") // says which property is wrong
	DocumentLockClient mongoLockDocumentLockClient(ListableBeanFactory beanFactory, LockDefaults defaults,
			LockOwner owner, LockClock clock, ObjectProvider<LockListener> listeners, MongoLockProperties properties) {
		MongoTemplate template = new ApplicationTemplate(beanFactory, properties.mongoTemplate())
			.get("DocumentLockOperations", "DocumentLockOperations.of(template, …)");
		return new DocumentLockClient(template, defaults, owner, clock, listeners.orderedStream().toList(), properties);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	DocumentLockOperations mongoLockDocumentLockOperations(DocumentLockClient client, LockClock clock,
			LockDefaults defaults, DocumentTransactions transactions, ApplicationContext context) {
		return DocumentLockOperations.of(client.template(), client.store(), client.locks(), client.locks()::broken,
				clock, defaults.terms().operationTimeout(), transactions, context);
	}

	// created with the application's templates, so it asks for nothing before it has to
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static PlainSaves mongoLockPlainSaves(ObjectProvider<DocumentLockOperations> operations) {
		return new PlainSaves(operations::getObject);
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
