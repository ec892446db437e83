package io.mongolock.mongodb.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Lazy;

import io.mongolock.mongodb.Sequences;
import io.mongolock.mongodb.store.SequenceStore;
import io.mongolock.spi.LockEnvironment;

/**
 * Gives out numbers. Where locks are switched off, too: numbers given twice are no way to
 * run without them.
 */
@Configuration(proxyBeanMethods = false)
class SequenceConfiguration {

	static final String BEAN_NAME = "mongoLockSequences";

	@Bean(BEAN_NAME)
	@Lazy // without MongoDB only those fail who ask for it
	@DependsOn(LockEnvironment.VALIDATOR)
	@ConditionalOnMissingBean
	Sequences mongoLockSequences(LockEnvironment environment, MongoLockDocumentsProperties properties) {
		SequenceStore store = new SequenceStore(environment.template(), properties.sequenceCollection(),
				environment.keyPrefix(), environment.operationTimeout());
		return Sequences.of(store, properties.sequenceSettings());
	}

}
