package io.mongolock.documents;

import java.util.Objects;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.convert.MongoConverter;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;
import org.springframework.data.mongodb.core.mapping.MongoPersistentProperty;
import org.springframework.util.Assert;

import io.mongolock.documents.EntityWriter.Loaded;
import io.mongolock.documents.store.DocumentKey;
import io.mongolock.store.KeyText;

/**
 * Knows how the application's template stores documents of a type. Immutable.
 *
 * @param <T> the type
 * @param writer turns entities into documents to write
 * @param type the type
 */
record LockedType<T>(EntityWriter writer, Class<T> type) {

	/**
	 * Create for a type.
	 * @throws IllegalArgumentException if its documents cannot be locked
	 */
	LockedType {
		check(writer, type);
	}

	private static MongoPersistentEntity<?> check(EntityWriter writer, Class<?> type) {
		MongoPersistentEntity<?> mapping = writer.versioned(type);
		writer.property(mapping, writer.field()).ifPresent((property) -> {
			throw new IllegalArgumentException(property.getOwner().getType().getName() + "." + property.getName()
					+ " is stored in the field '" + writer.field()
					+ "', which holds the lock, so the property would not be saved. Give the property another field "
					+ "with @Field, or give the lock another field with mongo-lock.document-locks.field. If the "
					+ "property is only there to read the lock, make it a @ReadOnlyProperty");
		});
		return mapping;
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
		return mapping().getRequiredVersionProperty().getFieldName();
	}

	/**
	 * Whether a save raises the version in the object that it is given.
	 * @return {@code false} if it makes a new object
	 */
	boolean isMutable() {
		return !mapping().getRequiredVersionProperty().isImmutable();
	}

	/**
	 * The key of the lock of a document.
	 * @param id the id as the application has it
	 * @return the key
	 */
	DocumentKey key(Object id) {
		Assert.notNull(id, () -> "The id of the " + this.type.getSimpleName() + " to lock is null");
		return new DocumentKey(collection(), this.writer.storedId(this.type, id));
	}

	/**
	 * Whether a document belongs to a key.
	 * @param key the key
	 * @param id the id of the document
	 * @param collection the collection of the document
	 * @return whether it does
	 */
	boolean is(String key, Object id, String collection) {
		return collection.equals(collection()) && key(id).toString().equals(key);
	}

	/**
	 * The id of a document as the application has it.
	 * @param stored the id as it is stored
	 * @return the id; as it is stored if it does not fit the type's id
	 */
	Object id(BsonValue stored) {
		MongoPersistentProperty property = mapping().getRequiredIdProperty();
		MongoConverter converter = template().getConverter();
		Object id = this.writer.decode(new BsonDocument("_id", stored)).get("_id");
		try {
			return Objects.requireNonNull((id instanceof Document composite && property.isEntity())
					? converter.read(property.getType(), composite) : converter.convertId(id, property.getType()));
		}
		catch (RuntimeException ex) {
			// An id of another shape must not hide the other documents of a list
			return Objects.requireNonNull(id);
		}
	}

	/**
	 * The name of a document in messages.
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
	 * Read a document as the application has it.
	 * @param stored the document
	 * @return its entity, and the document
	 */
	Loaded<T> read(BsonDocument stored) {
		return this.writer.read(this.type, stored);
	}

	/**
	 * The version of an entity to save.
	 * @param entity the entity
	 * @param key the key of the locked document
	 * @return its number, zero if it has none
	 * @throws IllegalArgumentException if the entity is another document
	 */
	long version(T entity, String key) {
		MongoPersistentEntity<?> mapping = check(this.writer, entity.getClass());
		Object id = mapping.getIdentifierAccessor(entity).getIdentifier();
		String own = (id != null) ? key(id).toString() : "none";
		if (!own.equals(key)) {
			throw new IllegalArgumentException(
					"The entity to save is " + describe(own) + ", but the locked document is " + describe(key)
							+ ". Save an entity that has the locked document's id");
		}
		Number version = Versions.of(entity, mapping);
		return (version != null) ? version.longValue() : 0;
	}

	/**
	 * Whether another type is in the same database.
	 * @param other the other type
	 * @return whether both have the same database factory
	 */
	boolean isBeside(LockedType<?> other) {
		return template().getMongoDatabaseFactory() == other.template().getMongoDatabaseFactory();
	}

	/**
	 * Run a deletion between the two events that the template publishes for a deletion.
	 * @param key the key of the document
	 * @param deletion deletes it
	 */
	void delete(String key, Runnable deletion) {
		Document id = this.writer.decode(new BsonDocument("_id", DocumentKey.parse(key).id()));
		this.writer.lifecycle().deleting(id, this.type, collection());
		deletion.run();
		this.writer.lifecycle().deleted(id, this.type, collection());
	}

	private MongoPersistentEntity<?> mapping() {
		return this.writer.mapping(this.type);
	}

}
