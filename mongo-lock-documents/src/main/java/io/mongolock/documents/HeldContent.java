package io.mongolock.documents;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;

import org.springframework.dao.OptimisticLockingFailureException;

import io.mongolock.documents.EntityWriter.Loaded;

/**
 * The entity of a locked document, as it was loaded or saved last. Decides which entities
 * may be saved in its place, and takes back the writes of a transaction that is not
 * committed. Thread-safe.
 *
 * @param <T> the type of the document
 */
final class HeldContent<T> {

	private final LockedType<T> type;

	private Loaded<T> loaded;

	/** Whether a rollback has undone changes that the entity may still hold. */
	private boolean stale;

	/** Objects that hold changes that were rolled back. */
	private final Set<Object> spoiled = Collections.newSetFromMap(new IdentityHashMap<>());

	/** Undo the writes of an open transaction in memory, the last one first. */
	private final Deque<Runnable> takeBacks = new ArrayDeque<>();

	HeldContent(LockedType<T> type, Loaded<T> loaded) {
		this.type = type;
		this.loaded = loaded;
	}

	synchronized Loaded<T> get() {
		if (this.stale) {
			this.loaded = this.type.read(this.loaded.stored());
			this.stale = false;
		}
		return this.loaded;
	}

	/**
	 * The document was written or loaded again.
	 * @param before the document as it stood before; if it was written again meanwhile,
	 * nothing is set
	 * @param now the document as it stands now
	 */
	synchronized void set(Loaded<T> before, Loaded<T> now) {
		if (this.loaded == before) {
			this.loaded = now;
			this.stale = false;
		}
	}

	/**
	 * Check that an entity is the document as it was last locked, resumed or saved.
	 * @param what the document's name in messages
	 * @param entity the entity
	 * @param version the version of the entity
	 * @return the document as it was then
	 * @throws OptimisticLockingFailureException if it has another version, or holds
	 * changes that were rolled back
	 */
	synchronized Loaded<T> requireVersion(String what, T entity, long version) {
		if (this.spoiled.contains(entity)) {
			throw new OptimisticLockingFailureException("The " + what + " was not written. The entity to save may "
					+ "still contain changes of a transaction that was rolled back. Call locked.entity(), which "
					+ "returns a new entity from the stored document. Change and save that entity");
		}
		long own = this.loaded.version();
		if (version != own) {
			throw new OptimisticLockingFailureException(
					"The " + what + " was not written, because the locked document has version " + own
							+ ", but the entity to save has version " + version + ". Change and save the entity that "
							+ "locked.entity() or locked.reload() returns");
		}
		return this.loaded;
	}

	/**
	 * Note that a transaction, which is still open, has written the document.
	 * @param takeBack undoes the write in memory
	 */
	synchronized void writtenInTransaction(Runnable takeBack) {
		Loaded<T> before = this.loaded;
		this.takeBacks.push(() -> {
			this.loaded = before;
			takeBack.run();
		});
	}

	/**
	 * Whether a transaction that is still open has written the document.
	 * @return whether others see the document as it was before
	 */
	synchronized boolean isUncommitted() {
		return !this.takeBacks.isEmpty();
	}

	/**
	 * Note that the transaction is over.
	 * @param undone whether it is not certain that its writes are committed
	 */
	synchronized void completed(boolean undone) {
		try {
			if (undone) {
				this.takeBacks.forEach(Runnable::run);
				if (this.type.isMutable()) {
					this.spoiled.add(this.loaded.entity());
				}
				this.stale = true;
			}
		}
		finally {
			this.takeBacks.clear();
		}
	}

}
