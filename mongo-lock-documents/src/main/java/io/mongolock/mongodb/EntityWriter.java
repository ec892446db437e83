package io.mongolock.mongodb;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.bson.BsonDocument;
import org.bson.BsonDocumentReader;
import org.bson.BsonNumber;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.configuration.CodecRegistry;
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
 * @param field the field of their locks
 */
record EntityWriter(MongoTemplate template, EntityLifecycle lifecycle, String collection, String field) {

	/** Stands for what reading has used up: it goes, unless it is written. */
	private static final BsonValue USED = new BsonUndefined();

	/**
	 * An entity as it is to be stored.
	 * @param <T> the type
	 * @param entity the entity
	 * @return what to write, with one added to the version
	 */
	<T> Written<T> write(T entity) {
		MongoConverter converter = this.template.getConverter();
		RaisedVersion<T> version = new RaisedVersion<>(entity, mapping(entity.getClass()));
		try {
			T next = this.lifecycle.beforeConvert(version.raised(), this.collection);
			Document document = new Document();
			converter.write(next, document);
			T saved = this.lifecycle.beforeSave(next, document, this.collection);
			document.keySet().forEach((name) -> refusePath("A part of " + entity.getClass().getName(), name));
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
	 * @return the entity, and what is known of the document
	 */
	<T> Loaded<T> read(Class<T> type, Document stored) {
		BsonDocument before = bytes(stored);
		AskedDocument document = new AskedDocument(stored);
		this.lifecycle.loaded(document, type, this.collection);
		BsonDocument after = bytes(document);
		Set<String> used = new HashSet<>();
		if (after.equals(before)) {
			// A listener that only looks, as at a tenant, uses nothing up
			document.takeAsked();
		}
		T entity = this.template.getConverter().read(type, document);
		used.addAll(document.takeAsked());
		// Now: callbacks and the application may change it in place
		BsonDocument mapped = mapped(entity);
		T converted = this.lifecycle.converted(entity, document, this.collection);
		Set<String> asked = document.takeAsked();
		if (!asked.isEmpty() && !mapped(converted).equals(mapped)) {
			used.addAll(asked);
		}
		used.removeAll(mapped.keySet());
		Set<String> others = readOnly(entity);
		before.forEach((name, value) -> {
			boolean gone = used.contains(name) || !DocumentChange.same(after.get(name), value);
			if (gone && !others.contains(name)) {
				refusePath("What a " + type.getName() + " was read from", name);
				mapped.put(name, USED);
			}
		});
		// A default of the class that is not stored is a change
		mapped.keySet().retainAll(before.keySet());
		return new Loaded<>(converted, mapped, before, version(type, before));
	}

	private Set<String> readOnly(Object entity) {
		Set<String> names = new HashSet<>(List.of("_id", FencedWrites.FIELD, this.field));
		addReadOnly(mapping(entity.getClass()), false, names);
		return names;
	}

	// An unwrapped type has its fields in the document itself
	private void addReadOnly(MongoPersistentEntity<?> mapping, boolean all, Set<String> names) {
		mapping.forEach((property) -> {
			boolean readOnly = all || !property.isWritable();
			if (property.isUnwrapped()) {
				addReadOnly(this.template.getConverter().getMappingContext().getRequiredPersistentEntity(property),
						readOnly, names);
			}
			else if (readOnly) {
				names.add(property.getFieldName().split("\\.")[0]);
			}
		});
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

	private MongoPersistentEntity<?> mapping(Class<?> type) {
		return this.template.getConverter().getMappingContext().getRequiredPersistentEntity(type);
	}

	static void refusePath(MongoPersistentProperty property) {
		if (property.isWritable() && property.getMongoField().getName().isKey()) {
			refusePath(property.getOwner().getType().getName() + "." + property.getName(), property.getFieldName());
		}
	}

	// An update takes such a name for a path, and would write another field
	private static void refusePath(String what, String name) {
		if (name.contains(".") || name.startsWith("$")) {
			throw new IllegalArgumentException(what + " is stored in the field '" + name
					+ "', which no update can name: store it in a field without a "
					+ "dot or a dollar, with @Field, or save the document by the template, unlocked");
		}
	}

	private BsonDocument mapped(Object entity) {
		Document document = new Document();
		this.template.getConverter().write(entity, document);
		return bytes(document);
	}

	// By its bytes: a converted entity shares arrays with the one that is changed in
	// place
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
		BsonDocument mapped = bson(written.document()).clone();
		BsonDocument stored = new BsonDocument();
		// What was left as it is may bring an old value back next time
		used(before).stream().filter((name) -> !mapped.containsKey(name)).forEach((name) -> {
			stored.put(name, before.stored().get(name));
			mapped.put(name, USED);
		});
		if (!stored.isEmpty()) {
			stored.putAll(bson(written.document()).clone());
		}
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
		BsonDocument known = before.mapped().clone();
		BsonDocument now = bson(written.document());
		Set<String> others = new HashSet<>(before.stored().keySet());
		others.removeAll(known.keySet());
		others.removeAll(now.keySet());
		others.removeAll(readOnly(written.entity()));
		if (!others.isEmpty()) {
			others.retainAll(derived(before));
			others.forEach((name) -> known.put(name, USED));
		}
		known.keySet().removeAll(idle(before, known, now, written.entity()));
		return DocumentChange.between(known, now, kept);
	}

	// What was merely looked at, or is shown and not written, brings no old value back
	private Set<String> idle(Loaded<?> before, BsonDocument known, BsonDocument now, Object entity) {
		Set<String> used = used(before);
		used.removeAll(now.keySet());
		Set<String> idle = new HashSet<>();
		if (used.isEmpty()) {
			return idle;
		}
		BsonDocument saved = before.stored().clone();
		saved.keySet().removeAll(known.keySet());
		saved.putAll(now);
		try {
			BsonDocument expected = mapped(entity);
			for (String name : used) {
				BsonDocument kept = saved.clone().append(name, before.stored().get(name));
				BsonDocument found = readBack(entity.getClass(), kept);
				if (found.equals(expected) || found.equals(readBack(entity.getClass(), saved))) {
					saved = kept;
					idle.add(name);
				}
			}
		}
		catch (RuntimeException ex) {
			// Nobody knows what it would read back as
			return Set.of();
		}
		return idle;
	}

	private static Set<String> used(Loaded<?> loaded) {
		Set<String> used = new TreeSet<>();
		loaded.stored().forEach((name, value) -> {
			if (loaded.mapped().get(name) == USED && !value.isNull()) {
				used.add(name);
			}
		});
		return used;
	}

	private BsonDocument readBack(Class<?> type, BsonDocument stored) {
		Document document = listened(type, stored);
		Object entity = this.template.getConverter().read(type, document);
		return mapped(this.lifecycle.converted(entity, document, this.collection));
	}

	private Document listened(Class<?> type, BsonDocument stored) {
		Document document = codecs().get(Document.class)
			.decode(new BsonDocumentReader(stored), DecoderContext.builder().build());
		this.lifecycle.loaded(document, type, this.collection);
		return document;
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
			// A listener that refuses what was stored, as a validation does, adds nothing
			// to it
			return Set.of();
		}
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
	 * @param mapped what is mapped of the document, and what was used for that
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
