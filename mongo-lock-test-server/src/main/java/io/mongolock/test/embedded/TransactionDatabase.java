package io.mongolock.test.embedded;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * A database as one transaction sees it: copies of its collections, each made when it is
 * first used.
 */
final class TransactionDatabase extends EmbeddedDatabase {

	private final EmbeddedDatabase original;

	private final Transaction transaction;

	private final Set<String> used = new HashSet<>();

	private boolean copying;

	TransactionDatabase(EmbeddedDatabase original, CursorRegistry cursors, ServerState server,
			Transaction transaction) {
		super(original.getDatabaseName(), cursors, server);
		this.original = original;
		this.transaction = transaction;
	}

	@Override
	public MongoCollection<Integer> resolveCollection(String name, boolean throwIfNotFound) {
		if (!EmbeddedCollection.isOfSystem(name) && this.used.add(name)) {
			EmbeddedCollection collection = this.original.existing(name);
			if (collection != null) {
				this.transaction.checkReadable(collection.getFullName());
				this.copying = true;
				copy(collection);
				this.copying = false;
			}
		}
		return super.resolveCollection(name, throwIfNotFound);
	}

	private void copy(EmbeddedCollection collection) {
		String name = collection.getCollectionName();
		EmbeddedCollection copy = (EmbeddedCollection) createCollectionOrThrowIfExists(name, collection.options());
		collection.copyTo(copy);
		this.transaction.since(getDatabaseName(), name).forEach((change) -> copy.redo(change.undone()));
		this.original.indexesOf(collection).map(Document::clone).forEach(this::addIndex);
	}

	@Override
	void changed(Change change) {
		if (!this.copying) {
			this.transaction.note(change);
		}
	}

	/**
	 * The documents that already have a value of a unique index that a change gives
	 * another document.
	 * @param change the change of the other document
	 * @return the {@code _id} of each document
	 */
	Stream<Object> sharing(Change change) {
		if (!this.used.contains(change.collection())) {
			return Stream.empty();
		}
		EmbeddedCollection copy = existing(change.collection());
		return (copy != null) ? copy.sharing(change) : Stream.empty();
	}

	boolean uses(@Nullable String collection) {
		return (collection != null) ? this.used.contains(collection) : !this.used.isEmpty();
	}

}
