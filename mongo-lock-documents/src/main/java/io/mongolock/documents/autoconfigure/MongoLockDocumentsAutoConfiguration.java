package io.mongolock.documents.autoconfigure;

import java.util.Arrays;

import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
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
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.LockOperations;
import io.mongolock.documents.DocumentCallbacks;
import io.mongolock.documents.DocumentLockFactory;
import io.mongolock.documents.DocumentLockOperations;
import io.mongolock.documents.DocumentTransactions;
import io.mongolock.documents.FencedWrites;
import io.mongolock.documents.OptimisticUpdater;
import io.mongolock.documents.Sequences;
import io.mongolock.documents.store.SequenceStore;
import io.mongolock.spi.DocumentLocking;
import io.mongolock.spi.LockEnvironment;
import io.mongolock.spi.LockStartupException;
import io.mongolock.spi.StoreClients;
import io.mongolock.spi.TransactionListenerRegistrar;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * Auto-configuration for documents of the application: their locks, guarded writes,
 * optimistic updates and sequences. Where locks are switched off, too: document locks are
 * part of how documents are saved, and numbers given twice are no way to run without
 * locks. One class for all, because each costs a start more than its beans, which are
 * lazy: without MongoDB, or where it is not clear which template it is, only those fail
 * who ask for them.
 */
@AutoConfiguration(afterName = "io.mongolock.autoconfigure.MongoLockAutoConfiguration")
@ConditionalOnClass(value = MongoTemplate.class, name = "com.mongodb.client.MongoClient")
@ConditionalOnBean(LockEnvironment.class) // an application may leave out all of the locks
@EnableConfigurationProperties(MongoLockDocumentsProperties.class)
@Import(DocumentCallbacks.class)
public final class MongoLockDocumentsAutoConfiguration {

	static final String SEQUENCES = "mongoLockSequences";

	@Bean
	DocumentLockExtension mongoLockDocumentLockExtension(ObjectProvider<MongoLockDocumentsProperties> properties,
			ObjectProvider<StoreClients> clients, ObjectProvider<DocumentLockOperations> operations,
			ConfigurableListableBeanFactory beans) {
		return new DocumentLockExtension(properties, clients, operations, beans);
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	DocumentLockOperations mongoLockDocumentLockOperations(ListableBeanFactory beans, DocumentLockFactory factory) {
		return factory.of(template(beans, "DocumentLockOperations", "DocumentLockFactory.of(template)"));
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
	@Lazy
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(DocumentLocking.class)
	static DocumentMethods mongoLockDocumentMethods(ObjectProvider<DocumentLockOperations> operations) {
		return new DocumentMethods(operations);
	}

	@Bean
	@Lazy
	@DependsOn(LockEnvironment.VALIDATOR)
	@ConditionalOnMissingBean
	OptimisticUpdater mongoLockOptimisticUpdater(ListableBeanFactory beans, MongoLockDocumentsProperties properties,
			ApplicationContext context) {
		MongoTemplate template = template(beans, "OptimisticUpdater",
				"OptimisticUpdater.of(template, backOff, context)");
		return OptimisticUpdater.of(template, properties.optimistic().backOff(), context);
	}

	@Bean(SEQUENCES)
	@Lazy
	@DependsOn(LockEnvironment.VALIDATOR)
	@ConditionalOnMissingBean
	Sequences mongoLockSequences(LockEnvironment environment, MongoLockDocumentsProperties properties) {
		SequenceStore store = new SequenceStore(environment.template(), properties.sequenceCollection(),
				environment.keyPrefix(), environment.operationTimeout());
		return Sequences.of(store, properties.sequenceSettings());
	}

	// First: locks that are off guard nothing, whatever stores there are. The argument
	// fails where an application that was processed ahead of time is switched on
	@Bean
	@Lazy
	@ConditionalOnBean(type = "io.mongolock.client.UnlockedLockOperations")
	@ConditionalOnMissingBean
	FencedWrites mongoLockUnguardedWrites(ListableBeanFactory beans, LockOperations off) {
		LogFactory.getLog(FencedWrites.class)
			.warn("mongo-lock.enabled=false: FencedWrites writes UNGUARDED; no fence is checked or noted");
		return FencedWrites.unguarded(template(beans, "FencedWrites", "FencedWrites.unguarded(template)"));
	}

	@Bean
	@Lazy
	@ConditionalOnBean(MongoLockStore.class)
	@ConditionalOnMissingBean
	FencedWrites mongoLockFencedWrites(ListableBeanFactory beans, MongoLockStore store) {
		return FencedWrites.of(template(beans, "FencedWrites", "FencedWrites.of(template, store)"), store);
	}

	// That the application writes its own documents with, which joins its transactions
	private static MongoTemplate template(ListableBeanFactory beans, String who, String factory) {
		if (beans.getBeanProvider(MongoOperations.class).getIfUnique() instanceof MongoTemplate only) {
			return only;
		}
		throw new LockStartupException(
				who + " needs the MongoTemplate of the application's own documents, and found these beans: "
						+ Arrays.toString(beans.getBeanNamesForType(MongoOperations.class)) + ".",
				"Declare one, or mark one of several as @Primary. To use several, declare a bean for each with "
						+ factory + ".");
	}

}
