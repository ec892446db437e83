package io.mongolock.documents;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.mapping.PersistentPropertyAccessor;
import org.springframework.data.mapping.model.ConvertingPropertyAccessor;
import org.springframework.data.mongodb.core.CollectionCallback;
import org.springframework.data.mongodb.core.mapping.MongoPersistentEntity;
import org.springframework.data.mongodb.core.mapping.MongoPersistentProperty;
import org.springframework.util.ClassUtils;

import io.mongolock.documents.EntityWriter.Loaded;
import io.mongolock.documents.EntityWriter.Written;
import io.mongolock.store.KeyText;
import io.mongolock.store.mongo.CurrentTransaction;
import io.mongolock.store.mongo.TemplateFailures;
import io.mongolock.store.mongo.TimedStatements;

/**
 * One optimistic update; each execution is an attempt. Decides whether anything has
 * changed, and whether others were faster. Owned by one call.
 *
 * @param <T> the type of the document
 * @param writer turns entities into documents to write
 * @param statements sends the statements
 * @param saves refuses writes of documents that are guarded and locked
 * @param type the type of the document
 * @param id its id
 * @param factory makes a new document, {@code null} if none is to be created
 * @param change returns the document to save
 */
record UpdateAttempt<T>(EntityWriter writer, TimedStatements statements, UnlockedSaveGuard saves, Class<T> type,
		Object id, @Nullable Supplier<T> factory, UnaryOperator<T> change) {

	UpdateAttempt {
		writer.versioned(type);
	}

	Optional<T> execute() {
		BsonDocument stored = load();
		if (stored != null) {
			return Optional.of(save(stored));
		}
		return Optional.ofNullable(this.factory).map(this::create);
	}

	private BsonValue storedId() {
		return this.writer.storedId(this.type, this.id);
	}

	// From the primary: a secondary may not have the faster write yet
	private @Nullable BsonDocument load() {
		return this.statements.execute(this.writer.collection(),
				(documents) -> documents.withDocumentClass(BsonDocument.class)
					.withReadPreference(ReadPreference.primary())
					.find(new Document("_id", storedId()))
					.first());
	}

	private T save(BsonDocument stored) {
		Loaded<T> loaded = this.writer.read(this.type, stored);
		MongoPersistentEntity<?> mapping = this.writer.mapping(loaded.entity().getClass());
		if (isWithoutVersion(loaded.entity(), mapping)) {
			throw new IllegalStateException("The stored " + this + " has no version, so Spring Data would treat the "
					+ "document as new. Set '" + mapping.getRequiredVersionProperty().getFieldName()
					+ "' to 1 in all documents without a version in the collection '" + this.writer.collection() + "'");
		}
		// Taken now, because the change may be made in place
		ByteBuffer before = this.writer.state(loaded.entity());
		T changed = changed(loaded.entity());
		if (this.writer.state(changed).equals(before)) {
			return changed;
		}
		Written<T> written = this.writer.write(changed);
		boolean matched = false;
		try {
			this.saves.refuseIfGuarded(ClassUtils.getUserClass(changed), this.id, this.writer.collection());
			matched = write(written);
		}
		finally {
			if (!matched) {
				written.takeBack().run();
			}
		}
		if (!matched) {
			throw overtaken(new OptimisticLockingFailureException(
					"Could not update " + this + " in version " + written.version()
							+ ", because another writer has saved or deleted the document in the meantime"));
		}
		return this.writer.saved(written);
	}

	// Spring Data takes such an entity for new. An entity that itself says that it is new
	// is stored all the same
	private static boolean isWithoutVersion(Object entity, MongoPersistentEntity<?> mapping) {
		Number version = Versions.of(entity, mapping);
		return version == null
				|| version.longValue() == 0 && mapping.getRequiredVersionProperty().getType().isPrimitive();
	}

	private boolean write(Written<T> written) {
		Document found = new Document(written.before()).append("_id", storedId());
		List<Document> replacement = this.writer.replacement(written, null);
		return send((documents) -> documents.updateOne(found, replacement)).getMatchedCount() != 0;
	}

	private <R> R send(CollectionCallback<R> write) {
		try {
			return Objects.requireNonNull(this.statements.execute(this.writer.collection(),
					(documents) -> write.doInCollection(documents.withWriteConcern(WriteConcern.MAJORITY))));
		}
		catch (RuntimeException ex) {
			throw TemplateFailures.ofWrite(ex, toString(), this.writer.template(), this.statements.timeout());
		}
	}

	private T create(Supplier<T> factory) {
		Written<T> first = this.writer.first(changed(made(factory.get())));
		try {
			send((documents) -> documents.insertOne(first.document()));
		}
		catch (DuplicateKeyException ex) {
			// a transaction is over by now, and would refuse the load, too
			if (inTransaction() || !isOfId(ex) && load() == null) {
				throw ex;
			}
			throw overtaken(
					new OptimisticLockingFailureException("Another client was the first to create the " + this, ex));
		}
		return this.writer.saved(first);
	}

	// Read from the message, because the document may be deleted again by now
	private static boolean isOfId(DuplicateKeyException failure) {
		return String.valueOf(failure.getMessage()).contains(" index: _id_ ");
	}

	private T made(@Nullable T made) {
		if (made == null) {
			throw new IllegalStateException("The factory of " + this + " returned null. Return a new document");
		}
		MongoPersistentEntity<?> mapping = this.writer.mapping(made.getClass());
		MongoPersistentProperty property = mapping.getRequiredIdProperty();
		PersistentPropertyAccessor<T> accessor = new ConvertingPropertyAccessor<>(mapping.getPropertyAccessor(made),
				this.writer.template().getConverter().getConversionService());
		Object own = accessor.getProperty(property);
		accessor.setProperty(property, this.id);
		if (own != null && !isUnset(property, own) && !own.equals(accessor.getProperty(property))) {
			throw new IllegalStateException("The factory of " + this + " made a document with the id " + own
					+ ". The factory must set either no id or the requested id");
		}
		return accessor.getBean();
	}

	// A primitive id is never null, so zero counts as unset
	private static boolean isUnset(MongoPersistentProperty id, Object own) {
		return id.getType().isPrimitive() && own instanceof Number number && number.longValue() == 0;
	}

	private T changed(T before) {
		List<@Nullable Object> own = identity(before);
		T changed = this.change.apply(before);
		if (changed == null) {
			throw new IllegalStateException(this + " was not updated, because the change function returned null. The "
					+ "function must return the document, even if nothing changes");
		}
		List<@Nullable Object> now = identity(changed);
		if (!now.equals(own)) {
			throw new IllegalStateException(this + " was not updated, because the change function got id " + own.get(0)
					+ " in version " + own.get(1) + ", but returned id " + now.get(0) + " in version " + now.get(1)
					+ ". The function must not change the id or the version");
		}
		return changed;
	}

	private List<@Nullable Object> identity(T document) {
		MongoPersistentEntity<?> mapping = this.writer.mapping(document.getClass());
		PersistentPropertyAccessor<T> accessor = mapping.getPropertyAccessor(document);
		return Arrays.asList(accessor.getProperty(mapping.getRequiredIdProperty()),
				accessor.getProperty(mapping.getRequiredVersionProperty()));
	}

	@Override
	public String toString() {
		return this.type.getSimpleName() + " '" + KeyText.printable(String.valueOf(this.id)) + "'";
	}

	private RuntimeException overtaken(OptimisticLockingFailureException failure) {
		return (inTransaction()) ? failure : new OvertakenException(failure);
	}

	private boolean inTransaction() {
		return CurrentTransaction.session(this.writer.template()).isPresent();
	}

	/**
	 * Another writer was faster. Unlike its cause, this exception cannot come from the
	 * caller's own code.
	 */
	static final class OvertakenException extends RuntimeException {

		OvertakenException(OptimisticLockingFailureException cause) {
			super(cause.getMessage(), cause, false, false);
		}

	}

}
