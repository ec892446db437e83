package io.mongolock.mongodb.autoconfigure;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;

import io.mongolock.LockClock;
import io.mongolock.mongodb.DocumentLockFactory;
import io.mongolock.mongodb.DocumentLockOperations;
import io.mongolock.mongodb.DocumentTransactions;
import io.mongolock.spi.DocumentLocking;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.spi.TransactionListenerRegistrar;

/**
 * Locks documents of the application. Where locks are switched off, too: they are part of
 * how documents are saved.
 */
@Configuration(proxyBeanMethods = false)
class DocumentLockConfiguration {

	@Bean
	@Lazy
	@DependsOn(LockEnvironment.VALIDATOR)
	DocumentLockClients mongoLockDocumentLockFactory(LockEnvironment environment,
			MongoLockDocumentsProperties properties, LockClock clock, DocumentTransactions transactions,
			ApplicationContext context) {
		return new DocumentLockClients(environment, properties.documentLocks().field(), clock, transactions, context);
	}

	@Bean
	@Lazy // where it is not clear which template it is, only those fail who ask for it
	@ConditionalOnMissingBean
	DocumentLockOperations mongoLockDocumentLockOperations(ListableBeanFactory beanFactory, DocumentLockFactory factory,
			LockEnvironment environment) {
		return factory.of(new ApplicationTemplate(beanFactory, environment).get("DocumentLockOperations",
				"DocumentLockFactory.of(template)"));
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
	@ConditionalOnMissingBean(DocumentLocking.class)
	static DocumentMethods mongoLockDocumentMethods(ObjectProvider<DocumentLockOperations> operations) {
		return new DocumentMethods(operations);
	}

}
