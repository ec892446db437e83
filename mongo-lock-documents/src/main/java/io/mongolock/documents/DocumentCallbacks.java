package io.mongolock.documents;

import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;

import io.mongolock.LockClock;
import io.mongolock.spi.LockEnvironment;

/**
 * Registers the callback of the application's templates and the factory of document
 * locks. For the auto-configuration alone. The callback is created together with the
 * templates, so it resolves other beans lazily.
 */
@Lazy
@Configuration(proxyBeanMethods = false)
public final class DocumentCallbacks {

	@Bean
	@Lazy(false) // checks the types of documents at the start
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static UnlockedSaveGuard mongoLockPlainSaves(ObjectProvider<DocumentLockOperations> operations,
			ObjectProvider<MongoMappingContext> contexts) {
		return new UnlockedSaveGuard(operations, contexts);
	}

	@Bean
	@DependsOn(LockEnvironment.VALIDATOR)
	static DocumentLockClients mongoLockDocumentLockFactory(LockEnvironment environment, LockClock clock,
			DocumentTransactions transactions, ApplicationContext context) {
		return new DocumentLockClients(environment, clock, transactions, context, new CopyOnWriteArrayList<>());
	}

}
