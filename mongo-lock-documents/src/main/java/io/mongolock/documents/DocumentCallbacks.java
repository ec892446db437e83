package io.mongolock.documents;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;

/**
 * Has the application's templates call back. For the auto-configuration alone: its beans
 * are created with those templates, so they ask for nothing before they have to.
 */
@Configuration(proxyBeanMethods = false)
public final class DocumentCallbacks {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static UnlockedSaveGuard mongoLockPlainSaves(ObjectProvider<DocumentLockOperations> operations,
			ObjectProvider<MongoMappingContext> contexts) {
		return new UnlockedSaveGuard(operations::stream, contexts::orderedStream);
	}

	@Bean
	static SequenceCallback mongoLockSequenceCallback(ObjectProvider<Sequences> sequences,
			ObjectProvider<MongoMappingContext> contexts) {
		return new SequenceCallback(sequences::getObject, contexts::orderedStream);
	}

}
