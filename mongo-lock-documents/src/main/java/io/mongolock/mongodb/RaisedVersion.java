package io.mongolock.mongodb;

import java.util.Objects;

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

	private final @Nullable Object before;

	private final Document finding;

	private final T raised;

	RaisedVersion(T entity, MongoPersistentEntity<?> mapping) {
		this.entity = entity;
		this.mapping = mapping;
		this.before = accessor(entity, mapping).getProperty(mapping.getRequiredVersionProperty());
		this.finding = finding(entity, mapping);
		this.raised = set(entity, (this.before instanceof Number number) ? number.longValue() + 1 : 1L);
	}

	/**
	 * The version of an entity.
	 * @param entity the entity
	 * @param mapping how it is mapped
	 * @return what finds a document that has it
	 */
	static Document finding(Object entity, MongoPersistentEntity<?> mapping) {
		return new Document(mapping.getRequiredVersionProperty().getFieldName(),
				mapping.getPropertyAccessor(entity).getProperty(mapping.getRequiredVersionProperty()));
	}

	/**
	 * Take back what Spring Data has added to the version of an entity.
	 * @param entity the entity
	 * @param mapping how it is mapped, with a version
	 */
	static void takeBack(Object entity, MongoPersistentEntity<?> mapping) {
		PersistentPropertyAccessor<Object> accessor = accessor(entity, mapping);
		Number raised = (Number) Objects.requireNonNull(accessor.getProperty(mapping.getRequiredVersionProperty()));
		accessor.setProperty(mapping.getRequiredVersionProperty(), raised.longValue() - 1);
	}

	/**
	 * What the stored document has to have.
	 * @return finds the version before
	 */
	Document before() {
		return this.finding;
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
		set(this.entity, this.before);
		set(next, this.before);
	}

	// An immutable one stays as it is, and the copy is thrown away
	private T set(T entity, @Nullable Object version) {
		PersistentPropertyAccessor<T> accessor = accessor(entity, this.mapping);
		accessor.setProperty(this.mapping.getRequiredVersionProperty(), version);
		return accessor.getBean();
	}

	private static <T> PersistentPropertyAccessor<T> accessor(T entity, MongoPersistentEntity<?> mapping) {
		return new ConvertingPropertyAccessor<>(mapping.getPropertyAccessor(entity), CONVERSIONS);
	}

}
