package io.mongolock.mongodb;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import com.mongodb.ReadPreference;
import com.mongodb.client.result.UpdateResult;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.springframework.core.retry.Retryable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.util.ClassUtils;

import io.mongolock.mongodb.EntityWriter.Loaded;
import io.mongolock.mongodb.EntityWriter.Written;
import io.mongolock.store.KeyText;

/**
 * One optimistic update, each execution of which is an attempt. Owned by one call.
 *
 * @param <T> the type of the document
 */
final class UpdateAttempt<T> implements Retryable<Optional<T>> {

	private final MongoTemplate template;

	private final VersionedDocuments<T> documents;

	private final Class<T> type;

	private final Object id;

	private final @Nullable Supplier<T> factory;

	private final UnaryOperator<T> change;

	private final String collection;

	private final EntityWriter writer;

	UpdateAttempt(MongoTemplate template, EntityLifecycle lifecycle, String field, Class<T> type, Object id,
			@Nullable Supplier<T> factory, UnaryOperator<T> change) {
		this.template = template;
		this.documents = new VersionedDocuments<>(template, type);
		this.type = type;
		this.id = id;
		this.factory = factory;
		this.change = change;
		this.collection = template.getCollectionName(type);
		this.writer = new EntityWriter(template, lifecycle, this.collection, field);
	}

	@Override
	public Optional<T> execute() {
		Document stored = load();
		if (stored != null) {
			return Optional.of(save(stored));
		}
		return Optional.ofNullable(this.factory).map(this::create);
	}

	// A secondary may not have yet what was faster
	private @Nullable Document load() {
		return this.template.execute(this.collection,
				(documents) -> documents.withReadPreference(ReadPreference.primary())
					.find(this.documents.byId(this.id))
					.first());
	}

	@Override
	public String getName() {
		return "update " + this.type.getSimpleName() + " '" + KeyText.printable(String.valueOf(this.id)) + "'";
	}

	private T save(Document stored) {
		Loaded<T> loaded = this.writer.read(this.type, stored);
		VersionedDocuments.State before = this.documents.stateOf(loaded.entity());
		T changed = this.documents.changed(this.change.apply(loaded.entity()), before);
		if (this.documents.isUnchanged(changed, before)) {
			return changed;
		}
		Written<T> written = this.writer.write(changed);
		boolean matched = false;
		try {
			this.writer.lifecycle()
				.guard()
				.refuseIfGuarded(ClassUtils.getUserClass(changed), written.document(), this.collection);
			matched = write(written, loaded);
		}
		catch (RuntimeException ex) {
			throw TransactionConflict.explained(ex, this.type.getSimpleName());
		}
		finally {
			if (!matched) {
				written.takeBack().run();
			}
		}
		if (!matched) {
			throw overtaken(new OptimisticLockingFailureException("Could not " + getName() + " in version "
					+ before.version() + ": somebody else has saved or deleted it meanwhile"));
		}
		return this.writer.saved(written);
	}

	// A replacement would drop the lock of the document, its fence, and what is not
	// mapped
	private boolean write(Written<T> written, Loaded<T> before) {
		Document filter = new Document(written.before()).append("_id", written.document().get("_id"));
		Document change = this.writer.change(before, written, Set.of("_id"));
		UpdateResult result = this.template.execute(this.collection,
				(documents) -> TemplateWriteConcern.applied(this.template, documents, this.type, filter, change)
					.updateOne(filter, change));
		return Objects.requireNonNull(result).getMatchedCount() != 0;
	}

	private T create(Supplier<T> factory) {
		T made = this.documents.made(factory.get(), this.id);
		T changed = this.documents.changed(this.change.apply(made), this.documents.newState(made));
		try {
			return this.template.insert(changed, this.collection);
		}
		catch (DuplicateKeyException ex) {
			// a transaction is over by now and would refuse the look, too
			if (inTransaction() || load() == null) {
				throw ex;
			}
			throw overtaken(new OptimisticLockingFailureException("Another was first to create it", ex));
		}
		catch (RuntimeException ex) {
			throw TransactionConflict.explained(ex, this.type.getSimpleName());
		}
	}

	private RuntimeException overtaken(OptimisticLockingFailureException failure) {
		return (inTransaction()) ? failure : new OvertakenException(failure);
	}

	private boolean inTransaction() {
		return DocumentTransaction.sessionOf(this.template).isPresent();
	}

	/**
	 * Somebody else was faster. Unlike its cause it cannot come from the caller's own
	 * code.
	 */
	static final class OvertakenException extends RuntimeException {

		OvertakenException(OptimisticLockingFailureException cause) {
			super(cause.getMessage(), cause, false, false);
		}

	}

}
