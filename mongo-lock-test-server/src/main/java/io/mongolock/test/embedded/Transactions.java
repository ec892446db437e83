package io.mongolock.test.embedded;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The open transactions of a server. A statement, a commit or an abort of a transaction
 * runs alone. All other statements may run at the same time. Thread-safe.
 */
final class Transactions {

	private final ReadWriteLock lock = new ReentrantReadWriteLock();

	private final List<Transaction> open = new CopyOnWriteArrayList<>();

	private final Set<Runnable> listeners = ConcurrentHashMap.newKeySet();

	/** The transaction whose changes are being made, by a statement that runs alone. */
	private volatile @Nullable Transaction committing;

	<T> T alone(Supplier<T> statement) {
		return locked(this.lock.writeLock(), statement);
	}

	<T> T besideOthers(Supplier<T> statement) {
		return locked(this.lock.readLock(), statement);
	}

	private static <T> T locked(Lock lock, Supplier<T> statement) {
		lock.lock();
		try {
			return statement.get();
		}
		finally {
			lock.unlock();
		}
	}

	void begun(Transaction transaction) {
		this.open.add(transaction);
	}

	/**
	 * Make the changes of a transaction, which ends with them.
	 * @param transaction the transaction
	 */
	void commit(Transaction transaction) {
		this.open.remove(transaction);
		this.committing = transaction;
		try {
			transaction.redo();
		}
		finally {
			this.committing = null;
			tellListeners();
		}
	}

	void abort(Transaction transaction) {
		this.open.remove(transaction);
		tellListeners();
	}

	private void tellListeners() {
		this.listeners.forEach(Runnable::run);
	}

	/**
	 * Add a listener that runs each time a transaction has ended.
	 * @param listener the listener
	 */
	void addListener(Runnable listener) {
		this.listeners.add(listener);
	}

	void removeListener(Runnable listener) {
		this.listeners.remove(listener);
	}

	/**
	 * Note a change that a statement outside of transactions, or a commit, has made.
	 * @param change the change
	 * @return the change, with its transaction if there is one
	 */
	Change changed(Change change) {
		this.open.forEach((transaction) -> transaction.noteOther(change));
		Transaction transaction = this.committing;
		return (transaction != null) ? change.of(transaction.id()) : change;
	}

	void created(String namespace) {
		this.open.forEach((transaction) -> transaction.hide(namespace));
	}

	boolean isEmpty() {
		return this.open.isEmpty();
	}

	/**
	 * Whether an open transaction has written the document of a change.
	 * @param change the change, not yet made
	 * @param asker the transaction that would make the change, {@code null} for none
	 * @return whether another transaction has
	 */
	boolean holds(Change change, @Nullable Transaction asker) {
		return this.open.stream().anyMatch((transaction) -> transaction != asker && transaction.holds(change));
	}

	/**
	 * Whether an open transaction has read or written a collection.
	 * @param database the database
	 * @param collection the collection's name, {@code null} for any
	 * @return whether one has
	 */
	boolean use(String database, @Nullable String collection) {
		return this.open.stream().anyMatch((transaction) -> transaction.uses(database, collection));
	}

}
