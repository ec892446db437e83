package io.mongolock.mongodb;

import io.mongolock.LockHandle;
import io.mongolock.LockLostException;

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
	 * {@link DocumentLockOperations#resume(Class, LockTicket) resume}; with the version
	 * that the grant gave it. From a save on, the entity as it was saved.
	 * @return the entity
	 */
	T entity();

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
