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
 * Makes of entities what is to be written of them, with all that a save by the
 * application's template does beside. Immutable.
 *
 * @param template the application's template
 * @param lifecycle calls the application's callbacks
 * @param collection where the documents are
 * @param field the field of their locks
 */
record EntityWriter(MongoTemplate template, EntityLifecycle lifecycle, String collection, String field) {

	/** What a server takes for its time, outside of a pipeline. */
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
	 * An entity as it is to be stored.
	 * @param <T> the type
	 * @param entity the entity
	 * @return what to write, with one added to the version
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
	 * An entity as it is to be inserted, in the version that the template begins with.
	 * @param <T> the type
	 * @param entity the entity, which callbacks see without one
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

	// MongoDB refuses the one in a save by the template, and puts its time in place of
	// the other, but takes both as they are from the pipeline that keeps the lock
	private static void requireSame(String name, @Nullable Object value) {
		Assert.state(!name.startsWith("$"), () -> "A callback or listener of the save has added the field '" + name
				+ "', but the name of a field must not begin with a dollar sign. Remove the dollar sign");
		Assert.state(!NOW.equals(value), () -> "In this save, MongoDB does not replace the empty timestamp in '" + name
				+ "' with the server's time. Use a Date, or @LastModifiedDate");
	}

	/**
	 * An entity as the template loads it.
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
	 * @throws IllegalArgumentException if it is a condition instead
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
	 * How a type is mapped whose documents are written only in the version that was read.
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
	 * What a save would write of an entity.
	 * @param entity the entity
	 * @return its bytes, which nothing reaches
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
	 * What was written, as if it had been loaded.
	 * @param <T> the type
	 * @param before what was loaded before
	 * @param written what was written
	 * @return copies that no callback reaches
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
	 * A document in place of what is stored, as a save has it, but for the lock and the
	 * fence: those stay.
	 * @param written what to write
	 * @param lock what becomes of the lock, an expression; {@code null} if it stays,
	 * unless the field is the entity's own
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

	// By its bytes: a converted entity shares arrays with the one that is changed in
	// place
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
	 * @param stored the document before listeners have changed it
	 * @param version its version, also if the entity is changed in place
	 */
	record Loaded<T>(T entity, BsonDocument stored, long version) {

	}

	/**
	 * An entity as it is to be stored.
	 *
	 * @param <T> the type
	 * @param entity the entity with its next version
	 * @param document what to store
	 * @param before finds a document that has the version before
	 * @param takeBack gives what the caller has in hand that version back, if this was
	 * not written, or perhaps not
	 */
	record Written<T>(T entity, Document document, Document before, Runnable takeBack) {

		/**
		 * The version before.
		 * @return its number
		 */
		long version() {
			return (this.before.values().iterator().next() instanceof Number number) ? number.longValue() : 0;
		}

	}

}
