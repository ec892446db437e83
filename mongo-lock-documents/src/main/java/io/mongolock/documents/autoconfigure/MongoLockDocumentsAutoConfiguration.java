package io.mongolock.documents.autoconfigure;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.documents.DocumentCallbacks;
import io.mongolock.documents.DocumentLockFactory;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.DocumentTransactions;
import io.mongolock.documents.OptimisticUpdater;
import io.mongolock.spi.ApplicationTemplate;
import io.mongolock.spi.DocumentLocking;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.spi.StoreClients;

/**
 * Auto-configuration for documents of the application: their locks and optimistic
 * updates. Also applies if locks are switched off, because document locks are part of how
 * documents are saved. One class for all beans, because each class slows a start down
 * more than its beans do. All beans are lazy: without MongoDB, or if it is not clear
 * which template to use, only callers that ask for them fail.
 */
@Lazy
@AutoConfiguration(afterName = "io.mongolock.autoconfigure.MongoLockAutoConfiguration")
@ConditionalOnClass(value = MongoTemplate.class, name = "com.mongodb.client.MongoClient")
@ConditionalOnBean(name = LockEnvironment.VALIDATOR) // the application may exclude locks
@EnableConfigurationProperties(MongoLockDocumentsProperties.class)
@Import(DocumentCallbacks.class)
public final class MongoLockDocumentsAutoConfiguration {

	@Bean
	static DocumentLockExtension mongoLockDocumentLockExtension(ObjectProvider<MongoLockDocumentsProperties> properties,
			ObjectProvider<StoreClients> clients, ObjectProvider<DocumentLockOperations> operations) {
		return new DocumentLockExtension(properties, clients, operations);
	}

	@Bean
	@ConditionalOnMissingBean
	DocumentLockOperations mongoLockDocumentLockOperations(ListableBeanFactory beans, DocumentLockFactory factory) {
		return factory.of(ApplicationTemplate.of(beans, "DocumentLockOperations", "DocumentLockFactory.of(template)"));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static DocumentTransactions mongoLockDocumentTransactions() {
		return new DocumentTransactions();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(DocumentLocking.class)
	static DocumentMethods mongoLockDocumentMethods(ObjectProvider<DocumentLockOperations> operations) {
		return new DocumentMethods(operations);
	}

	@Bean
	@DependsOn(LockEnvironment.VALIDATOR)
	@ConditionalOnMissingBean
	OptimisticUpdater mongoLockOptimisticUpdater(ListableBeanFactory beans, MongoLockDocumentsProperties properties,
			ApplicationContext context) {
		MongoTemplate template = ApplicationTemplate.of(beans, "OptimisticUpdater",
				"OptimisticUpdater.of(template, backOff, context)");
		return OptimisticUpdater.of(template, properties.optimistic().backOff(), context);
	}

}
