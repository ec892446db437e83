package io.mongolock.autoconfigure;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;

import io.mongolock.core.LockDefaults;
import io.mongolock.mongodb.SequenceCallback;
import io.mongolock.mongodb.Sequences;
import io.mongolock.store.mongo.SequenceStore;

/**
 * Gives out numbers. Where locks are switched off, too: numbers given twice are no way to
 * run without them.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(value = MongoTemplate.class, name = "com.mongodb.client.MongoClient")
class SequenceConfiguration {

	@Bean
	@Lazy // without MongoDB only those fail who ask for it
	@DependsOn("mongoLockSettingsValidator") // says which property is wrong
	@ConditionalOnMissingBean
	Sequences mongoLockSequences(ListableBeanFactory beanFactory, MongoLockProperties properties,
			LockDefaults defaults) {
		SequenceStore store = new SequenceStore(new LockDatabase(beanFactory).template(properties.mongoTemplate()),
				properties.sequenceCollection(), properties.keyPrefix(), defaults.terms().operationTimeout());
		return Sequences.of(store, properties.sequenceSettings());
	}

	// created with the application's templates, so it asks for nothing before it has to
	@Bean
	static SequenceCallback mongoLockSequenceCallback(ObjectProvider<Sequences> sequences,
			ObjectProvider<MongoMappingContext> contexts) {
		return new SequenceCallback(sequences::getObject, contexts::orderedStream);
	}

}
