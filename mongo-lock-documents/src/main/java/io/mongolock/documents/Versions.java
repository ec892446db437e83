package io.mongolock.documents;

import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.data.mapping.PersistentPropertyAccessor;
import org.springframework.data.mapping.model.ConvertingPropertyAccessor;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;

/**
 * Reads and sets versions of entities. If the class is mutable, a save raises the version
 * in the caller's own object. The version must be taken back if nothing is written:
 * otherwise the object would match what another has saved meanwhile.
 */
final class Versions {

	/** Converts one kind of number into another. */
	private static final ConversionService CONVERSIONS = new DefaultConversionService();

	private Versions() {
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

}
