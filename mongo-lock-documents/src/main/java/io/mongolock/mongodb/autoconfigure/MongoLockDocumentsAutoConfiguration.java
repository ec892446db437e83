package io.mongolock.mongodb.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.mongodb.DocumentCallbacks;
import io.mongolock.mongodb.DocumentLockOperations;
import io.mongolock.spi.LockEnvironment;

/**
 * Auto-configuration for documents of the application: their locks, guarded writes,
 * optimistic updates and sequences.
 */
@AutoConfiguration(afterName = "io.mongolock.autoconfigure.MongoLockAutoConfiguration")
@ConditionalOnClass(value = MongoTemplate.class, name = "com.mongodb.client.MongoClient")
@ConditionalOnBean(LockEnvironment.class) // an application may leave out all of the locks
@EnableConfigurationProperties(MongoLockDocumentsProperties.class)
@Import({ FencedWritesConfiguration.class, SequenceConfiguration.class, OptimisticConfiguration.class,
		DocumentLockConfiguration.class, DocumentCallbacks.class })
public final class MongoLockDocumentsAutoConfiguration {

	@Bean
	DocumentLockExtension mongoLockDocumentLockExtension(ObjectProvider<MongoLockDocumentsProperties> properties,
			ObjectProvider<DocumentLockClients> factory, ObjectProvider<DocumentLockOperations> operations,
			ConfigurableListableBeanFactory beans) {
		return new DocumentLockExtension(properties, factory, operations, beans);
	}

}
