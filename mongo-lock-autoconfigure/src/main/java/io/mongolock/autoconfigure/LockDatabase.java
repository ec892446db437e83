package io.mongolock.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.SessionSynchronization;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.convert.MappingMongoConverter;
import org.springframework.data.mongodb.core.convert.NoOpDbRefResolver;
import org.springframework.data.mongodb.core.mapping.MongoMappingContext;
import org.springframework.util.ClassUtils;

import io.mongolock.spi.LockStartupException;
import io.mongolock.store.mongo.MongoLockStore;

/**
 * Finds the application's database, and makes a template for it that joins no
 * transaction. A lock written inside a transaction would be invisible to others until the
 * commit. The template is not a bean, because Boot's template would then back off.
 */
record LockDatabase(ListableBeanFactory beanFactory, LockLifecycle lifecycle) {

	static final String PROPERTY = MongoLockProperties.PREFIX + ".mongo-template";

	MongoOperations template(@Nullable String beanName) {
		MongoDatabaseFactory factory = (beanName != null) ? named(beanName) : only();
		if (factory.getMongoDatabase() == null) {
			// Only a mock answers null
			throw new LockStartupException(
					"The MongoDatabaseFactory for distributed locks has no database. Perhaps a test has mocked the "
							+ "factory or its MongoClient.",
					"In such a test, keep the locks in memory with @AutoConfigureMongoLockTest of mongo-lock-test, or "
							+ "run without locks with mongo-lock.enabled=false.");
		}
		// Locks are not entities, so this avoids setting up the default conversions of
		// a template
		MappingMongoConverter plain = new MappingMongoConverter(NoOpDbRefResolver.INSTANCE, new MongoMappingContext());
		plain.afterPropertiesSet();
		MongoTemplate template = new MongoTemplate(factory, plain);
		template.setSessionSynchronization(SessionSynchronization.NEVER);
		this.lifecycle.endBefore(beansOfTheClient());
		return template;
	}

	// The beans of all databases, because a factory does not tell which client it uses
	private List<String> beansOfTheClient() {
		List<Class<?>> types = new ArrayList<>(MongoLockStore.clientTypes());
		types.add(MongoDatabaseFactory.class);
		List<String> names = new ArrayList<>();
		for (Class<?> type : types) {
			names.addAll(List.of(this.beanFactory.getBeanNamesForType(type, true, false)));
		}
		return names;
	}

	private MongoDatabaseFactory named(String beanName) {
		if (this.beanFactory.containsBean(beanName)) {
			Object bean = this.beanFactory.getBean(beanName);
			if (bean instanceof MongoTemplate template) {
				return template.getMongoDatabaseFactory();
			}
			if (bean instanceof MongoDatabaseFactory factory) {
				return factory;
			}
		}
		throw new InvalidConfigurationPropertyValueException(PROPERTY, beanName,
				"The value is not the name of a MongoTemplate or MongoDatabaseFactory bean. These beans exist: "
						+ candidates() + ".");
	}

	private MongoDatabaseFactory only() {
		// The application's template determines the database of its documents. Boot's
		// factory may exist, too, for another database
		MongoTemplate template = this.beanFactory.getBeanProvider(MongoTemplate.class).getIfUnique();
		MongoDatabaseFactory factory = (template != null) ? template.getMongoDatabaseFactory()
				: this.beanFactory.getBeanProvider(MongoDatabaseFactory.class).getIfUnique();
		if (factory == null) {
			throw noneOrSeveral();
		}
		return factory;
	}

	private LockStartupException noneOrSeveral() {
		String candidates = candidates();
		String[] clients = this.beanFactory.getBeanNamesForType(
				ClassUtils.resolveClassName("com.mongodb.client.MongoClient", getClass().getClassLoader()));
		if (candidates.isEmpty() && clients.length > 1) {
			return new LockStartupException(
					"Distributed locks need a MongoDatabaseFactory bean. Spring Boot creates none, because there are several "
							+ "MongoClient beans: " + String.join(", ", clients) + ".",
					"Mark one MongoClient as @Primary, or declare a MongoDatabaseFactory for the database of the locks.");
		}
		if (candidates.isEmpty()) {
			return new LockStartupException("Distributed locks need a MongoDatabaseFactory bean, and there is none.",
					"Add spring-boot-starter-data-mongodb (mongo-lock-starter brings it) and set spring.mongodb.uri. "
							+ "If you have done both, check whether MongoAutoConfiguration or "
							+ "DataMongoAutoConfiguration is excluded. To run without locks, set "
							+ "mongo-lock.enabled=false.");
		}
		return new LockStartupException(
				"Distributed locks need one MongoDB database, and there are several candidates: " + candidates + ".",
				"Mark one bean of each type as @Primary. Spring Boot's own beans need a primary bean, too. If the "
						+ "locks need a different bean, name that bean in " + PROPERTY + ".");
	}

	private String candidates() {
		return Stream.of(MongoTemplate.class, MongoDatabaseFactory.class)
			.flatMap((type) -> Arrays.stream(this.beanFactory.getBeanNamesForType(type)))
			.distinct()
			.collect(Collectors.joining(", "));
	}

}
