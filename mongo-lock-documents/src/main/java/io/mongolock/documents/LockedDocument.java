package io.mongolock.documents;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.OptimisticLockingFailureException;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.data.FencedWrites;

/**
 * A locked document with its entity. Lock it in a try-with-resources statement: at its
 * end, the lock is released unless it was released or {@link #ticket() passed on} before.
 * There is one object for each hold, which nested work gets, too. Any thread may use it.
 * Once a transaction has written the document, only the transaction's thread may write it
 * until the transaction ends. Thread-safe.
 *
 * @param <T> the type of the document
 */
public interface LockedDocument<T> extends AutoCloseable {

	/**
	 * The entity as it stood when the lock was granted or
	 * {@link DocumentLockOperations#resume(Class, Object, LockTicket) resumed}, with the
	 * version that the grant gave it. After a save, the entity as it was saved.
	 * @return the entity
	 */
	T entity();

	/**
	 * Load the document again; it stays locked. The loaded entity includes the writes of
	 * others since, and a save may overwrite them.
	 * @return the entity as it stands now; {@link #entity()} returns it from now on
	 * @throws LockLostException if the lock is gone
	 * @throws IllegalStateException if the lock was released or passed on before, or if
	 * an open transaction has written the document
	 */
	T reload();

	/**
	 * Save the document and release its lock, in one statement. The document is written
	 * only if its holder still has the lock. It is stored as a whole, as in a save by the
	 * template, except for the lock and the fence. The entity's version must be the
	 * locked document's, and is raised by one. If the save fails, or the transaction is
	 * rolled back, a mutable entity gets its former version back.
	 * @param entity the entity to save
	 * @return the saved entity
	 * @throws LockLostException if the lock was taken over, or the document was deleted,
	 * or code that does not know the lock has saved it; nothing was written
	 * @throws DocumentChangedException if the document was changed since it was locked,
	 * resumed or saved; nothing was written, and the lock is still held
	 * @throws OptimisticLockingFailureException if the entity is not the locked
	 * document's current one; nothing was written, and the lock is still held
	 * @throws ConcurrencyFailureException if the current transaction was aborted, for
	 * example by a write of others that it cannot see; the lock is still held, and the
	 * whole transaction can be repeated
	 * @throws DataAccessResourceFailureException if MongoDB does not answer within its
	 * time limit; the document is then closed
	 * @throws IllegalArgumentException if the entity has another id
	 * @throws IllegalStateException if the lock was released or passed on before
	 */
	T save(T entity);

	/**
	 * Save the document, and renew and keep its lock, in one statement, for example for
	 * an editor with automatic saves. Everything else is as with {@link #save};
	 * {@link #entity()} is the saved entity from now on. In a transaction, nothing else
	 * renews the lock until the transaction ends. After a rollback, {@link #entity()} is
	 * loaded again.
	 * @param entity the entity to save
	 * @return the saved entity
	 * @throws LockLostException as {@link #save} does; nothing was written
	 * @throws OptimisticLockingFailureException as {@link #save} does
	 * @throws ConcurrencyFailureException as {@link #save} does
	 * @throws IllegalArgumentException if the entity has another id
	 * @throws IllegalStateException if the lock was released or passed on before
	 */
	T saveAndKeep(T entity);

	/**
	 * Delete the document with its lock, in one statement. Waiters learn that there is no
	 * such document. The stored version must be the locked document's.
	 * @throws LockLostException as {@link #save} does; nothing was deleted
	 * @throws OptimisticLockingFailureException as {@link #save} does; nothing was
	 * deleted, and the lock is still held
	 * @throws ConcurrencyFailureException as {@link #save} does
	 * @throws IllegalStateException if the lock was released or passed on before
	 */
	void delete();

	/**
	 * The lock, for example for {@link FencedWrites#update} of other documents. A
	 * transaction that begins under the lock keeps it, and must not
	 * {@link FencedWrites#touch touch} it. If the lock was resumed by its ticket, the
	 * handle tells what was known then: it is not renewed, and closing the handle does
	 * not release it.
	 * @return the handle
	 */
	LockHandle handle();

	/**
	 * The number of the grant.
	 * @return the fence
	 */
	long fence();

	/**
	 * Pass the lock on to a ticket, for a later request that may reach another instance.
	 * From now on this JVM does not renew, watch or release the lock. Unless the ticket
	 * renews it, the lock lasts for its ttl, which must be long enough for editing. The
	 * ticket has the version of {@link #entity()}: after a save that keeps the lock, this
	 * method returns another ticket.
	 * @return the ticket
	 * @throws IllegalStateException if the lock was released before, or if an open
	 * transaction has written the document
	 */
	LockTicket ticket();

	/**
	 * Release the lock, unless it was released or passed on before.
	 * @throws LockLostException if the lock was lost before
	 */
	@Override
	void close();

}
