package io.mongolock.mongodb;

import java.util.Objects;

import org.bson.BsonNull;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.configuration.CodecRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mapping.PersistentPropertyAccessor;
import org.springframework.data.mapping.model.ConvertingPropertyAccessor;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.convert.QueryMapper;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;
import org.springframework.data.mongodb.core.mapping.MongoPersistentProperty;

import io.mongolock.mongodb.store.DocumentKey;

/**
 * The documents of a type that have a version: whether a change keeps what it has to
 * keep, and whether it is one. Immutable.
 *
 * @param <T> the type
 */
final class VersionedDocuments<T> {

	private final MongoTemplate template;

	private final Class<T> type;

	private final MongoPersistentProperty idProperty;

	VersionedDocuments(MongoTemplate template, Class<T> type) {
		this.template = template;
		this.type = type;
		MongoPersistentEntity<?> entity = template.getConverter().getMappingContext().getPersistentEntity(type);
		if (entity == null || !entity.hasIdProperty() || !entity.hasVersionProperty()) {
			throw new IllegalArgumentException(type.getName()
					+ " cannot be updated optimistically, because nobody would "
					+ "notice that somebody else was faster: add a field like '@Version Long version', with @Version of "
					+ "org.springframework.data.annotation, and an @Id if it has none");
		}
		this.idProperty = entity.getRequiredIdProperty();
	}

	/**
	 * What finds a document.
	 * @param id its id
	 * @return the filter as it is sent
	 * @throws IllegalArgumentException if the id is a condition instead
	 */
	Document byId(Object id) {
		Document filter = new QueryMapper(this.template.getConverter()).getMappedObject(
				new Document(this.idProperty.getName(), id), (MongoPersistentEntity<?>) this.idProperty.getOwner());
		DocumentKey.checkId(filter.toBsonDocument(Document.class, codecs()).get("_id", BsonNull.VALUE));
		return filter;
	}

	/**
	 * A document that was loaded, as it stands before the change.
	 * @param loaded the document
	 * @return its state
	 */
	State stateOf(T loaded) {
		MongoPersistentEntity<?> entity = entityOf(loaded);
		MongoPersistentProperty version = entity.getRequiredVersionProperty();
		PersistentPropertyAccessor<T> accessor = entity.getPropertyAccessor(loaded);
		Object id = accessor.getProperty(this.idProperty);
		if (entity.isNew(loaded)) {
			throw new IllegalStateException("The stored " + describe(id) + " has no version yet, so it would be taken "
					+ "for a new one: set '" + version.getFieldName() + "' to 1 in all documents of the collection '"
					+ this.template.getCollectionName(this.type) + "' that have none");
		}
		return new State(id, accessor.getProperty(version), written(loaded));
	}

	State newState(T made) {
		MongoPersistentEntity<?> entity = entityOf(made);
		PersistentPropertyAccessor<T> accessor = entity.getPropertyAccessor(made);
		return new State(accessor.getProperty(this.idProperty),
				accessor.getProperty(entity.getRequiredVersionProperty()), null);
	}

	/**
	 * A document that the caller made.
	 * @param made the document
	 * @param id what was asked for
	 * @return the document, with the id if it had none
	 */
	T made(@Nullable T made, Object id) {
		if (made == null) {
			throw new IllegalStateException("The factory of " + describe(id) + " returned null: it makes the document");
		}
		PersistentPropertyAccessor<T> accessor = new ConvertingPropertyAccessor<>(
				entityOf(made).getPropertyAccessor(made), this.template.getConverter().getConversionService());
		Object own = accessor.getProperty(this.idProperty);
		accessor.setProperty(this.idProperty, id);
		Object asked = accessor.getProperty(this.idProperty);
		if (own != null && !own.equals(asked)) {
			throw new IllegalStateException("The factory of " + describe(id) + " made one with the id " + own
					+ ": leave it out, or use that one");
		}
		return accessor.getBean();
	}

	/**
	 * What the caller's change returned.
	 * @param changed the document
	 * @param before its state before the change
	 * @return the document to save
	 */
	T changed(@Nullable T changed, State before) {
		if (changed == null) {
			throw new IllegalStateException("The change of " + describe(before.id())
					+ " returned null: return the document, also if nothing is to be changed");
		}
		MongoPersistentEntity<?> entity = entityOf(changed);
		PersistentPropertyAccessor<T> accessor = entity.getPropertyAccessor(changed);
		Object id = accessor.getProperty(this.idProperty);
		Object version = accessor.getProperty(entity.getRequiredVersionProperty());
		if (!Objects.equals(id, before.id()) || !Objects.equals(version, before.version())) {
			throw new IllegalStateException("The change of " + describe(before.id()) + " in version " + before.version()
					+ " returned one with the id " + id + " in version " + version + ": both have to be kept");
		}
		return changed;
	}

	boolean isUnchanged(T changed, State before) {
		RawBsonDocument written = before.written();
		return written != null && written(changed).getByteBuffer().asNIO().equals(written.getByteBuffer().asNIO());
	}

	// As bytes: what is converted shares dates and arrays with what is changed in place
	private RawBsonDocument written(T document) {
		Document converted = new Document();
		this.template.getConverter().write(document, converted);
		return new RawBsonDocument(converted, codecs().get(Document.class));
	}

	private CodecRegistry codecs() {
		return this.template.getMongoDatabaseFactory().getCodecRegistry();
	}

	private MongoPersistentEntity<?> entityOf(T document) {
		return this.template.getConverter().getMappingContext().getRequiredPersistentEntity(document.getClass());
	}

	private String describe(@Nullable Object id) {
		return this.type.getSimpleName() + " '" + id + "'";
	}

	/**
	 * A document before a change.
	 *
	 * @param id its id
	 * @param version its version
	 * @param written what is stored of it, if it is stored
	 */
	record State(@Nullable Object id, @Nullable Object version, @Nullable RawBsonDocument written) {

	}

}
