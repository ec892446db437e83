package io.mongolock.documents;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

import org.bson.BsonDocument;
import org.bson.BsonDocumentReader;
import org.bson.BsonNull;
import org.bson.BsonNumber;
import org.bson.BsonTimestamp;
import org.bson.BsonValue;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.configuration.CodecRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.convert.QueryMapper;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;
import org.springframework.data.mongodb.core.mapping.MongoPersistentProperty;
import org.springframework.util.Assert;

import io.mongolock.data.FencedWrites;
import io.mongolock.documents.store.DocumentKey;

/**
 * Turns entities into documents to write, with everything that a save by the
 * application's template does besides. Immutable.
 *
 * @param template the application's template
 * @param lifecycle calls the application's callbacks
 * @param collection where the documents are
 * @param field the field of their locks
 */
record EntityWriter(MongoTemplate template, EntityLifecycle lifecycle, String collection, String field) {

	/**
	 * The empty timestamp, which a server replaces with its time outside of a pipeline.
	 */
	private static final BsonTimestamp NOW = new BsonTimestamp();

	/**
	 * The field of the locks.
	 * @param context has the settings
	 * @return its name
	 */
	static String field(ApplicationContext context) {
		return context.getEnvironment().getProperty("mongo-lock.document-locks.field", "lock");
	}

	/**
	 * Turn an entity into a document to store.
	 * @param <T> the type
	 * @param entity the entity
	 * @return what to write, with the version raised by one
	 */
	<T> Written<T> write(T entity) {
		MongoPersistentEntity<?> mapping = mapping(entity.getClass());
		Number before = Versions.of(entity, mapping);
		try {
			T raised = Versions.set(entity, mapping, (before != null) ? before.longValue() + 1 : 1L);
			T next = this.lifecycle.beforeConvert(raised, this.collection);
			Document document = document(next);
			T saved = this.lifecycle.beforeSave(next, document, this.collection);
			String version = mapping.getRequiredVersionProperty().getFieldName();
			Assert.state(document.containsKey(version), () -> mapping.getType().getSimpleName()
					+ " would be stored without its version, and could not be saved again, because a callback or "
					+ "listener of the save has left out the field '" + version + "'. Let the callback keep this field "
					+ "with the value that the callback was given");
			Assert.state(!document.containsKey(this.field) || property(mapping, this.field).isPresent(),
					() -> "A callback or listener of the save has set the field '" + this.field + "' of the "
							+ mapping.getType().getSimpleName()
							+ ", but mongo-lock stores the lock there, so the value would be lost. Let the callback use "
							+ "another field, or set mongo-lock.document-locks.field");
			document.forEach(EntityWriter::requireSame);
			return new Written<>(saved, document, new Document(version, before), () -> {
				Versions.set(entity, mapping, before);
				Versions.set(saved, mapping, before);
			});
		}
		catch (RuntimeException | Error ex) {
			Versions.set(entity, mapping, before);
			throw ex;
		}
	}

	/**
	 * Turn an entity into a document to insert, with the version that the template begins
	 * with.
	 * @param <T> the type
	 * @param entity the entity, which callbacks see before it has a version
	 * @return what to insert
	 */
	<T> Written<T> first(T entity) {
		T next = this.lifecycle.beforeConvert(entity, this.collection);
		MongoPersistentEntity<?> mapping = mapping(next.getClass());
		boolean primitive = mapping.getRequiredVersionProperty().getType().isPrimitive();
		T versioned = Versions.set(next, mapping, (primitive) ? 1 : 0);
		Document document = document(versioned);
		T saved = this.lifecycle.beforeSave(versioned, document, this.collection);
		return new Written<>(saved, document, new Document(), () -> {
		});
	}

	// In a save by the template, MongoDB refuses a name with a dollar sign, and replaces
	// an empty timestamp with its time. The pipeline that keeps the lock would store both
	// unchanged
	private static void requireSame(String name, @Nullable Object value) {
		Assert.state(!name.startsWith("$"), () -> "A callback or listener of the save has added the field '" + name
				+ "', but the name of a field must not begin with a dollar sign. Remove the dollar sign");
		Assert.state(!NOW.equals(value), () -> "In this save, MongoDB does not replace the empty timestamp in '" + name
				+ "' with the server's time. Use a Date, or @LastModifiedDate");
	}

	/**
	 * Read an entity as the template loads it.
	 * @param <T> the type
	 * @param type the type
	 * @param stored the document
	 * @return the entity, and the document
	 */
	<T> Loaded<T> read(Class<T> type, BsonDocument stored) {
		Document document = decode(stored);
		this.lifecycle.loaded(document, type, this.collection);
		T entity = this.template.getConverter().read(type, document);
		return new Loaded<>(this.lifecycle.converted(entity, document, this.collection), stored, version(type, stored));
	}

	/**
	 * The id of a document as it is stored.
	 * @param type the type of the document
	 * @param id its id as the application has it
	 * @return the id
	 * @throws IllegalArgumentException if it is a query condition instead of an id
	 */
	BsonValue storedId(Class<?> type, Object id) {
		MongoPersistentEntity<?> mapping = mapping(type);
		Document mapped = new QueryMapper(this.template.getConverter())
			.getMappedObject(new Document(mapping.getRequiredIdProperty().getName(), id), mapping);
		BsonValue stored = raw(mapped).get("_id", BsonNull.VALUE);
		DocumentKey.checkId(stored);
		return stored;
	}

