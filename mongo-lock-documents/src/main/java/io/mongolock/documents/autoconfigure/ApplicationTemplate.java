package io.mongolock.documents.autoconfigure;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.data.mongodb.core.MongoTemplate;

import io.mongolock.spi.LockEnvironment;
import io.mongolock.spi.LockStartupException;

/**
 * Finds the template that the application writes its own documents with, which joins its
 * transactions.
 */
class ApplicationTemplate {

	private final ListableBeanFactory beanFactory;

	private final @Nullable String named;

	ApplicationTemplate(ListableBeanFactory beanFactory, LockEnvironment environment) {
		this.beanFactory = beanFactory;
		this.named = environment.templateName();
	}

	/**
	 * The only template, or the primary one; otherwise the one of the locks' database.
	 * @return the template, if it is clear which one it is
	 */
	private Optional<MongoTemplate> find() {
		if (this.beanFactory.getBeanProvider(MongoOperations.class).getIfUnique() instanceof MongoTemplate only) {
			return Optional.of(only);
		}
		if (this.named != null) {
			return ofBean(this.beanFactory.getBean(this.named));
		}
		return Optional.ofNullable(this.beanFactory.getBeanProvider(MongoDatabaseFactory.class).getIfUnique())
			.flatMap(this::ofFactory);
	}

	/**
	 * The template, for a bean that needs it.
	 * @param factory what makes one for any template, for a message
	 */
	MongoTemplate get(String who, String factory) {
		return find().orElseThrow(() -> new LockStartupException(
				who + " needs the MongoTemplate that the application's own documents are written with, and there "
						+ "are several candidates: "
						+ String.join(", ", this.beanFactory.getBeanNamesForType(MongoOperations.class)) + ".",
				"Mark one of them as @Primary, or name it in mongo-lock.mongo-template; for each of several, declare a bean with "
						+ factory + "."));
	}

	private Optional<MongoTemplate> ofBean(Object bean) {
		return (bean instanceof MongoTemplate template) ? Optional.of(template)
				: (bean instanceof MongoDatabaseFactory factory) ? ofFactory(factory) : Optional.empty();
	}

	private Optional<MongoTemplate> ofFactory(MongoDatabaseFactory factory) {
		List<MongoTemplate> templates = this.beanFactory.getBeanProvider(MongoTemplate.class)
			.stream()
			.filter((template) -> template.getMongoDatabaseFactory() == factory)
			.toList();
		return switch (templates.size()) {
			case 0 -> Optional.of(new MongoTemplate(factory));
			case 1 -> Optional.of(templates.get(0));
			default -> Optional.empty();
		};
	}

}
