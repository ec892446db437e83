package io.mongolock.test.embedded;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Function;

import de.bwaldvogel.mongo.backend.CursorRegistry;
import de.bwaldvogel.mongo.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * A transaction of several statements. The statements run on copies of the collections as
 * they were when the transaction began. The transaction notes the changes of others, and
 * undoes them in copies that it makes later. A commit repeats its own changes in the
 * collections; an abort forgets the copies. Its statements run alone; the methods at the
 * end may run at the same time.
 */
final class Transaction {

	private final Document id;

	private @Nullable Future<?> expiry;

	private final Transactions all;

	private final Function<String, EmbeddedDatabase> originals;

	private final CursorRegistry cursors;

	private final ServerState server;

	private final Map<String, TransactionDatabase> databases = new HashMap<>();

	private final Set<Long> openCursors = new HashSet<>();

	private final Set<Key> written = new HashSet<>();

	private final List<Change> changes = new ArrayList<>();

	/**
	 * The changes of others since it began; several threads may add to them at the same
	 * time.
	 */
	private final List<Change> since = Collections.synchronizedList(new ArrayList<>());

	/** Collections that were created or dropped since it began. */
	private final Set<String> hidden = Collections.synchronizedSet(new HashSet<>());

	Transaction(Document id, Transactions all, Function<String, EmbeddedDatabase> originals, CursorRegistry cursors,
			ServerState server) {
		this.id = id;
		this.all = all;
		this.originals = originals;
		this.cursors = cursors;
		this.server = server;
	}

	// The id, as a change stream shows it
	Document id() {
		return this.id;
	}

	void expiresBy(Future<?> expiry) {
		this.expiry = expiry;
	}

	TransactionDatabase database(String name) {
		return this.databases.computeIfAbsent(name, (key) -> new TransactionDatabase(this.originals.apply(key),
				this.cursors, this.server.withTopology(new TransactionTopology(this.server.topology())), this));
	}

	void opened(long cursor) {
		this.openCursors.add(cursor);
	}

	boolean hasOpened(long cursor) {
		return this.openCursors.contains(cursor);
	}

	// The collection was created or dropped since the snapshot
	void checkReadable(String namespace) {
		if (this.hidden.contains(namespace)) {
			throw TransientError.snapshotUnavailable(namespace);
		}
	}

	// The changes of others, the last one first
	List<Change> since(String database, String collection) {
		List<Change> changed = new ArrayList<>(this.since);
		changed.removeIf((change) -> !change.isOf(database, collection));
		Collections.reverse(changed);
		return changed;
	}

	/**
	 * Note a change that a statement of this transaction has made in a copy.
	 * @param change the change
	 */
	void note(Change change) {
		Key key = Key.of(change);
		if (!this.written.contains(key) && this.since.stream().map(Key::of).anyMatch(key::equals)
				|| this.all.holds(change, this) || hasRival(change)) {
			throw TransientError.writeConflict();
		}
		this.written.add(key);
		this.changes.add(change.copy());
	}

	// Another document has got the same value of a unique index since this transaction
	// began
	private boolean hasRival(Change change) {
		return original(change).sharing(change)
			.map((rival) -> Key.of(change, rival))
			.anyMatch((rival) -> !this.written.contains(rival));
	}

	private EmbeddedCollection original(Change change) {
		return this.originals.apply(change.database()).orCreate(change.collection());
	}

	/**
	 * Make all changes of this transaction in the collections.
	 */
	void redo() {
		this.changes.forEach((change) -> original(change).redo(change));
		forget();
	}

	void forget() {
		this.openCursors.forEach(this.cursors::remove);
		if (this.expiry != null) {
			this.expiry.cancel(false);
		}
	}

	// May be called at the same time

	void noteOther(Change change) {
		if (change.kind() == Change.Kind.DROP) {
			hide(change.namespace());
		}
		else {
			this.since.add(change.copy());
		}
	}

	void hide(String namespace) {
		this.hidden.add(namespace);
	}

	boolean holds(Change change) {
		if (this.written.contains(Key.of(change))) {
			return true;
		}
		TransactionDatabase database = this.databases.get(change.database());
		return database != null
				&& database.sharing(change).map((rival) -> Key.of(change, rival)).anyMatch(this.written::contains);
	}

	boolean uses(String database, @Nullable String collection) {
		TransactionDatabase used = this.databases.get(database);
		return used != null && used.uses(collection);
	}

	/**
	 * The key of one document.
	 */
	private record Key(String namespace, @Nullable Object id) {

		private static Key of(Change change) {
			Document document = Objects.requireNonNullElse(change.after(), change.before());
			return of(change, document.get("_id"));
		}

		private static Key of(Change change, @Nullable Object id) {
			// 1 and 1.0 are the same document
			return new Key(change.namespace(),
					(id instanceof Number number && number.doubleValue() == number.longValue())
							? Long.valueOf(number.longValue()) : id);
		}

	}

}
