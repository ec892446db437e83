package io.mongolock.store.mongo;

import java.util.Optional;
import java.util.stream.Collectors;

import com.mongodb.ClientSessionOptions;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoDatabase;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.InfrastructureProxy;
import org.springframework.dao.support.PersistenceExceptionTranslator;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.MongoDatabaseUtils;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.Assert;

/**
 * The MongoDB transaction of this thread. Spring Data exposes the session only to the
 * factory that started the transaction, so this class asks through that factory. Owned by
 * one call.
 */
public final class CurrentTransaction implements MongoDatabaseFactory, InfrastructureProxy {

	private final MongoDatabaseFactory factory;

	private @Nullable ClientSession session;

	private CurrentTransaction(MongoDatabaseFactory factory) {
		this.factory = factory;
	}

	/**
	 * The template that writes the application's own documents.
	 * @param template the application's template
	 * @return the same template
	 * @throws IllegalArgumentException if it is no {@link MongoTemplate}, and so has no
	 * factory
	 */
	public static MongoTemplate template(MongoOperations template) {
		Assert.isInstanceOf(MongoTemplate.class, template,
				"The template must be a MongoTemplate, because transactions belong to its MongoDatabaseFactory");
		return (MongoTemplate) template;
	}

	/**
	 * The session of the transaction that a template's statements take part in.
	 * @param template the template
	 * @return the session, if there is such a transaction and the template joins
	 * transactions
	 */
	public static Optional<ClientSession> session(MongoTemplate template) {
		// In a transaction Spring Data hands out a proxy that adds the session. A
		// template that joins transactions of any kind joins by this very call
		return (AopUtils.isAopProxy(template.getDb())) ? session(template.getMongoDatabaseFactory()) : Optional.empty();
	}

	/**
	 * Whether a transaction of this thread reads from a snapshot that was taken before
	 * now. MongoDB takes the snapshot with the first statement, whose answer the session
	 * remembers.
	 * @return {@code false} also if there is no transaction, or none of MongoDB
	 */
	public static boolean hasSnapshot() {
		return TransactionSynchronizationManager.getResourceMap()
			.keySet()
			.stream()
			.filter(MongoDatabaseFactory.class::isInstance)
			.anyMatch((factory) -> session((MongoDatabaseFactory) factory)
				.filter((session) -> session.getOperationTime() != null)
				.isPresent());
	}

	private static Optional<ClientSession> session(MongoDatabaseFactory factory) {
		CurrentTransaction current = new CurrentTransaction(factory);
		if (!MongoDatabaseUtils.isTransactionActive(current)) {
			return Optional.empty();
		}
		MongoDatabaseUtils.getDatabase(current);
		return Optional.ofNullable(current.session);
	}

	/**
	 * Says why this thread has no transaction of MongoDB.
	 * @return the end of a sentence
	 */
	public static String describe() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			return "there is no transaction on this thread";
		}
		String resources = TransactionSynchronizationManager.getResourceMap()
			.entrySet()
			.stream()
			// This library binds its own synchronizations, with their subject as the key
			.filter((resource) -> !(resource.getValue() instanceof TransactionSynchronization))
			.map((resource) -> resource.getKey().getClass().getSimpleName())
			.sorted()
			.collect(Collectors.joining(", "));
		String owners = (resources.isEmpty()) ? "no resource" : resources;
		return "the transaction on this thread (of " + owners
				+ ") is not a MongoDB transaction. Use a MongoTransactionManager with the template's "
				+ "MongoDatabaseFactory";
	}

	@Override
	public Object getWrappedObject() {
		return this.factory;
	}

	@Override
	public MongoDatabaseFactory withSession(ClientSession session) {
		this.session = session;
		return this.factory.withSession(session);
	}

	@Override
	public MongoDatabase getMongoDatabase() {
		return this.factory.getMongoDatabase();
	}

	@Override
	public MongoDatabase getMongoDatabase(String name) {
		return this.factory.getMongoDatabase(name);
	}

	@Override
	public PersistenceExceptionTranslator getExceptionTranslator() {
		return this.factory.getExceptionTranslator();
	}

	@Override
	public ClientSession getSession(ClientSessionOptions options) {
		return this.factory.getSession(options);
	}

}
