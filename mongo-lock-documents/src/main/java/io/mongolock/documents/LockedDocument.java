package io.mongolock.documents;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.OptimisticLockingFailureException;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;
import io.mongolock.data.FencedWrites;

/**
 * A document that is locked, with its entity. Lock it in a try-with-resources statement:
 * what was neither saved nor released nor {@link #ticket() passed on} is released at its
 * end. There is one object for each hold: who works within it is handed the same. Any
 * thread may use it, but what a transaction has written is written by its thread alone
 * until it ends. Thread-safe.
 *
 * @param <T> the type of the document
 */
public interface LockedDocument<T> extends AutoCloseable {

	/**
	 * The entity as it stood at the grant, or at
	 * {@link DocumentLockOperations#resume(Class, Object, LockTicket) resume}; with the
	 * version that the grant gave it. From a save on, the entity as it was saved.
	 * @return the entity
	 */
	T entity();

	/**
	 * Load the document again, which stays locked: what others have written since is
	 * seen, and may be saved over from here on.
	 * @return the entity as it stands now, which {@link #entity()} has from here on
	 * @throws LockLostException if the lock is gone
	 * @throws IllegalStateException if the lock was released or passed on before, or the
	 * document was written by a transaction that is not over
	 */
	T reload();

	/**
	 * Save the document and release its lock, in one statement: it is written only while
	 * the lock is still its holder's. It is stored as a save by the template would store
	 * it, as a whole, but for the lock and the fence. The version must be the locked
	 * document's, and one is added to it; in an object that can be changed it is the
	 * former again if this fails, or the transaction is rolled back.
	 * @param entity the document as it is to be
	 * @return the document as it is saved
	 * @throws LockLostException if the lock was taken over, or the document saved by code
	 * that does not know the lock, or deleted; nothing was written
	 * @throws DocumentChangedException if the document was changed since it was locked,
	 * resumed or saved; nothing was written, and the lock is still held
	 * @throws OptimisticLockingFailureException if the entity is of another time; nothing
	 * was written, and the lock is still held
	 * @throws ConcurrencyFailureException if the current transaction is over, as by a
	 * write of others that it cannot see: the lock is still held, and the whole
	 * transaction may be done again
	 * @throws DataAccessResourceFailureException if MongoDB does not answer within its
	 * time limit: the document is closed
	 * @throws IllegalArgumentException if the entity has another id
	 * @throws IllegalStateException if the lock was released or passed on before
	 */
	T save(T entity);

	/**
	 * Save the document, renew its lock and keep it, in one statement, as for an editor
	 * that saves by itself: all as with {@link #save}, but that {@link #entity()} is the
	 * saved one from here on. In a transaction the lock is not renewed otherwise until
	 * that ends, and after a rollback {@link #entity()} is loaded again.
	 * @param entity the document as it is to be
	 * @return the document as it is saved
	 * @throws LockLostException as {@link #save} does; nothing was written
	 * @throws OptimisticLockingFailureException as {@link #save} does
	 * @throws ConcurrencyFailureException as {@link #save} does
	 * @throws IllegalArgumentException if the entity has another id
	 * @throws IllegalStateException if the lock was released or passed on before
	 */
	T saveAndKeep(T entity);

	/**
	 * Delete the document with its lock, in one statement. A waiter learns that there is
	 * no such document. The version must be the locked document's.
	 * @throws LockLostException as {@link #save} does; nothing was deleted
	 * @throws OptimisticLockingFailureException as {@link #save} does; nothing was
	 * deleted, and the lock is still held
	 * @throws ConcurrencyFailureException as {@link #save} does
	 * @throws IllegalStateException if the lock was released or passed on before
	 */
	void delete();

	/**
	 * The lock, for example for {@link FencedWrites#update} of other documents; a
	 * transaction that begins under it keeps it, and does not {@link FencedWrites#touch
	 * touch} it. For a lock that was resumed by its ticket it tells what was known then:
	 * it is not renewed, and cannot be closed by this handle.
	 * @return the handle
	 */
	LockHandle handle();

	/**
	 * The number of the grant.
	 * @return the fence
	 */
	long fence();

	/**
	 * Pass the lock on to a ticket, for a later request that may come to another
	 * instance. From here on this JVM neither renews nor watches nor releases it: it
	 * lasts for its ttl, which has to be the time for editing, unless renewed by the
	 * ticket. It is of the version of {@link #entity()}: after a save that keeps the lock
	 * this gives another one.
	 * @return the ticket
	 * @throws IllegalStateException if the lock was released before, or the document was
	 * written by a transaction that is not over
	 */
	LockTicket ticket();

	/**
	 * Release the lock, unless that was done before or the lock was passed on.
	 * @throws LockLostException if it had been lost before
	 */
	@Override
	void close();

}
