package io.mongolock.mongodb;

import java.util.HashSet;
import java.util.Set;

import org.bson.BsonDocument;
import org.bson.BsonDocumentReader;
import org.bson.BsonNull;
import org.bson.BsonNumber;
import org.bson.BsonValue;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.configuration.CodecRegistry;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.data.mongodb.core.convert.QueryMapper;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;
import org.springframework.data.mongodb.core.mapping.MongoPersistentProperty;

import io.mongolock.mongodb.store.DocumentKey;

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
			Document document = new Document();
			this.template.getConverter().write(next, document);
			T saved = this.lifecycle.beforeSave(next, document, this.collection);
			document.keySet().forEach((name) -> refusePath("A part of " + entity.getClass().getName(), name));
			return new Written<>(saved, document,
					new Document(mapping.getRequiredVersionProperty().getFieldName(), before), () -> {
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
	 * An entity as the template loads it.
	 * @param <T> the type
	 * @param type the type
	 * @param stored the document
	 * @return the entity, and what is known of the document
	 */
	<T> Loaded<T> read(Class<T> type, Document stored) {
		BsonDocument before = bytes(stored);
		this.lifecycle.loaded(stored, type, this.collection);
		BsonDocument after = bytes(stored);
		T entity = this.template.getConverter().read(type, stored);
		// Now: callbacks and the application may change it in place
		BsonDocument mapped = mapped(entity);
		// A default of the class that is not stored is a change, and so is what a
		// listener makes of a field
		mapped.keySet().removeIf((name) -> !DocumentChange.same(before.get(name), after.get(name)));
		T converted = this.lifecycle.converted(entity, stored, this.collection);
		return new Loaded<>(converted, mapped, before, version(type, before));
	}

	/**
	 * The id of a document as it is stored.
	 * @param property the property of its id
	 * @param id its id as the application has it
	 * @return the id
	 * @throws IllegalArgumentException if it is a condition instead
	 */
	BsonValue storedId(MongoPersistentProperty property, Object id) {
		Document mapped = new QueryMapper(this.template.getConverter())
			.getMappedObject(new Document(property.getName(), id), (MongoPersistentEntity<?>) property.getOwner());
		BsonValue stored = bytes(mapped).get("_id", BsonNull.VALUE);
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

	MongoPersistentEntity<?> mapping(Class<?> type) {
		return this.template.getConverter().getMappingContext().getRequiredPersistentEntity(type);
	}

	static void refusePath(MongoPersistentProperty property) {
		if (property.isWritable() && property.getMongoField().getName().isKey()) {
			refusePath(property.getOwner().getType().getName() + "." + property.getName(), property.getFieldName());
		}
	}

	// An update takes such a name for a path, and would write another field
	private static void refusePath(String what, String name) {
		if (isPath(name)) {
			throw new IllegalArgumentException(what + " is stored in the field '" + name
					+ "', which no update can name: store it in a field without a "
					+ "dot or a dollar, with @Field, or save the document by the template, unlocked");
		}
	}

	private static boolean isPath(String name) {
		return name.contains(".") || name.startsWith("$");
	}

	/**
	 * The fields that are mapped of an entity.
	 * @param entity the entity
	 * @return copies that nothing reaches
	 */
	BsonDocument mapped(Object entity) {
		Document document = new Document();
		this.template.getConverter().write(entity, document);
		return bytes(document);
	}

	// By its bytes: a converted entity shares
	// arrays with the one that is changed in place
	private BsonDocument bytes(Document document) {
		return new RawBsonDocument(document, codecs().get(Document.class)).decode(new BsonDocumentCodec());
	}

	/**
	 * What was written, as if it had been loaded.
	 * @param <T> the type
	 * @param before what was loaded before
	 * @param written what was written
	 * @return copies that no callback reaches
	 */
	<T> Loaded<T> loaded(Loaded<T> before, Written<T> written) {
		BsonDocument mapped = bytes(written.document());
		// What was left as it is may bring an old value back next time
		BsonDocument stored = before.stored().clone();
		stored.keySet().removeAll(before.mapped().keySet());
		stored.putAll(mapped);
		return new Loaded<>(written.entity(), mapped, stored, written.version() + 1);
	}

	/**
	 * What a save changes, and nothing of what is not mapped.
	 * @param before what was loaded
	 * @param written what to write
	 * @param kept fields that are not to be changed
	 * @return a classic update
	 */
	Document change(Loaded<?> before, Written<?> written, Set<String> kept) {
		BsonDocument now = bytes(written.document());
		BsonDocument known = before.mapped().clone();
		BsonDocument left = before.stored().clone();
		left.keySet().removeAll(known.keySet());
		left.keySet().removeAll(now.keySet());
		left.keySet().removeIf((name) -> isReadOnly(written.entity(), name) || isPath(name));
		if (!left.isEmpty()) {
			BsonDocument next = before.stored().clone();
			next.keySet().removeAll(known.keySet());
			next.keySet().removeAll(left.keySet());
			next.putAll(now);
			Set<String> gone = used(written.entity(), next, left);
			gone.addAll(derived(before));
			left.keySet().retainAll(gone);
			known.putAll(left);
		}
		return DocumentChange.between(known, now, kept);
	}

	private boolean isReadOnly(Object entity, String name) {
		if (name.equals("_id") || name.equals(FencedWrites.FIELD) || name.equals(this.field)) {
			return true;
		}
		for (MongoPersistentProperty property : mapping(entity.getClass())) {
			if (!property.isWritable() && property.getFieldName().equals(name)) {
				return true;
			}
		}
		return false;
	}

	// A saved entity reads back as it was saved: what would bring an old value back goes
	private Set<String> used(Object entity, BsonDocument next, BsonDocument left) {
		Set<String> used = new HashSet<>();
		try {
			BsonDocument expected = mapped(entity);
			BsonDocument all = next.clone();
			all.putAll(left);
			if (readBack(entity, all).equals(expected)) {
				return used;
			}
			BsonDocument alone = readBack(entity, next);
			BsonDocument kept = next.clone();
			left.forEach((name, value) -> {
				BsonDocument found = readBack(entity, kept.clone().append(name, value));
				if (found.equals(alone) || found.equals(expected)) {
					kept.append(name, value);
				}
				else {
					used.add(name);
				}
			});
			// Else it reads otherwise each time
			return (readBack(entity, next).equals(alone)) ? used : new HashSet<>();
		}
		catch (RuntimeException ex) {
			// Nobody knows what it would read back as
			return new HashSet<>();
		}
	}

	private BsonDocument readBack(Object entity, BsonDocument stored) {
		Document document = listened(entity.getClass(), stored);
		Object read = this.template.getConverter().read(entity.getClass(), document);
		return mapped(this.lifecycle.converted(read, document, this.collection));
	}

	private Document listened(Class<?> type, BsonDocument stored) {
		Document document = decode(stored);
		this.lifecycle.loaded(document, type, this.collection);
		return document;
	}

	Document decode(BsonDocument stored) {
		return codecs().get(Document.class).decode(new BsonDocumentReader(stored), DecoderContext.builder().build());
	}

	// Listeners add fields to a document that is about to be saved, and they alone know
	// which of those that are not mapped are theirs
	private Set<String> derived(Loaded<?> before) {
		Document document = new Document();
		try {
			Class<?> type = before.entity().getClass();
			Object entity = this.template.getConverter().read(type, listened(type, before.stored()));
			this.template.getConverter().write(entity, document);
			this.lifecycle.beforeSave(entity, document, this.collection);
			return document.keySet();
		}
		catch (RuntimeException ex) {
			// A listener that refuses what was stored, as a validation does, adds
			// nothing to it
			return Set.of();
		}
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
	 * @param mapped what is mapped of the document
	 * @param stored the document before listeners have changed it
	 * @param version its version, also if the entity is changed in place
	 */
	record Loaded<T>(T entity, BsonDocument mapped, BsonDocument stored, long version) {

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
