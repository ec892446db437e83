package io.mongolock.mongodb;

import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.data.mapping.PersistentPropertyAccessor;
import org.springframework.data.mapping.model.ConvertingPropertyAccessor;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;

/**
 * The version of an entity that is about to be saved. Where the class is mutable it is
 * raised in the caller's own object, so it has to be taken back if nothing is written:
 * that object would else match what another has saved meanwhile. Owned by one save.
 *
 * @param <T> the type of the entity
 */
final class RaisedVersion<T> {

	/** From one kind of number to another. */
	private static final ConversionService CONVERSIONS = new DefaultConversionService();

	private final T entity;

	private final MongoPersistentEntity<?> mapping;

	private final @Nullable Number before;

	private final T raised;

	RaisedVersion(T entity, MongoPersistentEntity<?> mapping) {
		this.entity = entity;
		this.mapping = mapping;
		this.before = of(entity, mapping);
		this.raised = set(entity, mapping, (this.before != null) ? this.before.longValue() + 1 : 1L);
	}

	/**
	 * The version of an entity.
	 * @param entity the entity
	 * @param mapping how it is mapped, with a version
	 * @return its number
	 */
	static @Nullable Number of(Object entity, MongoPersistentEntity<?> mapping) {
		Object version = mapping.getPropertyAccessor(entity).getProperty(mapping.getRequiredVersionProperty());
		return (version instanceof Number number) ? number : null;
	}

	/**
	 * Give an entity a version.
	 * @param <T> its type
	 * @param entity the entity
	 * @param mapping how it is mapped, with a version
	 * @param version the version
	 * @return the caller's own object, or a copy of an immutable one
	 */
	static <T> T set(T entity, MongoPersistentEntity<?> mapping, @Nullable Object version) {
		PersistentPropertyAccessor<T> accessor = new ConvertingPropertyAccessor<>(mapping.getPropertyAccessor(entity),
				CONVERSIONS);
		accessor.setProperty(mapping.getRequiredVersionProperty(), version);
		return accessor.getBean();
	}

	/**
	 * What the stored document has to have.
	 * @return finds the version before
	 */
	Document before() {
		return new Document(this.mapping.getRequiredVersionProperty().getFieldName(), this.before);
	}

	/**
	 * The entity with its next version.
	 * @return the caller's own object, where that can be changed
	 */
	T raised() {
		return this.raised;
	}

	/**
	 * Nothing was written.
	 * @param next what callbacks have made of the raised one, which the caller may have
	 * got back
	 */
	void takeBack(T next) {
		set(this.entity, this.mapping, this.before);
		set(next, this.mapping, this.before);
	}

}
