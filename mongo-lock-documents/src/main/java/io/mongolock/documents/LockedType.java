package io.mongolock.documents;

import java.util.Objects;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;
import org.springframework.data.mapping.context.MappingContext;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.convert.MongoConverter;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;
import org.springframework.data.mongodb.core.mapping.MongoPersistentProperty;
import org.springframework.util.Assert;

import io.mongolock.documents.EntityWriter.Loaded;
import io.mongolock.documents.store.DocumentKey;
import io.mongolock.store.KeyText;

/**
 * The way in which documents of a type are stored, as the application's template has it.
 * Immutable.
 *
 * @param <T> the type
 */
final class LockedType<T> {

	private final EntityWriter writer;

	private final Class<T> type;

	private final MongoPersistentEntity<?> mapping;

	LockedType(EntityWriter writer, Class<T> type) {
		this.writer = writer;
		this.type = type;
		this.mapping = check(writer.template().getConverter().getMappingContext(), type, writer.field());
	}

	/**
	 * Refuse a type whose documents cannot be locked.
	 * @param mappings how types are mapped
	 * @param type the type
	 * @param field the field of the lock
	 * @return how the type is mapped
	 * @throws IllegalArgumentException if it has no id or version, or writes a property
	 * of its own into that field
	 */
	static MongoPersistentEntity<?> check(
			MappingContext<? extends MongoPersistentEntity<?>, MongoPersistentProperty> mappings, Class<?> type,
			String field) {
		MongoPersistentEntity<?> mapping = mappings.getRequiredPersistentEntity(type);
		if (!mapping.hasIdProperty()) {
			throw new IllegalArgumentException(
					type.getName() + " has no id to lock it by: give it one, for example '@Id String id'");
		}
		requireVersion(mapping);
		checkProperties(mappings, mapping, field);
		return mapping;
	}

	private static void requireVersion(MongoPersistentEntity<?> mapping) {
		if (!mapping.hasVersionProperty()) {
			throw new IllegalArgumentException(mapping.getType().getName()
					+ " cannot be locked, because without a version a save would overwrite other writes: add a "
					+ "field like '@Version Long version', with @Version of org.springframework.data.annotation");
		}
	}

	private static void checkProperties(
			MappingContext<? extends MongoPersistentEntity<?>, MongoPersistentProperty> mappings,
			MongoPersistentEntity<?> mapping, String field) {
		for (MongoPersistentProperty property : mapping) {
			if (property.isUnwrapped()) {
				checkProperties(mappings, mappings.getRequiredPersistentEntity(property), field);
			}
			else if (property.isWritable() && property.getFieldName().equals(field)) {
				throw new IllegalArgumentException(mapping.getType().getName() + "." + property.getName()
						+ " is stored in the field '" + field + "', which holds the lock, so the property would not be "
						+ "saved. Give the property another field, with @Field, or the lock another one, with "
						+ "mongo-lock.document-locks.field. To read the lock, make the property a @ReadOnlyProperty");
			}
		}
	}

	EntityWriter writer() {
		return this.writer;
	}

	String collection() {
		return this.writer.collection();
	}

	MongoTemplate template() {
		return this.writer.template();
	}

	/**
	 * The field that keeps the version.
	 * @return its name
	 */
	String versionField() {
		return this.mapping.getRequiredVersionProperty().getFieldName();
	}

	/**
	 * Whether a save raises the version in the object that it is given.
	 * @return {@code false} if it makes another
	 */
	boolean isMutable() {
		return !this.mapping.getRequiredVersionProperty().isImmutable();
	}

	/**
	 * The key of the lock of a document.
	 * @param id the id as the application has it
	 * @return the key
	 */
	DocumentKey key(Object id) {
		Assert.notNull(id, () -> "The id of the " + this.type.getSimpleName() + " to lock is null");
		return new DocumentKey(collection(), this.writer.storedId(this.mapping.getRequiredIdProperty(), id));
	}

	/**
	 * Whether a document belongs to a key.
	 * @param key the key
	 * @param id the id of the document
	 * @param collection where
	 * @return whether it is
	 */
	boolean is(String key, Object id, String collection) {
		return collection.equals(collection()) && key(id).toString().equals(key);
	}

	/**
	 * The id of a document as the application has it.
	 * @param stored the id as it is stored
	 * @return the id, as it is stored if the type has no such ids
	 */
	Object id(BsonValue stored) {
		Class<?> type = this.mapping.getRequiredIdProperty().getType();
		Object id = Objects.requireNonNull(this.writer.decode(new BsonDocument("_id", stored)).get("_id"));
		try {
			if (id instanceof Document composite) {
				return converter().read(type, composite);
			}
			return (type.isInstance(id)) ? id
					: Objects.requireNonNull(converter().getConversionService().convert(id, type));
		}
		catch (RuntimeException ex) {
			// It was not written as this type; who edits it is still to be seen
			return id;
		}
	}

	/**
	 * How a document is called in messages.
	 * @param key its key
	 * @return for example {@code Post 'p1'}
	 */
	String describe(String key) {
		return this.type.getSimpleName() + " '" + KeyText.printable(key) + "'";
	}

	/**
	 * The version of a document.
	 * @param stored the document
	 * @return its number
	 */
	long version(BsonDocument stored) {
		return this.writer.version(this.type, stored);
	}

	/**
	 * A document as the application has it.
	 * @param stored the document
	 * @return its entity, and the document
	 */
	Loaded<T> read(BsonDocument stored) {
		return this.writer.read(this.type, stored);
	}

	/**
	 * The version of an entity that is to be saved.
	 * @param entity the entity
	 * @param key the key of the document that it must be
	 * @return its number, zero if it has none
	 * @throws IllegalArgumentException if it is another document
	 */
	long version(T entity, String key) {
		MongoPersistentEntity<?> mapping = check(converter().getMappingContext(), entity.getClass(),
				this.writer.field());
		Object id = mapping.getIdentifierAccessor(entity).getIdentifier();
		String own = (id != null) ? key(id).toString() : "none";
		if (!own.equals(key)) {
			throw new IllegalArgumentException("The entity to save is " + describe(own) + ", but the locked one is "
					+ describe(key) + ": save the locked document's entity, or one with the same id");
		}
		Number version = Versions.of(entity, mapping);
		return (version != null) ? version.longValue() : 0;
	}

	/**
	 * Whether another is of the same database.
	 * @param other the other
	 * @return whether one factory has opened both
	 */
	boolean isBeside(LockedType<?> other) {
		return template().getMongoDatabaseFactory() == other.template().getMongoDatabaseFactory();
	}

	/**
	 * Run a deletion between the events that the template publishes for one.
	 * @param key the key of the document
	 * @param deletion deletes it
	 */
	void delete(String key, Runnable deletion) {
		Document id = this.writer.decode(new BsonDocument("_id", DocumentKey.parse(key).id()));
		this.writer.lifecycle().deleting(id, this.type, collection());
		deletion.run();
		this.writer.lifecycle().deleted(id, this.type, collection());
	}

	private MongoConverter converter() {
		return template().getConverter();
	}

}