	/**
	 * The version of a document.
	 * @param type its type
	 * @param stored the document
	 * @return its number, zero if it has none
	 */
	long version(Class<?> type, BsonDocument stored) {
		BsonValue version = stored.get(mapping(type).getRequiredVersionProperty().getFieldName());
		return (version instanceof BsonNumber number) ? number.longValue() : 0;
	}

	/**
	 * The mapping of a type whose documents are written only if the version is still the
	 * one that was read.
	 * @param type the type
	 * @return the mapping
	 * @throws IllegalArgumentException if it has no id or version
	 */
	MongoPersistentEntity<?> versioned(Class<?> type) {
		MongoPersistentEntity<?> mapping = mapping(type);
		if (!mapping.hasIdProperty() || !mapping.hasVersionProperty()) {
			throw new IllegalArgumentException(type.getName()
					+ " can be neither locked nor updated optimistically, because it needs an @Id and a @Version. "
					+ "Without a version, a save would overwrite other writes. Add what is missing, such as a field "
					+ "'@Version Long version', with @Version of org.springframework.data.annotation");
		}
		return mapping;
	}

	MongoPersistentEntity<?> mapping(Class<?> type) {
		return this.template.getConverter().getMappingContext().getRequiredPersistentEntity(type);
	}

	/**
	 * The bytes that a save would write of an entity.
	 * @param entity the entity
	 * @return the bytes, which later changes of the entity do not reach
	 */
	ByteBuffer state(Object entity) {
		return raw(document(entity)).getByteBuffer().asNIO();
	}

	private Document document(Object entity) {
		Document document = new Document();
		this.template.getConverter().write(entity, document);
		return document;
	}

	/**
	 * The written document, as if it had been loaded.
	 * @param <T> the type
	 * @param before the document as it was loaded before
	 * @param written what was written
	 * @return the entity, with a copy of the document that callbacks do not reach
	 */
	<T> Loaded<T> loaded(Loaded<T> before, Written<T> written) {
		BsonDocument stored = raw(written.document()).decode(new BsonDocumentCodec());
		for (String kept : List.of(this.field, FencedWrites.FIELD)) {
			if (before.stored().containsKey(kept)) {
				stored.putIfAbsent(kept, before.stored().get(kept));
			}
		}
		return new Loaded<>(written.entity(), stored, written.version() + 1);
	}

	/**
	 * The pipeline that replaces the stored document as a save does, but keeps the lock
	 * and the fence.
	 * @param written what to write
	 * @param lock the expression for the new lock; {@code null} to keep the lock, unless
	 * the entity has this field itself
	 * @return a pipeline
	 */
	List<Document> replacement(Written<?> written, @Nullable Object lock) {
		MongoPersistentEntity<?> mapping = mapping(written.entity().getClass());
		Document kept = new Document("_id", "$_id");
		if (lock != null || property(mapping, this.field).isEmpty()) {
			kept.append(this.field, (lock != null) ? lock : "$" + this.field);
		}
		if (!written.document().containsKey(FencedWrites.FIELD) && property(mapping, FencedWrites.FIELD).isEmpty()) {
			kept.append(FencedWrites.FIELD, "$" + FencedWrites.FIELD);
		}
		return List.of(new Document("$replaceWith",
				new Document("$mergeObjects", List.of(new Document("$literal", written.document()), kept))));
	}

	/**
	 * The property that a class writes into a field.
	 * @param mapping how the class is mapped
	 * @param field the field
	 * @return the property, if any
	 */
	Optional<MongoPersistentProperty> property(MongoPersistentEntity<?> mapping, String field) {
		for (MongoPersistentProperty property : mapping) {
			Optional<MongoPersistentProperty> own = (property.isUnwrapped())
					? property(this.template.getConverter().getMappingContext().getRequiredPersistentEntity(property),
							field)
					: Optional.of(property).filter((one) -> one.isWritable() && one.getFieldName().equals(field));
			if (own.isPresent()) {
				return own;
			}
		}
		return Optional.empty();
	}

	// Copied as bytes, because a converted document shares arrays with the entity, which
	// may be changed in place
	private RawBsonDocument raw(Document document) {
		return new RawBsonDocument(document, codecs().get(Document.class));
	}

	Document decode(BsonDocument stored) {
		return codecs().get(Document.class).decode(new BsonDocumentReader(stored), DecoderContext.builder().build());
	}

	<T> T saved(Written<T> written) {
		return this.lifecycle.saved(written.entity(), written.document(), this.collection);
	}

	private CodecRegistry codecs() {
		return this.template.getMongoDatabaseFactory().getCodecRegistry();
	}

	/**
	 * An entity as it was stored.
	 *
	 * @param <T> the type
	 * @param entity the entity
	 * @param stored the document, without changes by listeners
	 * @param version its stored version, even if the entity is changed in place
	 */
	record Loaded<T>(T entity, BsonDocument stored, long version) {

	}

	/**
	 * An entity to store.
	 *
	 * @param <T> the type
	 * @param entity the entity with its next version
	 * @param document the document to store
	 * @param before the filter for the previous version
	 * @param takeBack sets the caller's object back to the previous version, if the
	 * document was not written, or perhaps not
	 */
	record Written<T>(T entity, Document document, Document before, Runnable takeBack) {

		/**
		 * The previous version.
		 * @return its number
		 */
		long version() {
			return (this.before.values().iterator().next() instanceof Number number) ? number.longValue() : 0;
		}

	}

}
