package io.mongolock.mongodb;

import java.util.Set;

import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.configuration.CodecRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.convert.MongoConverter;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;
import org.springframework.data.mongodb.core.mapping.MongoPersistentProperty;

/**
 * Makes of entities what is to be written of them, with all that a save by the
 * application's template does beside. Immutable.
 *
 * @param template the application's template
 * @param lifecycle calls the application's callbacks
 * @param collection where the documents are
 */
record EntityWriter(MongoTemplate template, EntityLifecycle lifecycle, String collection) {

	/**
	 * An entity as it is to be stored.
	 * @param <T> the type
	 * @param entity the entity
	 * @return what to write, with one added to the version
	 */
	<T> Written<T> write(T entity) {
		MongoConverter converter = this.template.getConverter();
		MongoPersistentEntity<?> mapping = converter.getMappingContext().getRequiredPersistentEntity(entity.getClass());
		mapping.forEach(EntityWriter::refusePath);
		RaisedVersion<T> version = new RaisedVersion<>(entity, mapping);
		try {
			T next = this.lifecycle.beforeConvert(version.raised(), this.collection);
			Document document = new Document();
			converter.write(next, document);
			T saved = this.lifecycle.beforeSave(next, document, this.collection);
			return new Written<>(saved, document, version.before(), () -> version.takeBack(saved));
		}
		catch (RuntimeException | Error ex) {
			version.takeBack(entity);
			throw ex;
		}
	}

	/**
	 * An entity as the template loads it.
	 * @param <T> the type
	 * @param type the type
	 * @param stored the document
	 * @return the entity, and what is mapped of the document
	 */
	<T> Loaded<T> read(Class<T> type, Document stored) {
		Set<String> fields = Set.copyOf(stored.keySet());
		Object version = stored.get(this.template.getConverter()
			.getMappingContext()
			.getRequiredPersistentEntity(type)
			.getRequiredVersionProperty()
			.getFieldName());
		this.lifecycle.loaded(stored, type, this.collection);
		T entity = this.template.getConverter().read(type, stored);
		// Now: callbacks and the application may change it in place
		BsonDocument mapped = mapped(entity);
		// A default of the class that is not stored is a change
		mapped.keySet().retainAll(fields);
		return new Loaded<>(this.lifecycle.converted(entity, stored, this.collection), mapped, number(version));
	}

	// An update takes such a name for a path, and would write another field
	static void refusePath(MongoPersistentProperty property) {
		String name = property.getFieldName();
		boolean key = property.isWritable() && property.getMongoField().getName().isKey();
		if (key && (name.contains(".") || name.startsWith("$"))) {
			throw new IllegalArgumentException(property.getOwner().getType().getName() + "." + property.getName()
					+ " is stored in the field '" + name + "', which no update can name: store it in a field without a "
					+ "dot or a dollar, with @Field, or save the document by the template, unlocked");
		}
	}

	private static long number(@Nullable Object version) {
		return (version instanceof Number number) ? number.longValue() : 0;
	}

	// By its bytes: what is converted shares arrays with what is changed in place
	private BsonDocument mapped(Object entity) {
		Document document = new Document();
		this.template.getConverter().write(entity, document);
		return new RawBsonDocument(document, codecs().get(Document.class)).decode(new BsonDocumentCodec());
	}

	/**
	 * The stored document of an entity that was written.
	 * @param written what was written
	 * @return a copy that no callback reaches
	 */
	BsonDocument mapped(Written<?> written) {
		return bson(written.document()).clone();
	}

	/**
	 * What a save changes, and nothing of what is not mapped.
	 * @param before what was mapped of the document when it was loaded
	 * @param written what to write
	 * @param kept fields that are not to be changed
	 * @return a classic update
	 */
	Document change(BsonDocument before, Written<?> written, Set<String> kept) {
		return DocumentChange.between(before, bson(written.document()), kept);
	}

	<T> T saved(Written<T> written) {
		return this.lifecycle.saved(written.entity(), written.document(), this.collection);
	}

	private BsonDocument bson(Document document) {
		return document.toBsonDocument(Document.class, codecs());
	}

	private CodecRegistry codecs() {
		return this.template.getMongoDatabaseFactory().getCodecRegistry();
	}

	/**
	 * An entity as it was stored.
	 *
	 * @param <T> the type
	 * @param entity the entity
	 * @param mapped what is mapped of the document
	 * @param version its version, also if the entity is changed in place
	 */
	record Loaded<T>(T entity, BsonDocument mapped, long version) {

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
			return number(this.before.values().iterator().next());
		}

	}

}
