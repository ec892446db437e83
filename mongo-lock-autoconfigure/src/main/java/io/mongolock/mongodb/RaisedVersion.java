package io.mongolock.mongodb;

import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionService;
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

	private final T entity;

	private final MongoPersistentEntity<?> mapping;

	private final ConversionService conversions;

	private final @Nullable Object before;

	private final T raised;

	private RaisedVersion(T entity, MongoPersistentEntity<?> mapping, ConversionService conversions) {
		this.entity = entity;
		this.mapping = mapping;
		this.conversions = conversions;
		if (mapping.hasVersionProperty()) {
			this.before = accessor(entity).getProperty(mapping.getRequiredVersionProperty());
			this.raised = set(entity, (this.before instanceof Number number) ? number.longValue() + 1 : 1L);
		}
		else {
			this.before = null;
			this.raised = entity;
		}
	}

	static <T> RaisedVersion<T> of(T entity, MongoPersistentEntity<?> mapping, ConversionService conversions) {
		return new RaisedVersion<>(entity, mapping, conversions);
	}

	/**
	 * The version that the stored document has to have.
	 * @return the version before
	 */
	@Nullable Object before() {
		return this.before;
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
		if (this.mapping.hasVersionProperty()) {
			set(this.entity, this.before);
			set(next, this.before);
		}
	}

	// An immutable one stays as it is, and the copy is thrown away
	private T set(T entity, @Nullable Object version) {
		PersistentPropertyAccessor<T> accessor = accessor(entity);
		accessor.setProperty(this.mapping.getRequiredVersionProperty(), version);
		return accessor.getBean();
	}

	private PersistentPropertyAccessor<T> accessor(T entity) {
		return new ConvertingPropertyAccessor<>(this.mapping.getPropertyAccessor(entity), this.conversions);
	}

}
