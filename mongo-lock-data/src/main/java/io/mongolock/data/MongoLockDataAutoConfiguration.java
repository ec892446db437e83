package io.mongolock.data;

import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Lazy;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;

import io.mongolock.LockOperations;
import io.mongolock.data.store.SequenceStore;
import io.mongolock.spi.ApplicationTemplate;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * Auto-configuration for data of the application: guarded writes and sequences. Also
 * applies if locks are switched off, because numbers must never be given out twice. The
 * beans are lazy: without MongoDB, or if it is not clear which template to use, only
 * callers that ask for them fail. The callback is created together with the templates, so
 * it resolves other beans lazily.
 */
@Lazy
@AutoConfiguration(afterName = "io.mongolock.autoconfigure.MongoLockAutoConfiguration")
@ConditionalOnClass(value = MongoTemplate.class, name = "com.mongodb.client.MongoClient")
@ConditionalOnBean(name = LockEnvironment.VALIDATOR) // the application may exclude locks
@EnableConfigurationProperties(MongoLockDataProperties.class)
public final class MongoLockDataAutoConfiguration {

	static final String SEQUENCES = "mongoLockSequences";

	@Bean
	static SequenceExtension mongoLockSequenceExtension(ObjectProvider<MongoLockDataProperties> properties,
			ConfigurableListableBeanFactory beans) {
		return new SequenceExtension(properties, beans);
	}

	@Bean
	@Lazy(false) // checks the types of documents at the start
	static SequenceCallback mongoLockSequenceCallback(ObjectProvider<Sequences> sequences,
			ObjectProvider<MongoMappingContext> contexts) {
		return new SequenceCallback(sequences, contexts);
	}

	@Bean(SEQUENCES)
	@DependsOn(LockEnvironment.VALIDATOR)
	@ConditionalOnMissingBean
	Sequences mongoLockSequences(LockEnvironment environment, MongoLockDataProperties properties) {
		SequenceStore store = new SequenceStore(environment.template(), properties.sequenceCollection(),
				environment.keyPrefix(), environment.operationTimeout());
		return Sequences.of(store, properties.sequenceSettings());
	}

	// Declared first: locks that are off guard nothing, even if there is a store. The
	// argument 'off' makes an application fail that was processed ahead of time with
	// locks off and is now switched on
	@Bean
	@ConditionalOnBean(type = "io.mongolock.client.UnlockedLockOperations")
	@ConditionalOnMissingBean
	FencedWrites mongoLockUnguardedWrites(ListableBeanFactory beans, LockOperations off) {
		LogFactory.getLog(FencedWrites.class)
			.warn("mongo-lock.enabled=false makes FencedWrites write UNGUARDED, so no fence is checked or stored");
		return FencedWrites
			.unguarded(ApplicationTemplate.of(beans, "FencedWrites", "FencedWrites.unguarded(template)"));
	}

	@Bean
	@ConditionalOnBean(MongoLockStore.class)
	@ConditionalOnMissingBean
	FencedWrites mongoLockFencedWrites(ListableBeanFactory beans, MongoLockStore store) {
		return FencedWrites.of(ApplicationTemplate.of(beans, "FencedWrites", "FencedWrites.of(template, store)"),
				store);
	}

}
